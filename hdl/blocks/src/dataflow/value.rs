// SPDX-License-Identifier: MIT OR Apache-2.0
//! Kernels that compute.

use super::bus::{Wide, mask};
use super::word::{Table, Word};

/// A number of known width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    bits: u64,
    width: u32,
}

impl Value {
    /// The number.
    pub fn bits(self) -> u64 {
        self.bits
    }

    fn same(self, other: Value, bits: u64) -> Value {
        debug_assert_eq!(self.width, other.width);
        Value {
            bits: bits & mask(self.width),
            width: self.width,
        }
    }

    fn flag(self, other: Value, flag: bool) -> Value {
        debug_assert_eq!(self.width, other.width);
        Value {
            bits: u64::from(flag),
            width: 1,
        }
    }
}

impl Word for Value {
    type Port = Wide;

    fn field(port: &Wide, low: u32, width: u32) -> Value {
        Value {
            bits: port.field(low, width),
            width,
        }
    }
    fn constant(value: u64, width: u32) -> Value {
        debug_assert!(
            value & !mask(width) == 0,
            "constant {value:#x} is wider than {width} bits"
        );
        Value { bits: value, width }
    }
    fn width(self) -> u32 {
        self.width
    }
    fn and(self, other: Value) -> Value {
        self.same(other, self.bits & other.bits)
    }
    fn or(self, other: Value) -> Value {
        self.same(other, self.bits | other.bits)
    }
    fn not(self) -> Value {
        self.same(self, !self.bits)
    }
    fn add(self, other: Value) -> Value {
        self.same(other, self.bits.wrapping_add(other.bits))
    }
    fn eq(self, other: Value) -> Value {
        self.flag(other, self.bits == other.bits)
    }
    fn lt(self, other: Value) -> Value {
        self.flag(other, self.bits < other.bits)
    }
    fn slice(self, low: u32, width: u32) -> Value {
        debug_assert!(low + width <= self.width);
        Value {
            bits: self.bits >> low & mask(width),
            width,
        }
    }
    fn above(self, low: Value) -> Value {
        debug_assert!(self.width + low.width <= 64);
        Value {
            bits: self.bits << low.width | low.bits,
            width: self.width + low.width,
        }
    }
    fn mux(self, yes: Value, no: Value) -> Value {
        debug_assert!(self.width == 1 && yes.width == no.width);
        if self.bits == 1 { yes } else { no }
    }
    fn look_up(self, table: &'static Table) -> Value {
        debug_assert_eq!(self.width, 8);
        Value {
            bits: table.entries[(self.bits & 0xFF) as usize],
            width: table.width,
        }
    }
}
