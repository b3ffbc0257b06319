// SPDX-License-Identifier: MIT OR Apache-2.0
//! The ROM table of a chip: an entry for each component that a table can reach.

use coretrace_coresight::map::common::{CIDR0, CIDR1, CIDR2, CIDR3, PIDR0, PIDR1, cidr1, pidr1};
use coretrace_coresight::map::{ARM, COMPONENT_BYTES, Register, rom};

use crate::part::Part;

/// A table.
#[derive(Clone, Debug)]
pub struct Rom {
    base: u64,
    entries: Vec<u32>,
}

impl Rom {
    /// The table at an address, with all components within 4 GiB.
    pub fn new(base: u64, parts: &[Part]) -> Rom {
        let is_near = |part: &&Part| part.base >> 32 == base >> 32;
        let entry = |part: &Part| {
            let offset = (part.base as u32).wrapping_sub(base as u32);
            offset & rom::entry::OFFSET.mask()
                | rom::entry::PRESENT.mask()
                | rom::entry::WIDE.mask()
        };
        Rom {
            base,
            entries: parts.iter().filter(is_near).map(entry).collect(),
        }
    }

    /// The table at the same address, with components that are elsewhere now.
    pub fn again(&self, parts: &[Part]) -> Rom {
        Rom::new(self.base, parts)
    }

    /// Reads a word, if the address is one of the table.
    pub fn read(&self, address: u64) -> Option<u32> {
        let offset = address
            .checked_sub(self.base)
            .filter(|at| *at < COMPONENT_BYTES)? as u32;
        let is = |register: &Register| register.offset == offset;
        if let Some(register) = [&CIDR0, &CIDR2, &CIDR3].into_iter().find(|of| is(of)) {
            return register.reset;
        }
        Some(match offset {
            _ if is(&CIDR1) => cidr1::CLASS.with(rom::CLASS),
            _ if is(&PIDR1) => pidr1::DESIGNER.with(ARM),
            _ if is(&PIDR0) => 0,
            _ => self.entries.get(offset as usize / 4).copied().unwrap_or(0),
        })
    }
}
