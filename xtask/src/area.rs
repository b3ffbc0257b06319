// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a netlist takes, by the types of its cells.

use serde::Serialize;
use std::collections::BTreeMap;

/// Cells of a mapped netlist.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Area {
    /// LUT1 to LUT6; inverters are not among them.
    pub lut: usize,
    /// Flip-flops.
    pub ff: usize,
    /// Block RAMs, counted in RAMB18.
    pub bram18: usize,
    /// Shift registers in LUTs.
    pub srl: usize,
    /// CARRY4 as mapped; two of them fit a CARRY8.
    pub carry4: usize,
    /// MUXF7, MUXF8 and MUXF9.
    pub muxf: usize,
}

impl Area {
    /// Sums up a count of cells by type.
    pub fn of(counts: &BTreeMap<String, usize>) -> Area {
        let sum = |prefix: &str| -> usize {
            let cells = counts.iter().filter(|(model, _)| model.starts_with(prefix));
            cells.map(|(_, count)| count).sum()
        };
        Area {
            lut: sum("LUT"),
            ff: sum("FD"),
            bram18: sum("RAMB18") + 2 * sum("RAMB36"),
            srl: sum("SRL"),
            carry4: sum("CARRY4"),
            muxf: sum("MUXF"),
        }
    }
}
