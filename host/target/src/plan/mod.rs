// SPDX-License-Identifier: MIT OR Apache-2.0
//! The steps of a start: every access, in an order that the rules allow.
//!
//! | module | what it holds |
//! |---|---|
//! | `step` | a step: what it accesses, its role, its rules, its inverse |
//! | `builder` | steps from the register map |
//! | `common` | what every component needs: clocks, identification, owner, locks, claim |
//! | `parts` | what each kind needs to be set up |
//! | `receiver` | what a core behind a trace port needs |
//! | `pattern` | a test pattern of a trace port |
//! | `order` | the order of the steps by the rules |
//! | `end_order` | the same of the steps that end a session |

mod builder;
mod common;
mod end_order;
mod order;
mod parts;
mod pattern;
mod receiver;
mod step;

pub use crate::role::Role;
pub use builder::Builder;
pub(crate) use common::{Clocks, clocks, identify};
pub use order::order;
pub use parts::{TMC_FORMATTER, TPIU_FORMATTER};
pub use pattern::Pattern;
pub(crate) use receiver::{identify as identify_receiver, stop as stop_receiver};
pub use step::{Action, Inverse, Part, Step};

use std::fmt;
use std::ops::Range;

use crate::ring::Ring;
use crate::topology::{Index, PathError, Route, Topology, Wanted};
use coretrace_coresight::map::ComponentKind;

/// What is traced, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// An address for every branch that was taken.
    pub branch_broadcast: bool,
    /// Cycle counts, sent when this many cycles have passed.
    pub cycle_threshold: Option<u32>,
    /// Timestamps.
    pub timestamps: bool,
    /// Context IDs.
    pub context_ids: bool,
    /// No addresses for returns that a return stack predicts.
    pub return_stack: bool,
    /// Trace EL0 only.
    pub user_only: bool,
    /// Turn clocks on that are off.
    pub enable_clocks: bool,
    /// The rate of the clocks whose topology says how it is set; they are turned on as well.
    pub trace_mhz: Option<u32>,
    /// Memory for an ETR: address and bytes.
    pub memory: Option<(u64, u32)>,
    /// A core that receives the trace, and the ring of buffers for its records.
    pub receiver: Option<(Index, Ring)>,
}

impl Options {
    /// What is done with clocks.
    fn clocks(&self) -> Clocks {
        match (self.trace_mhz, self.enable_clocks) {
            (Some(mhz), _) => Clocks::Rate(mhz),
            (None, true) => Clocks::On,
            (None, false) => Clocks::Read,
        }
    }

    /// Whether something is asked for that only trace units send.
    fn is_of_trace_units(&self) -> bool {
        let is_asked = [
            self.branch_broadcast,
            self.cycle_threshold.is_some(),
            self.context_ids,
            self.return_stack,
            self.user_only,
        ];
        is_asked.contains(&true)
    }

    /// The memory that trace or records are stored in.
    pub fn memory(&self) -> Vec<Range<u64>> {
        let trace = self
            .memory
            .map(|(start, bytes)| start..start.saturating_add(bytes.into()));
        let records = self.receiver.map(|(_, ring)| ring.range());
        trace.into_iter().chain(records).collect()
    }
}

/// A start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The way of the trace.
    pub route: Route,
    /// The trace ID of each source.
    pub trace_ids: Vec<(Index, u8)>,
    /// The steps in their order.
    pub steps: Vec<Step>,
}

