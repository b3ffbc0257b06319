// SPDX-License-Identifier: MIT OR Apache-2.0
//! Paths and loops of a netlist, as the report shows them.

use serde::Serialize;

/// One cell of a path, and the net that leads on from it.
#[derive(Clone, Debug, Serialize)]
pub struct Hop {
    /// Cell type.
    pub cell: String,
    /// Name of the net at the output of the cell.
    pub net: String,
    /// Delay of the cell in ps.
    pub cell_ps: f64,
    /// Loads of the net.
    pub fan_out: usize,
    /// Delay of the net to the next cell in ps.
    pub net_ps: f64,
}

/// A path from a register to a register.
#[derive(Clone, Debug, Serialize)]
pub struct Path {
    /// Clock period that the path allows, uncertainty included, in ns.
    pub period_ns: f64,
    /// LUTs on the way: LUT1 to LUT6, inverters and LUT RAM that is read; not MUXF and CARRY.
    pub levels: usize,
    /// The launching register.
    pub start: String,
    /// The register at the end.
    pub end: String,
    /// Type and pin of the cell at the end.
    pub end_pin: String,
    /// Setup time at the end in ps.
    pub setup_ps: f64,
    /// From the launching register to the last cell before the end.
    pub hops: Vec<Hop>,
}

impl Path {
    /// From where to where, over how many LUTs, in how many nanoseconds.
    pub fn in_words(&self) -> String {
        let fan_out = self.hops.first().map_or(0, |hop| hop.fan_out);
        format!(
            "from `{}` (fan-out {fan_out}) to `{}` ({}): {} LUT levels, {:.2} ns",
            self.start, self.end, self.end_pin, self.levels, self.period_ns
        )
    }

    /// The types of the cells on the way, ends included.
    pub fn cells(&self) -> String {
        let cells = self.hops.iter().map(|hop| hop.cell.as_str());
        let cells: Vec<&str> = cells.chain([self.end_pin.as_str()]).collect();
        cells.join(" > ")
    }
}

/// Registers that depend on each other from one cycle to a later one.
#[derive(Clone, Debug, Serialize)]
pub struct Loop {
    /// Register names without bit numbers, sorted.
    pub registers: Vec<String>,
    /// Register cells: a bit each, except for memories.
    pub bits: usize,
    /// The slowest path that starts and ends in the loop without leaving it.
    pub slowest: Path,
    /// Such a path with the most LUTs.
    pub deepest: Path,
}
