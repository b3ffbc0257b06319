// SPDX-License-Identifier: MIT OR Apache-2.0
//! What ends a block of retired instructions at the port of a RISC-V hart, as a branch for the encoders.
//!
//! To an encoder a RISC-V program is one of halfwords: an address is its number of halfwords times 4, a number of
//! instructions is one of halfwords, and a branch is at its last halfword. So a call returns to the place behind
//! its branch, whatever the size of the instruction.
//!
//! Source: RISC-V Efficient Trace, hart to encoder interface, the table of `itype`.

use super::branch::BranchKind;

/// What ends a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockEnd {
    /// No branch.
    Sequential,
    /// An exception or an interrupt behind the last instruction.
    Trap,
    /// Its last instruction.
    Branch {
        /// What it is.
        kind: BranchKind,
        /// Whether it was taken.
        taken: bool,
    },
}

/// An `itype` of an exception: the address of its block is valid though no instruction retired.
pub const EXCEPTION: u8 = 1;
/// An `itype` of an interrupt.
pub const INTERRUPT: u8 = 2;

/// All of them, by `itype`. A reserved one may lead anywhere.
pub const ENDS: [BlockEnd; 16] = [
    BlockEnd::Sequential,
    BlockEnd::Trap,
    BlockEnd::Trap,
    // A return from a trap.
    taken(BranchKind::EXCEPTION),
    BlockEnd::Branch {
        kind: BranchKind::CONDITIONAL,
        taken: false,
    },
    taken(BranchKind::CONDITIONAL),
    // Ports with three bits have no other jump.
    taken(BranchKind::INDIRECT),
    taken(BranchKind::INDIRECT),
    taken(BranchKind::INDIRECT.and(BranchKind::LINK)),
    taken(BranchKind::LINK),
    taken(BranchKind::INDIRECT),
    taken(BranchKind(0)),
    // A swap of coroutines returns and calls.
    taken(
        BranchKind::INDIRECT
            .and(BranchKind::RETURN)
            .and(BranchKind::LINK),
    ),
    taken(BranchKind::INDIRECT.and(BranchKind::RETURN)),
    taken(BranchKind::INDIRECT),
    taken(BranchKind(0)),
];

const fn taken(kind: BranchKind) -> BlockEnd {
    BlockEnd::Branch { kind, taken: true }
}
