// SPDX-License-Identifier: MIT OR Apache-2.0
//! Code in one piece, and its sites.

use coretrace_flow::{LastInstruction, Reported};
use coretrace_isa::{Class, Isa, decode};

/// Code in one piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Address of the first byte.
    pub address: u64,
    /// The bytes.
    pub bytes: Vec<u8>,
}

impl Section {
    /// The word of the instruction at an offset, as [`decode`] takes it.
    pub fn word(&self, isa: Isa, offset: usize) -> Option<u32> {
        let rest = self.bytes.get(offset..)?;
        if isa != Isa::T32 {
            return Some(u32::from_le_bytes(*rest.first_chunk()?));
        }
        let halfword = |at: usize| {
            let half = rest.get(at..)?.first_chunk()?;
            Some(u32::from(u16::from_le_bytes(*half)))
        };
        let first = halfword(0)? << 16;
        if isa.size(first) == 2 {
            Some(first)
        } else {
            Some(first | halfword(2)?)
        }
    }
}

/// Where a site leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// To an address.
    Direct(Isa, u64),
    /// To one that varies.
    Indirect,
    /// To the next instruction.
    Next,
}

/// An instruction that a trace reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    /// The first address of its block: behind the site before it, or where the code begins.
    pub start: u64,
    /// Its address.
    pub address: u64,
    /// Where an E atom leads.
    pub exit: Exit,
    /// It may have an N atom.
    pub is_conditional: bool,
    /// What else is known of it.
    pub instruction: LastInstruction,
}

impl Site {
    /// The address behind it.
    pub fn end(&self) -> u64 {
        self.address.wrapping_add(self.instruction.size.into())
    }
}

/// The sites of a section, in the order of their addresses. All of it is read as code: T32 from the
/// beginning, so that data between functions may hide the first instructions behind it.
pub struct Sites<'s> {
    section: &'s Section,
    isa: Isa,
    reported: Reported,
    offset: usize,
    /// Where the block of the next site begins.
    start: usize,
    /// Instructions that an IT instruction makes conditional.
    conditional: u32,
}

impl<'s> Sites<'s> {
    /// Those of a section, for a trace unit that reports these instructions.
    pub fn new(section: &'s Section, isa: Isa, reported: Reported) -> Sites<'s> {
        let misaligned = section.address.wrapping_neg() % isa.alignment();
        Sites {
            section,
            isa,
            reported,
            offset: misaligned as usize,
            start: misaligned as usize,
            conditional: 0,
        }
    }
}

impl Iterator for Sites<'_> {
    type Item = Site;

    fn next(&mut self) -> Option<Site> {
        loop {
            let word = self.section.word(self.isa, self.offset)?;
            let place = |offset: usize| self.section.address.wrapping_add(offset as u64);
            let (start, address) = (place(self.start), place(self.offset));
            let instruction = decode(self.isa, word, address);
            self.offset += usize::from(instruction.size);
            let is_in_it = self.conditional > 0;
            self.conditional = self.conditional.saturating_sub(1);
            if self.isa == Isa::T32 {
                self.conditional = self.conditional.max(it_instructions(word));
            }
            if !self.reported.has(instruction.class) {
                continue;
            }
            let exit = match instruction.target {
                Some((isa, target)) => Exit::Direct(isa, target),
                None if instruction.class == Class::Indirect => Exit::Indirect,
                None => Exit::Next,
            };
            self.start = self.offset;
            return Some(Site {
                start,
                address,
                exit,
                is_conditional: instruction.is_conditional || is_in_it,
                instruction: LastInstruction::of(&instruction),
            });
        }
    }
}

/// How many instructions behind it an IT instruction makes conditional.
fn it_instructions(word: u32) -> u32 {
    let mask = word >> 16 & 0xF;
    if word >> 24 == 0xBF && mask != 0 {
        4 - mask.trailing_zeros()
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches_in_an_it_block_are_conditional() {
        // it eq; bx lr; bx lr; ite ne; nop; bx lr; bx lr
        let halfwords = [0xBF08_u16, 0x4770, 0x4770, 0xBF14, 0xBF00, 0x4770, 0x4770];
        let section = Section {
            address: 0x1000,
            bytes: halfwords
                .iter()
                .flat_map(|half| half.to_le_bytes())
                .collect(),
        };
        let sites = Sites::new(&section, Isa::T32, Reported::default());
        let found: Vec<_> = sites
            .map(|site| (site.address, site.is_conditional))
            .collect();
        let want = [
            (0x1002, true),
            (0x1004, false),
            (0x100A, true),
            (0x100C, false),
        ];
        assert_eq!(found, want);
    }

    #[test]
    fn a_cut_instruction_at_either_end_is_none() {
        // The end of a word, b ., and the beginning of another one.
        let section = Section {
            address: 0x1002,
            bytes: vec![0, 0x14, 0, 0, 0, 0x14, 0, 0],
        };
        let sites = Sites::new(&section, Isa::A64, Reported::default());
        let found: Vec<_> = sites.map(|site| (site.address, site.exit)).collect();
        assert_eq!(found, [(0x1004, Exit::Direct(Isa::A64, 0x1004))]);
    }
}
