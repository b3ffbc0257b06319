// SPDX-License-Identifier: MIT OR Apache-2.0
//! The operations that a kernel may use.

/// A table of 256 constants, printed as one `case`.
pub struct Table {
    /// Bits of an entry, at most 64.
    pub width: u32,
    /// The entries.
    pub entries: [u64; 256],
}

/// A value of a fixed width, 1 to 64 bits. Operands of one operation have the same width.
pub trait Word: Copy {
    /// A port: a bundle of fields.
    type Port;

    /// `width` bits of a port from bit `low` on.
    fn field(port: &Self::Port, low: u32, width: u32) -> Self;
    /// A constant.
    fn constant(value: u64, width: u32) -> Self;
    /// Bits of this value.
    fn width(self) -> u32;
    /// Bitwise and.
    fn and(self, other: Self) -> Self;
    /// Bitwise or.
    fn or(self, other: Self) -> Self;
    /// Bitwise complement.
    fn not(self) -> Self;
    /// Sum, modulo 2^width.
    fn add(self, other: Self) -> Self;
    /// Equality, 1 bit.
    fn eq(self, other: Self) -> Self;
    /// Unsigned comparison, 1 bit.
    fn lt(self, other: Self) -> Self;
    /// `width` bits from bit `low` on.
    fn slice(self, low: u32, width: u32) -> Self;
    /// This value above `low`.
    fn above(self, low: Self) -> Self;
    /// `yes` where this bit is 1, else `no`.
    fn mux(self, yes: Self, no: Self) -> Self;
    /// The entry of a table that this byte selects.
    fn look_up(self, table: &'static Table) -> Self;

    /// Whether the value is a constant's.
    fn is(self, value: u64) -> Self {
        self.eq(Self::constant(value, self.width()))
    }

    /// Whether any bit is 1.
    fn any(self) -> Self {
        self.is(0).not()
    }

    /// One bit of the value.
    fn bit(self, index: u32) -> Self {
        self.slice(index, 1)
    }

    /// This value where a bit is 1, else 0.
    fn gated(self, gate: Self) -> Self {
        gate.mux(self, Self::constant(0, self.width()))
    }

    /// The value with zeros above, `width` bits in all.
    fn extend(self, width: u32) -> Self {
        if width == self.width() {
            self
        } else {
            Self::constant(0, width - self.width()).above(self)
        }
    }

    /// The value and a constant.
    fn and_const(self, value: u64) -> Self {
        self.and(Self::constant(value, self.width()))
    }

    /// The value plus a constant.
    fn add_const(self, value: u64) -> Self {
        self.add(Self::constant(value, self.width()))
    }
}

/// Or of some 1-bit values.
pub fn any<T: Word>(bits: &[T]) -> T {
    bits.iter()
        .copied()
        .reduce(T::or)
        .unwrap_or(T::constant(0, 1))
}

/// And of some 1-bit values.
pub fn all<T: Word>(bits: &[T]) -> T {
    bits.iter()
        .copied()
        .reduce(T::and)
        .unwrap_or(T::constant(1, 1))
}

/// The value of the first condition that holds, else `other`.
pub fn pick<T: Word>(cases: &[(T, T)], other: T) -> T {
    cases
        .iter()
        .rev()
        .fold(other, |rest, &(when, value)| when.mux(value, rest))
}

/// The lowest bit that is set, alone.
pub fn lowest_set<T: Word>(set: T) -> T {
    set.and(set.not().add_const(1))
}
