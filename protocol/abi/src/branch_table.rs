// SPDX-License-Identifier: MIT OR Apache-2.0
//! The branch table: what a core must know of the sites of a flow table to make branch events of a walk, in
//! addition to [`crate::flow_table`].
//!
//! A word for each site, lowest bits first: offset 26, kind 5, unit 10, frame. An address is the number of a page,
//! which the core has of the page words by frame, and the unit in that page. The units of a page are 4 bytes:
//! A64 and A32.
//!
//! A word of 16 bits for each row of a frame: bit `u` says that an SVC, HVC or SMC is in front of unit `u`.

use crate::compressed::branch::BranchKind;
use crate::flow_table::Widths;

/// Bits of the offset of a direct branch, in units: those of a B or BL of A64, the longest one.
pub const OFFSET_BITS: u32 = 26;
/// Bits of a kind.
pub const KIND_BITS: u32 = 5;
/// Bits of a unit in its page.
pub const UNIT_BITS: u32 = 10;
/// Bits of an address of the events, in units of 4 bytes.
pub const ADDRESS_BITS: u32 = 62;
/// In place of a kind: a site that is no branch, an ISB as a rule.
pub const NO_BRANCH: BranchKind = BranchKind::EXCEPTION;
/// In place of a kind: a site of another instruction set than that of the events.
pub const FOREIGN: BranchKind = BranchKind::EXCEPTION.and(BranchKind::CONDITIONAL);

/// What the table says of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BranchWord {
    /// From its address to the target of a direct branch, in units.
    pub offset: i32,
    /// What it is.
    pub kind: BranchKind,
    /// Its unit in the page.
    pub unit: u32,
    /// The frame of its page.
    pub frame: u32,
}

impl BranchWord {
    /// Of a site that no atom belongs to.
    pub const NONE: BranchWord = BranchWord {
        offset: 0,
        kind: FOREIGN,
        unit: 0,
        frame: 0,
    };

    /// Bits of a word.
    pub const fn bits(widths: Widths) -> u32 {
        OFFSET_BITS + KIND_BITS + UNIT_BITS + widths.frame
    }

    /// As a word.
    pub const fn pack(self) -> u64 {
        let offset = self.offset as u32 & ((1 << OFFSET_BITS) - 1);
        offset as u64
            | (self.kind.0 as u64) << OFFSET_BITS
            | (self.unit as u64) << (OFFSET_BITS + KIND_BITS)
            | (self.frame as u64) << (OFFSET_BITS + KIND_BITS + UNIT_BITS)
    }

    /// Of a word.
    pub const fn unpack(word: u64) -> BranchWord {
        let above = word >> OFFSET_BITS;
        BranchWord {
            offset: ((word as u32) << (32 - OFFSET_BITS)) as i32 >> (32 - OFFSET_BITS),
            kind: BranchKind((above & ((1 << KIND_BITS) - 1)) as u8),
            unit: (above >> KIND_BITS) as u32 & ((1 << UNIT_BITS) - 1),
            frame: (above >> (KIND_BITS + UNIT_BITS)) as u32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_says_what_it_was_made_of() {
        for offset in [0, 1, -1, (1 << 25) - 1, -(1 << 25)] {
            let word = BranchWord {
                offset,
                kind: BranchKind::CONDITIONAL.and(BranchKind::RETURN),
                unit: 1023,
                frame: 0xFFFF,
            };
            assert_eq!(BranchWord::unpack(word.pack()), word);
        }
    }
}
