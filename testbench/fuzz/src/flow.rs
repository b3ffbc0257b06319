// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random programs followed by the exported hardware, in Verilator, and by the model: every event, sum
//! and loss, with one walker and with two.

use std::fmt;
use std::ops::AddAssign;

use anyhow::Result;
use coretrace_test_simulate::flow_case::FlowCase;
use coretrace_test_simulate::flow_verilog::{FlowVerilog, Tables};

use crate::Verdict;
use crate::campaign::Tally;

/// Branches of a program.
const STEPS: u64 = 50_000;
/// Bytes of a trace at most: some trace units send little but timestamps.
const BYTES: usize = 60_000;

/// The hardware, with one walker and with two.
pub struct VerilogAndWalk {
    verilog: FlowVerilog,
}

/// What was followed and equal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Followed {
    /// Walks: a program with one walker or two.
    pub walks: u64,
    /// Those of a trace unit that speculates.
    pub speculating: u64,
    /// Atoms of all walks, and of programs that were taken back.
    pub atoms: u64,
    /// Those that were taken back.
    pub taken_back: u64,
    /// Events: sites that were taken, entered and left, and losses.
    pub events: u64,
    /// Hops of rings that triggers froze.
    pub hops: u64,
}

impl VerilogAndWalk {
    /// Exports and compiles the hardware, or reuses the compiled one.
    ///
    /// # Errors
    /// If Verilator is missing or refuses the text.
    pub fn new() -> Result<VerilogAndWalk> {
        Ok(VerilogAndWalk {
            verilog: FlowVerilog::new(Tables::Small)?,
        })
    }

    /// Follows the program of a seed; odd seeds have a trace unit that speculates.
    ///
    /// # Errors
    /// If a program that Verilator made fails.
    pub fn compare(&self, seed: u64) -> Result<Verdict<Followed>> {
        let speculates = seed % 2 == 1;
        let mut followed = Followed::default();
        let case = FlowCase::random(Tables::Small.widths(), seed, STEPS, speculates);
        let Some(mut case) = case else {
            return Ok(Verdict::Equal(followed));
        };
        case.bytes.truncate(BYTES);
        let (walks, difference) = self.verilog.compare(&case)?;
        if let Some(text) = difference {
            return Ok(Verdict::Different(format!("{text}\n")));
        }
        for walk in walks {
            followed += Followed {
                walks: 1,
                speculating: speculates.into(),
                atoms: walk.sent,
                taken_back: walk.sent - walk.atoms,
                events: walk.events() as u64,
                hops: walk.ring.len() as u64,
            };
        }
        Ok(Verdict::Equal(followed))
    }
}

impl Tally for Followed {
    fn amount(&self) -> u64 {
        self.atoms
    }
}

impl AddAssign for Followed {
    fn add_assign(&mut self, other: Followed) {
        self.walks += other.walks;
        self.speculating += other.speculating;
        self.atoms += other.atoms;
        self.taken_back += other.taken_back;
        self.events += other.events;
        self.hops += other.hops;
    }
}

impl fmt::Display for Followed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} walks, {} of them with speculation\n{} atoms, {} of them taken back; {} events, {} hops of rings",
            self.walks, self.speculating, self.atoms, self.taken_back, self.events, self.hops
        )
    }
}
