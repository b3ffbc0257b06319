// SPDX-License-Identifier: MIT OR Apache-2.0
//! The numbers of the sites of a module, and its rows.

use std::collections::BTreeMap;

use coretrace_abi::flow_table::{
    FRAME_ROWS, ROW_UNITS, RowWord, bit_in_row, page_number, row_in_frame, unit,
};
use coretrace_flow::Reported;
use coretrace_isa::Isa;

use crate::fit::DoesNotFit;
use crate::module::Module;
use crate::section::{Site, Sites};

/// The numbers of the sites of a module.
pub struct Numbering {
    /// The rows of each page, by its number.
    pub pages: BTreeMap<u64, [RowWord; FRAME_ROWS]>,
    /// The sites with their numbers.
    pub sites: Vec<(u32, Site)>,
    /// Behind the last number.
    pub end: usize,
}

/// A row before it is numbered: the units that are code, and those of sites.
#[derive(Clone, Copy, Default)]
struct Row {
    code: u16,
    sites: u16,
}

impl Numbering {
    /// Of a module, from a number on.
    ///
    /// # Errors
    /// If its sections are in disorder.
    pub fn of(module: &Module, reported: Reported, first: usize) -> Result<Numbering, DoesNotFit> {
        let mut rows = BTreeMap::<u64, Row>::new();
        let mut sites = Vec::new();
        let mut next = 0;
        for section in &module.sections {
            let address = section.address;
            let disorder = Err(DoesNotFit::Disorder { address });
            let Some(last) = (section.bytes.len() as u64).checked_sub(1) else {
                continue;
            };
            let Some(last) = address.checked_add(last) else {
                return disorder;
            };
            let (Some(start), Some(last)) = (unit(module.isa, address), unit(module.isa, last))
            else {
                return disorder;
            };
            if start < next || last < start {
                return disorder;
            }
            next = last + 1;
            for unit in start..=last {
                rows.entry(unit / ROW_UNITS).or_default().code |= 1 << bit_in_row(unit);
            }
            for site in Sites::new(section, module.isa, reported) {
                if let Some(unit) = unit(module.isa, site.address) {
                    rows.entry(unit / ROW_UNITS).or_default().sites |= 1 << bit_in_row(unit);
                    sites.push(site);
                }
            }
        }
        Ok(number(module.isa, &rows, &sites, first))
    }
}

fn number(isa: Isa, rows: &BTreeMap<u64, Row>, sites: &[Site], first: usize) -> Numbering {
    let mut numbering = Numbering {
        pages: BTreeMap::new(),
        sites: Vec::new(),
        end: first,
    };
    let mut sites = sites.iter();
    for (&number, row) in rows {
        let ends = ends(row.code);
        let bitmap = row.sites | ends;
        let base = numbering.end as u32;
        let unit = number * ROW_UNITS;
        let page = numbering.pages.entry(page_number(isa, unit));
        let page = page.or_insert([RowWord::default(); FRAME_ROWS]);
        page[row_in_frame(unit)] = RowWord { base, bitmap };
        for bit in (0..ROW_UNITS).filter(|bit| bitmap >> bit & 1 == 1) {
            if row.sites >> bit & 1 == 1 {
                let site = sites.next().copied();
                let number = numbering.end as u32;
                numbering.sites.extend(site.map(|site| (number, site)));
            }
            numbering.end += 1;
        }
        let reaches_end = row.code >> (ROW_UNITS - 1) == 1;
        if reaches_end && !rows.contains_key(&(number + 1)) {
            numbering.end += 1;
        }
    }
    numbering
}

/// The last unit of each stretch of units that are no code.
fn ends(code: u16) -> u16 {
    let is_code_behind = code >> 1 | 1 << (ROW_UNITS - 1);
    !code & is_code_behind
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stretch_without_code_has_one_end() {
        for (code, want) in [
            (u16::MAX, 0),
            (0x000F, 0x8000),
            (0xFFF0, 0x0008),
            (0x0C30, 0x8208),
            (0xC003, 0x2000),
        ] {
            assert_eq!(ends(code), want, "{code:#x}");
        }
    }
}