/// Why there is no plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlanError {
    /// There is no route.
    Path(PathError),
    /// The component cannot be used in this way, and why.
    Unfit(String, &'static str),
    /// An option has a value that cannot be.
    Option(&'static str),
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(error) => error.fmt(f),
            Self::Unfit(name, why) => write!(f, "{name}: {why}"),
            Self::Option(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for PlanError {}

impl From<PathError> for PlanError {
    fn from(error: PathError) -> Self {
        Self::Path(error)
    }
}

impl Plan {
    /// Plans a start.
    ///
    /// # Errors
    /// If there is no route, or a component or an option cannot be used.
    pub fn start(
        topology: &Topology,
        wanted: &Wanted,
        options: &Options,
    ) -> Result<Plan, PlanError> {
        let mut wanted = wanted.clone();
        wanted.sources.sort_unstable();
        wanted.sources.dedup();
        check(topology, &wanted, options)?;
        check_rate(topology, options)?;
        let route = topology.route(&wanted)?;
        let trace_ids: Vec<(Index, u8)> = wanted.sources.iter().copied().zip(FIRST_ID..).collect();
        let mut builder = Builder::new(topology);
        let timestamp = topology
            .components
            .iter()
            .position(|c| c.kind == ComponentKind::Timestamp);
        let timestamp = timestamp.filter(|_| options.timestamps);
        let used: Vec<Index> = timestamp
            .into_iter()
            .chain(route.hops.iter().map(|h| h.component))
            .collect();
        common::clocks(&mut builder, &used, options.clocks());
        for &component in &used {
            common::identify(&mut builder, component);
        }
        for &component in &used {
            common::owner(&mut builder, component);
            common::allowed(&mut builder, component);
        }
        if let Some(component) = timestamp {
            parts::timestamp(&mut builder, component);
        }
        for hop in &route.hops {
            if !hop.outputs.is_empty() && wanted.sinks.contains(&hop.component) {
                let name = topology.components[hop.component].name.clone();
                return Err(PlanError::Unfit(
                    name,
                    "it is a sink and on the way to another one",
                ));
            }
            common::open(&mut builder, hop.component);
            let id = trace_ids
                .iter()
                .find(|(source, _)| *source == hop.component);
            parts::set_up(&mut builder, hop, id.map(|(_, id)| *id), options);
        }
        if let (Some((receiver, ring)), Some((unit, id))) = (options.receiver, trace_ids.first()) {
            receiver::set_up(&mut builder, receiver, *unit, *id, ring);
        }
        let steps = order::sorted(topology, &route, builder.steps);
        Ok(Plan {
            route,
            trace_ids,
            steps,
        })
    }
}

/// The trace ID of the first source; the others follow.
const FIRST_ID: u8 = 0x10;

/// The most sources of a session.
const MOST_SOURCES: usize = 16;

fn check(topology: &Topology, wanted: &Wanted, options: &Options) -> Result<(), PlanError> {
    let unfit = |index: Index, why| {
        Err(PlanError::Unfit(
            topology.components[index].name.clone(),
            why,
        ))
    };
    for &source in &wanted.sources {
        match topology.components[source].kind {
            ComponentKind::Etm4 | ComponentKind::Stm => {}
            ComponentKind::Etm3 => {
                return unfit(
                    source,
                    "its trace unit is an ETMv3: other registers, another protocol",
                );
            }
            _ => return unfit(source, "it is no source of trace"),
        }
    }
    let has_unit = wanted
        .sources
        .iter()
        .any(|&source| topology.components[source].kind == ComponentKind::Etm4);
    if !has_unit && options.is_of_trace_units() {
        return Err(PlanError::Option(
            "what is asked for is sent by trace units, and none is a source",
        ));
    }
    for &sink in &wanted.sinks {
        match topology.components[sink].kind {
            kind if !kind.is_sink() => return unfit(sink, "trace cannot end in it"),
            ComponentKind::Etr if options.memory.is_none() => {
                return unfit(sink, "it needs memory: an address and a size");
            }
            _ => {}
        }
    }
    if let Some((receiver, _)) = options.receiver {
        if !wanted.sinks.contains(&topology.receivers[receiver].port) {
            return Err(PlanError::Option("the port of a core is one of the sinks"));
        }
        if wanted.sources.len() > 1 {
            return Err(PlanError::Option("a core decodes one source"));
        }
        if !has_unit {
            return Err(PlanError::Option(
                "a core decodes a trace unit, and none is a source",
            ));
        }
    }
    if wanted.sources.len() > MOST_SOURCES {
        return Err(PlanError::Option("a session has at most 16 sources"));
    }
    if options.memory.is_some_and(|(address, bytes)| {
        address % 8 != 0 || address >> 40 != 0 || bytes % 1024 != 0 || bytes == 0
    }) {
        return Err(PlanError::Option(
            "memory of an ETR begins at a multiple of 8 below 2^40 and has whole KiB",
        ));
    }
    let is_hit = |range: &Range<u64>| {
        let ranges = topology.ranges();
        let mut ranges = ranges.iter();
        ranges.any(|of| of.start < range.end && range.start < of.end)
    };
    if options.memory().iter().any(is_hit) {
        return Err(PlanError::Option(
            "memory for trace or records must not have registers of the topology in it",
        ));
    }
    if options
        .cycle_threshold
        .is_some_and(|cycles| !(1..=0xFFF).contains(&cycles))
    {
        return Err(PlanError::Option(
            "the threshold of cycle counts is 1 to 4095",
        ));
    }
    Ok(())
}

/// Whether the clocks can have the rate that is asked for.
fn check_rate(topology: &Topology, options: &Options) -> Result<(), PlanError> {
    let Some(mhz) = options.trace_mhz else {
        return Ok(());
    };
    let rates = topology.clocks.iter().filter_map(|clock| clock.rate);
    let divisors: Vec<Option<u32>> = rates.map(|rate| rate.divisor(mhz)).collect();
    if divisors.is_empty() || divisors.contains(&None) {
        return Err(PlanError::Option(
            "the trace clock has no such rate: it is that of its source divided by a whole number",
        ));
    }
    Ok(())
}
