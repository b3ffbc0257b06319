// SPDX-License-Identifier: MIT OR Apache-2.0
//! A trace port that makes a pattern by itself, for the core behind it.
//!
//! Source: Arm DDI 0480, TPIU, test patterns.

use coretrace_coresight::map::tpiu;

use super::builder::Builder;
use super::{Options, Plan, PlanError, check_rate, common, order, parts, receiver};
use crate::topology::{Hop, Index, Route, Topology};

/// A pattern of a trace port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// One pin after the other is 1.
    WalkingOne,
    /// One pin after the other is 0.
    WalkingZero,
    /// AA and 55 in turn.
    Alternating,
    /// FF and 00 in turn.
    Flashing,
}

impl Pattern {
    /// All of them, in the order of their bits.
    pub const ALL: [Pattern; 4] = [
        Pattern::WalkingOne,
        Pattern::WalkingZero,
        Pattern::Alternating,
        Pattern::Flashing,
    ];

    /// The name of the manual.
    pub fn name(self) -> &'static str {
        match self {
            Pattern::WalkingOne => "walking 1",
            Pattern::WalkingZero => "walking 0",
            Pattern::Alternating => "AA/55",
            Pattern::Flashing => "FF/00",
        }
    }

    /// Words from a full sync to the next, on 32 pins. The walking 0 ends one at the last pin of each half, with
    /// the half-word before it.
    pub fn full_sync_period(self) -> Option<u32> {
        match self {
            Pattern::WalkingZero => Some(16),
            Pattern::WalkingOne | Pattern::Alternating | Pattern::Flashing => None,
        }
    }

    /// Whether a core that is in sync when it begins stays so, and takes each 4 words for a frame.
    pub fn keeps_sync(self) -> bool {
        match self {
            Pattern::WalkingOne | Pattern::Alternating => true,
            Pattern::WalkingZero | Pattern::Flashing => false,
        }
    }

    /// The value of the register that makes it until it is stopped.
    fn value(self) -> u32 {
        /// Continuous, and not for a number of cycles.
        const CONTINUOUS: u32 = 2;
        tpiu::testpattern::MODE.with(CONTINUOUS) | tpiu::testpattern::PATTERN.with(1 << self as u32)
    }
}

impl Plan {
    /// Plans a pattern at the port of a core, with the clocks of some options. Nothing else of the chip is touched.
    ///
    /// # Errors
    /// If a clock cannot have the rate that is asked for.
    pub fn pattern(
        topology: &Topology,
        core: Index,
        pattern: Pattern,
        options: &Options,
    ) -> Result<Plan, PlanError> {
        check_rate(topology, options)?;
        let port = topology.receivers[core].port;
        let mut builder = Builder::new(topology);
        common::clocks(&mut builder, &[port], options.clocks());
        common::identify(&mut builder, port);
        common::owner(&mut builder, port);
        receiver::identify(&mut builder, core);
        common::open(&mut builder, port);
        parts::pattern(&mut builder, port, pattern.value());
        let route = Route {
            hops: vec![Hop {
                component: port,
                inputs: Vec::new(),
                outputs: Vec::new(),
            }],
            links: Vec::new(),
        };
        let steps = order::sorted(topology, &route, builder.steps);
        Ok(Plan {
            route,
            trace_ids: Vec::new(),
            steps,
        })
    }
}
