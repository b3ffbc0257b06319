// SPDX-License-Identifier: MIT OR Apache-2.0
//! Wide signals: [`Bus`] is a rust-hdl signal type that simulates in machine words, not bit by
//! bit.

use rust_hdl::core::ast::VerilogLiteral;
use rust_hdl::core::synth::VCDValue;
use rust_hdl::core::type_descriptor::{TypeDescriptor, TypeKind};
use rust_hdl::prelude::*;

/// Machine words of a [`Wide`].
const WORDS: usize = 11;

/// The value of any signal of up to 704 bits, bit 0 in the lowest bit of the first word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wide([u64; WORDS]);

impl Default for Wide {
    fn default() -> Wide {
        Wide([0; WORDS])
    }
}

pub(super) const fn mask(width: u32) -> u64 {
    if width >= 64 {
        u64::MAX
    } else {
        (1 << width) - 1
    }
}

impl Wide {
    /// `width` bits (at most 64) from bit `low` on.
    pub fn field(&self, low: u32, width: u32) -> u64 {
        debug_assert!(width <= 64 && low + width <= 64 * WORDS as u32);
        let (word, bit) = ((low / 64) as usize, low % 64);
        let mut value = self.0[word] >> bit;
        if bit + width > 64 {
            value |= self.0[word + 1] << (64 - bit);
        }
        value & mask(width)
    }

    /// Writes `width` bits (at most 64) at bit `low`, which must be 0 before.
    pub fn or_field(&mut self, low: u32, width: u32, value: u64) {
        debug_assert!(value & !mask(width) == 0);
        let (word, bit) = ((low / 64) as usize, low % 64);
        self.0[word] |= value << bit;
        if bit + width > 64 {
            self.0[word + 1] |= value >> (64 - bit);
        }
    }
}

/// A signal of `W` bits (at most 704).
#[derive(Clone, Copy, Debug, Default)]
pub struct Bus<const W: usize>(pub Wide);

/// A simulation compares every signal in every sweep: only the words that `W` bits take, without a call.
impl<const W: usize> PartialEq for Bus<W> {
    #[inline(always)]
    fn eq(&self, other: &Bus<W>) -> bool {
        let mut word = 0;
        while word < W.div_ceil(64) {
            if self.0.0[word] != other.0.0[word] {
                return false;
            }
            word += 1;
        }
        true
    }
}

impl<const W: usize> Synth for Bus<W> {
    const BITS: usize = W;

    fn descriptor() -> TypeDescriptor {
        TypeDescriptor {
            name: format!("Bits::<{W}>"),
            kind: TypeKind::Bits(W),
        }
    }

    fn vcd(self) -> VCDValue {
        VCDValue::String(format!("{:x}", self.verilog()))
    }

    fn verilog(self) -> VerilogLiteral {
        let mut bits = Bits::<W>::default();
        for index in 0..W {
            bits = bits.replace_bit(index, self.0.field(index as u32, 1) == 1);
        }
        bits.into()
    }
}

/// A signal type that a kernel can read and write.
pub trait Carrier: Synth {
    /// The value as machine words.
    fn to_wide(&self) -> Wide;
    /// The value from machine words.
    fn from_wide(wide: &Wide) -> Self;
}

impl<const W: usize> Carrier for Bus<W> {
    fn to_wide(&self) -> Wide {
        self.0
    }
    fn from_wide(wide: &Wide) -> Self {
        Bus(*wide)
    }
}

impl<const W: usize> Carrier for Bits<W> {
    fn to_wide(&self) -> Wide {
        let mut wide = Wide::default();
        wide.or_field(0, W as u32, self.to_u64());
        wide
    }
    fn from_wide(wide: &Wide) -> Self {
        wide.field(0, W as u32).into()
    }
}

impl Carrier for Bit {
    fn to_wide(&self) -> Wide {
        let mut wide = Wide::default();
        wide.or_field(0, 1, u64::from(*self));
        wide
    }
    fn from_wide(wide: &Wide) -> Self {
        wide.field(0, 1) == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_cross_word_borders() {
        let mut wide = Wide::default();
        wide.or_field(60, 10, 0x2A5);
        wide.or_field(130, 64, 0x0123_4567_89AB_CDEF);
        assert_eq!(wide.field(60, 10), 0x2A5);
        assert_eq!(wide.field(130, 64), 0x0123_4567_89AB_CDEF);
        assert_eq!(wide.field(59, 12), 0x2A5 << 1);
    }

    #[test]
    fn a_bus_prints_the_literal_that_the_bits_of_its_width_print() {
        let mut wide = Wide::default();
        wide.or_field(3, 8, 0xA5);
        let literal = Bus::<11>(wide).verilog();
        assert_eq!(format!("{literal:x}"), "11'h528");
    }
}
