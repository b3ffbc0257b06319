// SPDX-License-Identifier: MIT OR Apache-2.0
//! Branch events: what an encoder takes from a retirement port or from a flow walker.
//!
//! Execution is sequential between events. Direct branches without a condition are events too, because
//! some of them write the link register; no encoder says where they led.

/// What a branch is; several of the constants at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct BranchKind(pub u8);

impl BranchKind {
    /// It has a condition.
    pub const CONDITIONAL: BranchKind = BranchKind(1);
    /// Its target is in a register or in memory.
    pub const INDIRECT: BranchKind = BranchKind(2);
    /// It writes the link register.
    pub const LINK: BranchKind = BranchKind(4);
    /// It is a return.
    pub const RETURN: BranchKind = BranchKind(8);
    /// It is an SVC, HVC, SMC or ERET: where it leads is not in the instruction.
    pub const EXCEPTION: BranchKind = BranchKind(16);

    /// Whether it has any of these properties.
    pub const fn is(self, other: BranchKind) -> bool {
        self.0 & other.0 != 0
    }

    /// These properties as well.
    #[must_use]
    pub const fn and(self, other: BranchKind) -> BranchKind {
        BranchKind(self.0 | other.0)
    }
}

/// A branch that retired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Branch {
    /// Its address.
    pub address: u64,
    /// What it is.
    pub kind: BranchKind,
    /// Whether it was taken.
    pub taken: bool,
    /// The address of the next instruction.
    pub next: u64,
    /// Instructions since the event before, this one included.
    pub instructions: u32,
}

/// What an encoder takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A branch that retired.
    Branch(Branch),
    /// An interrupt, an asynchronous exception or a gap of the trace: execution goes on elsewhere.
    Discontinuity {
        /// Instructions since the event before.
        instructions: u32,
        /// The address of the next instruction.
        next: u64,
    },
}

impl Event {
    /// Instructions since the event before.
    pub const fn instructions(&self) -> u32 {
        match self {
            Event::Branch(branch) => branch.instructions,
            Event::Discontinuity { instructions, .. } => *instructions,
        }
    }

    /// The address of the next instruction.
    pub const fn next(&self) -> u64 {
        match self {
            Event::Branch(Branch { next, .. }) | Event::Discontinuity { next, .. } => *next,
        }
    }
}
