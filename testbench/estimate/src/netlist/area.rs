// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a netlist takes, by the types of its cells.

use serde::Serialize;
use std::collections::BTreeMap;

/// RAMs in LUTs that Yosys maps to for UltraScale+, with the LUTs that they take.
const LUT_RAMS: [(&str, usize); 7] = [
    ("RAM32M16", 8),
    ("RAM64M8", 8),
    ("RAM128X1S", 2),
    ("RAM128X1D", 4),
    ("RAM256X1S", 4),
    ("RAM256X1D", 8),
    ("RAM512X1S", 8),
];

/// LUTs that a RAM of this type takes; `None` for every other type of cell.
pub fn lut_ram(model: &str) -> Option<usize> {
    let mut rams = LUT_RAMS.iter();
    rams.find(|(name, _)| *name == model).map(|(_, luts)| *luts)
}

/// Cells of a mapped netlist.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Area {
    /// LUT1 to LUT6.
    pub lut: usize,
    /// Shift registers in LUTs: SRL16E and SRLC32E, one LUT each.
    pub srl: usize,
    /// LUTs that are RAM.
    pub lut_ram: usize,
    /// All three above: what is compared and limited.
    pub lut_sites: usize,
    /// Inverters that are left. Not in the sums: placement can put most of them into a LUT.
    pub inverters: usize,
    /// Flip-flops.
    pub ff: usize,
    /// Blocks of 8 LUTs and 16 flip-flops, whichever there are more of, filled to the last one.
    pub clb: usize,
    /// Block RAMs, counted in RAMB18.
    pub bram18: usize,
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
        let rams = counts.iter();
        let lut_ram = rams.filter_map(|(model, count)| Some(lut_ram(model)? * count));
        let (lut, srl, lut_ram) = (sum("LUT"), sum("SRL"), lut_ram.sum());
        let (lut_sites, ff) = (lut + srl + lut_ram, sum("FD"));
        Area {
            lut,
            srl,
            lut_ram,
            lut_sites,
            inverters: sum("INV"),
            ff,
            clb: lut_sites.div_ceil(8).max(ff.div_ceil(16)),
            bram18: sum("RAMB18") + 2 * sum("RAMB36"),
            carry4: sum("CARRY4"),
            muxf: sum("MUXF"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Area;

    #[test]
    fn every_cell_that_takes_a_lut_counts() {
        let counts = [
            ("LUT2", 5),
            ("LUT6", 7),
            ("INV", 3),
            ("SRL16E", 2),
            ("SRLC32E", 1),
            ("RAM32M16", 2),
            ("FDRE", 11),
            ("FDSE", 1),
            ("RAMB18E2", 1),
            ("RAMB36E2", 2),
            ("MUXF7", 4),
            ("CARRY4", 6),
        ];
        let counts = counts.map(|(model, count)| (model.to_owned(), count));
        let area = Area::of(&counts.into());
        let by_hand = Area {
            lut: 12,
            srl: 3,
            lut_ram: 16,
            lut_sites: 31,
            inverters: 3,
            ff: 12,
            clb: 4,
            bram18: 5,
            carry4: 6,
            muxf: 4,
        };
        assert_eq!(area, by_hand);
    }
}
