// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which instructions a trace unit reports: branches, barriers and waits, with the target of those
//! that have one.
//!
//! A trace has one atom for each of them, taken or not, and nothing for the instructions between
//! them. To follow a program is to find them in its image, and that is all that is decoded
//! here: [`decode`] looks for the first [`Encoding`] whose mask and value fit.
//!
//! ```
//! use coretrace_isa::{Class, Isa, decode};
//!
//! // b.ne #-8
//! let instruction = decode(Isa::A64, 0x54FF_FFC1, 0x1000);
//! assert_eq!(instruction.class, Class::Direct);
//! assert!(instruction.is_conditional);
//! assert_eq!(instruction.target, Some((Isa::A64, 0xFF8)));
//! ```
//!
//! Source: Arm Architecture Reference Manuals, ARM DDI 0487 (A64, A32, T32) and DDI 0553 (the loops
//! of Armv8.1-M); which of them are P0 elements: ETMv4 specification, IHI 0064.

#![no_std]
#![forbid(unsafe_code)]

mod a32;
mod a64;
mod encoding;
mod offset;
mod t32;

pub use encoding::{Class, Encoding, Return};
pub use offset::Offset;

/// An instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Isa {
    /// AArch64.
    A64,
    /// AArch32, instructions of four bytes.
    A32,
    /// AArch32, instructions of two or four bytes.
    T32,
}

impl Isa {
    /// The encodings of the set, those that come first before others.
    pub const fn encodings(self) -> &'static [Encoding] {
        match self {
            Isa::A64 => a64::ENCODINGS,
            Isa::A32 => a32::ENCODINGS,
            Isa::T32 => t32::ENCODINGS,
        }
    }

    /// Bytes of an instruction. `word` is as for [`decode`].
    pub const fn size(self, word: u32) -> u8 {
        match self {
            Isa::A64 | Isa::A32 => 4,
            Isa::T32 if word >> 27 >= 0b11101 => 4,
            Isa::T32 => 2,
        }
    }

    /// Whether an instruction may stand between functions, to align the next one: no operation, or 0.
    /// `word` is as for [`decode`].
    pub const fn is_filling(self, word: u32) -> bool {
        match self {
            Isa::A64 => matches!(word, 0 | 0xD503_201F),
            Isa::A32 => matches!(word, 0 | 0xE320_F000 | 0xE1A0_0000),
            Isa::T32 => matches!(word >> 16, 0 | 0xBF00) || word == 0xF3AF_8000,
        }
    }

    /// Bytes to which every instruction is aligned.
    pub const fn alignment(self) -> u64 {
        match self {
            Isa::A64 | Isa::A32 => 4,
            Isa::T32 => 2,
        }
    }
}

/// What a trace says about an instruction, and what it leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// Bytes: 2 or 4.
    pub size: u8,
    /// How a trace reports it.
    pub class: Class,
    /// It has a condition of its own. One in an IT block has that of the block, which is not known
    /// here.
    pub is_conditional: bool,
    /// It stores the address behind it in the link register.
    pub is_link: bool,
    /// It is a return.
    pub returns: Return,
    /// Where a direct branch goes.
    pub target: Option<(Isa, u64)>,
}

/// Decodes the instruction at `address`. In T32 the upper half of `word` is the first halfword, and
/// the lower half the second one, whatever it is behind an instruction of two bytes.
pub fn decode(isa: Isa, word: u32, address: u64) -> Instruction {
    let encoding = isa
        .encodings()
        .iter()
        .find(|encoding| encoding.matches(word));
    let encoding = encoding.unwrap_or(&Encoding::OTHER);
    Instruction {
        size: isa.size(word),
        class: encoding.class,
        is_conditional: match isa {
            Isa::A32 => encoding.class != Class::Other && word >> 28 < 0b1110,
            Isa::A64 | Isa::T32 => encoding.is_conditional,
        },
        is_link: encoding.is_link,
        returns: encoding.returns,
        target: encoding.offset.target(isa, word, address),
    }
}

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
