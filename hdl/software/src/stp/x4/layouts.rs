// SPDX-License-Identifier: MIT OR Apache-2.0
//! The results of a byte.

use coretrace_hdl_dataflow::layout;
use coretrace_stm::Opcode;
use coretrace_stm::opcode::{Found, find};

layout! {
    /// The results of a byte: of its two nibbles, the first one in `first_…`, as in
    /// [`LaneResult`](super::super::layouts::LaneResult).
    pub struct ByteResult {
        /// The byte counts.
        keep: 1,
        /// The first nibble.
        first_nibble: 4,
        /// How a record ends with it.
        first_outcome: 3,
        /// An error came before it.
        first_is_suspect: 1,
        /// The second nibble.
        second_nibble: 4,
        /// How a record ends with it.
        second_outcome: 3,
        /// An error came before it.
        second_is_suspect: 1,
    }
}

/// Bits of an opcode by its last nibble: that nibble, and above it a 1 for each one before it.
pub const CODE_W: usize = 6;
/// Bits of [`ByteResult`].
pub const BYTE_RESULT_W: usize = ByteResult::WIDTH;

/// The opcode of [`CODE_W`] bits, if it is one.
pub fn opcode_of(code: usize) -> Option<Opcode> {
    let (before, nibbles) = match code / 16 % 4 {
        0b00 => (0, 1),
        0b01 => (0xF, 2),
        0b11 => (0xF0, 3),
        _ => return None,
    };
    let last = code as u16 % 16;
    match find(before << 4 | last, nibbles) {
        Found::Opcode(opcode) => Some(opcode),
        _ => None,
    }
}
