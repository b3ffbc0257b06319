// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values of fields.

use coretrace_etm::Atoms;

/// The value of a field. Each output format has its own way to write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// A count or a number.
    Number(u32),
    /// A bit pattern.
    Bits(u32),
    /// A 64-bit address, timestamp or payload.
    Wide(u64),
    /// A name.
    Word(&'static str),
    /// A flag.
    Flag(bool),
    /// Atoms, oldest first.
    Atoms(Atoms),
    /// The number of an interrupt: `IRQ3`.
    Interrupt(u16),
}
