// SPDX-License-Identifier: MIT OR Apache-2.0
//! Kernels that compute.

use std::cell::RefCell;

use super::bus::{Wide, mask};
use super::word::{STEADY, Table, Word};

/// The registers of a kernel in the order in which it makes them.
#[derive(Debug, Default)]
pub struct Registers {
    values: Vec<u64>,
    next: usize,
}

impl Registers {
    fn take(&mut self, count: usize) -> usize {
        let first = self.next;
        self.next += count;
        if self.values.len() < self.next {
            self.values.resize(self.next, 0);
        }
        first
    }

    /// One clock edge: `kernel` reads the old values and leaves the new ones.
    pub fn step<R>(&mut self, kernel: impl FnOnce() -> R) -> R {
        self.next = 0;
        REGISTERS.with_borrow_mut(|registers| std::mem::swap(registers, self));
        let result = kernel();
        REGISTERS.with_borrow_mut(|registers| std::mem::swap(registers, self));
        result
    }
}

thread_local!(static REGISTERS: RefCell<Registers> = RefCell::default());

/// A number of known width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    bits: u64,
    width: u32,
    stage: u32,
}

impl Value {
    /// The number.
    pub fn bits(self) -> u64 {
        self.bits
    }

    fn same(self, other: Value, bits: impl Fn(u64, u64) -> u64) -> Value {
        debug_assert_eq!(self.width, other.width);
        let (a, b) = self.align(other);
        Value {
            bits: bits(a.bits, b.bits) & mask(self.width),
            width: self.width,
            stage: a.stage,
        }
    }

    fn flag(self, other: Value, flag: impl Fn(u64, u64) -> bool) -> Value {
        debug_assert_eq!(self.width, other.width);
        let (a, b) = self.align(other);
        Value {
            bits: u64::from(flag(a.bits, b.bits)),
            width: 1,
            stage: a.stage,
        }
    }

    /// Both operands at the same stage.
    #[inline(always)]
    fn align(self, other: Value) -> (Value, Value) {
        let at = |value: Value, stage: u32| Value { stage, ..value };
        match (self.stage, other.stage) {
            (one, two) if one == two => (self, other),
            (stage, STEADY) => (self, at(other, stage)),
            (STEADY, stage) => (at(self, stage), other),
            (one, two) if one < two => (self.at_stage(two), other),
            (one, _) => (self, other.at_stage(one)),
        }
    }
}

impl Word for Value {
    type Port = Wide;
    type RegisterHandle = (usize, u32);

    fn field(port: &Wide, low: u32, width: u32) -> Value {
        Value {
            bits: port.field(low, width),
            width,
            stage: 0,
        }
    }
    fn constant(value: u64, width: u32) -> Value {
        debug_assert!(
            value & !mask(width) == 0,
            "constant {value:#x} is wider than {width} bits"
        );
        Value {
            bits: value,
            width,
            stage: STEADY,
        }
    }
    fn width(self) -> u32 {
        self.width
    }
    fn and(self, other: Value) -> Value {
        self.same(other, |a, b| a & b)
    }
    fn or(self, other: Value) -> Value {
        self.same(other, |a, b| a | b)
    }
    fn xor(self, other: Value) -> Value {
        self.same(other, |a, b| a ^ b)
    }
    fn not(self) -> Value {
        Value {
            bits: !self.bits & mask(self.width),
            ..self
        }
    }
    fn add(self, other: Value) -> Value {
        self.same(other, u64::wrapping_add)
    }
    fn eq(self, other: Value) -> Value {
        self.flag(other, |a, b| a == b)
    }
    fn lt(self, other: Value) -> Value {
        self.flag(other, |a, b| a < b)
    }
    fn slice(self, low: u32, width: u32) -> Value {
        debug_assert!(low + width <= self.width);
        Value {
            bits: self.bits >> low & mask(width),
            width,
            stage: self.stage,
        }
    }
    fn concat(self, low: Value) -> Value {
        debug_assert!(self.width + low.width <= 64);
        let (high, low) = self.align(low);
        Value {
            bits: high.bits << low.width | low.bits,
            width: high.width + low.width,
            stage: high.stage,
        }
    }
    fn mux(self, yes: Value, no: Value) -> Value {
        debug_assert!(self.width == 1 && yes.width == no.width);
        let (yes, no) = yes.align(no);
        let (select, yes) = self.align(yes);
        let (select, no) = select.align(no);
        if select.bits == 1 { yes } else { no }
    }
    fn select(self, table: &'static Table) -> Value {
        debug_assert_eq!(self.width, 8);
        Value {
            bits: table.entries()[(self.bits & 0xFF) as usize],
            width: table.width(),
            stage: self.stage,
        }
    }
    fn stage(self) -> u32 {
        self.stage
    }
    fn delay(self, cycles: u32) -> Value {
        if self.stage == STEADY || cycles == 0 {
            return self;
        }
        REGISTERS.with_borrow_mut(|registers| {
            let count = cycles as usize;
            let first = registers.take(count);
            let line = &mut registers.values[first..first + count];
            let bits = line[count - 1];
            line.copy_within(..count - 1, 1);
            line[0] = self.bits;
            Value {
                bits,
                width: self.width,
                stage: self.stage + cycles,
            }
        })
    }
    fn next_word(self) -> Value {
        Value {
            stage: self.stage + 1,
            ..self
        }
    }
    fn steady(self) -> Value {
        Value {
            stage: STEADY,
            ..self
        }
    }
    fn register(width: u32, stage: u32) -> (Value, (usize, u32)) {
        REGISTERS.with_borrow_mut(|registers| {
            let index = registers.take(1);
            let bits = registers.values[index];
            (Value { bits, width, stage }, (index, stage))
        })
    }
    fn set_next((index, stage): (usize, u32), next: Value) {
        let bits = next.at_stage(stage).bits;
        REGISTERS.with_borrow_mut(|registers| registers.values[index] = bits);
    }
}
