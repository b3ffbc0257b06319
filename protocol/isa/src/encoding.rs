// SPDX-License-Identifier: MIT OR Apache-2.0
//! A encoding of an instruction table.

use crate::offset::Offset;

/// How a trace reports an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Not at all, but for loads and stores where those are traced too.
    Other,
    /// A branch whose target is in the instruction.
    Direct,
    /// A branch whose target is not: a trace has it in an address packet.
    Indirect,
    /// An Instruction Synchronization Barrier.
    Barrier,
    /// A wait for an interrupt or event: reported if TRCIDR2.WFXMODE says so.
    Wait,
    /// The start of a transaction: reported by an ETE.
    TransactionStart,
}

/// Whether a branch returns, as far as its encoding says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Return {
    /// It does not.
    None,
    /// From a function: an A64 instruction for it.
    Function,
    /// From an exception: an A64 instruction for it.
    Exception,
    /// From a function: what compilers use for it in A32 and T32.
    Implied,
}

/// Instructions of one form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoding {
    /// The bits that are the same in all instructions of the form.
    pub mask: u32,
    /// Their values.
    pub value: u32,
    /// How a trace reports it.
    pub class: Class,
    /// It stores the address behind it in the link register.
    pub is_link: bool,
    /// It has a condition; in A32 that is decided by the upper four bits.
    pub is_conditional: bool,
    /// It is a return.
    pub returns: Return,
    /// Where the target of a direct branch is in it.
    pub offset: Offset,
}

impl Encoding {
    /// Every instruction that has no other encoding.
    pub const OTHER: Encoding = Encoding {
        mask: 0,
        value: 0,
        class: Class::Other,
        is_link: false,
        is_conditional: false,
        returns: Return::None,
        offset: Offset::None,
    };

    const fn of(mask: u32, value: u32, class: Class) -> Encoding {
        Encoding {
            mask,
            value,
            class,
            ..Encoding::OTHER
        }
    }

    /// What looks like a encoding behind it and is not reported.
    pub(crate) const fn other(mask: u32, value: u32) -> Encoding {
        Encoding::of(mask, value, Class::Other)
    }

    pub(crate) const fn direct(mask: u32, value: u32, offset: Offset) -> Encoding {
        Encoding {
            offset,
            ..Encoding::of(mask, value, Class::Direct)
        }
    }

    pub(crate) const fn indirect(mask: u32, value: u32) -> Encoding {
        Encoding::of(mask, value, Class::Indirect)
    }

    pub(crate) const fn barrier(mask: u32, value: u32) -> Encoding {
        Encoding::of(mask, value, Class::Barrier)
    }

    pub(crate) const fn wait(mask: u32, value: u32) -> Encoding {
        Encoding::of(mask, value, Class::Wait)
    }

    pub(crate) const fn transaction_start(mask: u32, value: u32) -> Encoding {
        Encoding::of(mask, value, Class::TransactionStart)
    }

    pub(crate) const fn conditional(self) -> Encoding {
        Encoding {
            is_conditional: true,
            ..self
        }
    }

    pub(crate) const fn link(self) -> Encoding {
        Encoding {
            is_link: true,
            ..self
        }
    }

    pub(crate) const fn returns(self, returns: Return) -> Encoding {
        Encoding { returns, ..self }
    }

    /// Whether an instruction has this form.
    pub const fn matches(&self, word: u32) -> bool {
        word & self.mask == self.value
    }
}
