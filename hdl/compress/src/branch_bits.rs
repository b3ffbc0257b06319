// SPDX-License-Identifier: MIT OR Apache-2.0
//! Widths of the fields of an event, and what encoders and blocks know of its kind.

use coretrace_abi::compressed::branch::BranchKind;
use coretrace_hdl_dataflow::Word;

/// Bits of an address without the two that are 0 in A64 and A32.
pub const ADDRESS_W: usize = 62;
/// Bits of a [`BranchKind`].
pub const KIND_W: usize = 5;
/// Bits of a number of instructions.
pub const INSTRUCTIONS_W: usize = 32;

/// Whether a kind has a property.
pub(crate) fn has<T: Word>(kind: T, property: BranchKind) -> T {
    kind.bit(property.0.ilog2())
}
