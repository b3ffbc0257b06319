// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the target of a direct branch is in its encoding.

use crate::Isa;

/// A form of the immediate value, by the name that the Arm ARM has for its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Offset {
    /// There is none.
    None,
    /// A64, signed words in bits 25:0.
    Imm26,
    /// A64, signed words in bits 23:5.
    Imm19,
    /// A64, signed words in bits 18:5.
    Imm14,
    /// A64, signed words in bits 13:5.
    Imm9,
    /// A32, signed words in bits 23:0.
    Imm24,
    /// A32 to T32: the same, with bit 24 as bit 1 of the target.
    Imm24H,
    /// T32, signed halfwords in bits 7:0 of the first halfword.
    Imm8,
    /// T32, signed halfwords in bits 10:0 of the first halfword.
    Imm11,
    /// T32, signed halfwords: S, J2, J1, imm6, imm11.
    Imm6Imm11,
    /// T32, signed halfwords: S, I1, I2, imm10, imm11.
    Imm10Imm11,
    /// T32 to A32: the same, counted from a word.
    Imm10HImm10L,
    /// T32, halfwords forwards: i, imm5.
    Imm5,
    /// T32, halfwords backwards to the start of a loop: immh, imml.
    LoopEnd,
    /// T32, halfwords forwards to the end of a loop: immh, imml.
    LoopStart,
}

/// A signed number of `bits` bits.
const fn signed(value: u32, bits: u32) -> i64 {
    let unused = u32::BITS - bits;
    ((value << unused) as i32 >> unused) as i64
}

/// Bits `low + width - 1` to `low`.
const fn field(word: u32, low: u32, width: u32) -> u32 {
    word >> low & ((1 << width) - 1)
}

/// S, I1, I2, imm10 and imm11 of a T32 branch, without bit 0.
const fn long(word: u32) -> i64 {
    let sign = field(word, 26, 1);
    let one = !(field(word, 13, 1) ^ sign) & 1;
    let two = !(field(word, 11, 1) ^ sign) & 1;
    let upper = sign << 12 | one << 11 | two << 10 | field(word, 16, 10);
    signed(upper << 11 | field(word, 0, 11), 24) * 2
}

/// imml and immh of a loop instruction.
const fn of_loop(word: u32) -> i64 {
    ((field(word, 1, 10) << 2) | (field(word, 11, 1) << 1)) as i64
}

impl Offset {
    /// The target of an instruction at `address`.
    pub(crate) fn target(self, isa: Isa, word: u32, address: u64) -> Option<(Isa, u64)> {
        let (offset, to) = match self {
            Offset::None => return None,
            Offset::Imm26 => (signed(word, 26) * 4, isa),
            Offset::Imm19 => (signed(field(word, 5, 19), 19) * 4, isa),
            Offset::Imm14 => (signed(field(word, 5, 14), 14) * 4, isa),
            Offset::Imm9 => (signed(field(word, 5, 9), 9) * 4, isa),
            Offset::Imm24 => (signed(word, 24) * 4, isa),
            Offset::Imm24H => (
                signed(word, 24) * 4 + i64::from(field(word, 24, 1)) * 2,
                Isa::T32,
            ),
            Offset::Imm8 => (signed(field(word, 16, 8), 8) * 2, isa),
            Offset::Imm11 => (signed(field(word, 16, 11), 11) * 2, isa),
            Offset::Imm6Imm11 => {
                let upper = field(word, 26, 1) << 2 | field(word, 11, 1) << 1 | field(word, 13, 1);
                let all = upper << 17 | field(word, 16, 6) << 11 | field(word, 0, 11);
                (signed(all, 20) * 2, isa)
            }
            Offset::Imm10Imm11 => (long(word), isa),
            Offset::Imm10HImm10L => (long(word), Isa::A32),
            Offset::Imm5 => {
                let halfwords = field(word, 25, 1) << 5 | field(word, 19, 5);
                (i64::from(halfwords) * 2, isa)
            }
            Offset::LoopEnd => (-of_loop(word), isa),
            Offset::LoopStart => (of_loop(word), isa),
        };
        let base = match (isa, self) {
            (Isa::A64, _) => address,
            (Isa::A32, _) => address.wrapping_add(8),
            (Isa::T32, Offset::Imm10HImm10L) => (address & !3).wrapping_add(4),
            (Isa::T32, _) => address.wrapping_add(4),
        };
        let target = base.wrapping_add_signed(offset);
        // Addresses of AArch32 have 32 bits.
        Some((
            to,
            if isa == Isa::A64 {
                target
            } else {
                target & u64::from(u32::MAX)
            },
        ))
    }
}
