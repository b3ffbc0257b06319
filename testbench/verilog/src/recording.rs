// SPDX-License-Identifier: MIT OR Apache-2.0
//! A recorded run, and the result of its replay.

use std::fmt;

use coretrace_hdl_verilog::{Direction, Port};

/// When in a cycle outputs are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Inputs applied, clock low, settled.
    BeforeEdge,
    /// After the rising edge.
    AfterEdge,
}

/// One output port that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Cycle, from 0.
    pub cycle: u64,
    /// Where in the cycle.
    pub phase: Phase,
    /// Exported name of the port.
    pub port: String,
    /// Value in the Verilog simulation, hexadecimal, with `x` and `z` as Icarus prints them.
    pub verilog: String,
    /// Value in the Rust simulation, hexadecimal.
    pub rust: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = match self.phase {
            Phase::BeforeEdge => "before",
            Phase::AfterEdge => "after",
        };
        write!(
            f,
            "cycle {} {side} the edge: {} is {} in Verilog, {} in Rust",
            self.cycle, self.port, self.verilog, self.rust
        )
    }
}

/// Result of a replay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The first differences, at most [`Outcome::MAX_LISTED`].
    pub mismatches: Vec<Mismatch>,
    /// Number of all differences.
    pub total: u64,
}

impl Outcome {
    /// How many mismatches are kept.
    pub const MAX_LISTED: usize = 16;

    /// Whether Rust and Verilog agree.
    pub fn agrees(&self) -> bool {
        self.total == 0
    }

    pub(crate) fn add(&mut self, mismatch: Mismatch) {
        self.total += 1;
        if self.mismatches.len() < Self::MAX_LISTED {
            self.mismatches.push(mismatch);
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} mismatches", self.total)?;
        for mismatch in &self.mismatches {
            write!(f, "\n{mismatch}")?;
        }
        Ok(())
    }
}

/// A run in Rust, ready for replay. Values are hexadecimal digits, port after port.
pub struct Recording {
    /// Ports of the block.
    pub ports: Vec<Port>,
    /// Whether outputs after the edge were recorded too.
    pub is_clocked: bool,
    /// Per cycle: all inputs but clocks.
    pub inputs: Vec<String>,
    /// Per cycle: all outputs before the edge, then all outputs after it.
    pub outputs: Vec<String>,
}

impl Recording {
    /// Whether a value is from before the first edge. Output bits that are constant have their
    /// value there in Verilog, and from the first edge on in the simulation: such values are not
    /// compared.
    pub fn is_power_on(&self, cycle: u64, phase: Phase) -> bool {
        self.is_clocked && cycle == 0 && phase == Phase::BeforeEdge
    }

    /// Input ports that are driven per cycle.
    pub fn input_ports(&self) -> impl Iterator<Item = &Port> {
        let is_data = |port: &&Port| port.direction == Direction::Input && !port.is_clock;
        self.ports.iter().filter(is_data)
    }

    /// Output ports.
    pub fn output_ports(&self) -> impl Iterator<Item = &Port> {
        let is_output = |port: &&Port| port.direction == Direction::Output;
        self.ports.iter().filter(is_output)
    }
}
