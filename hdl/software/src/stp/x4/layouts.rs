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

/// Bits of an opcode by its last nibble: that nibble, and above it how many are before it.
pub const CODE_W: usize = 6;
/// Bits of [`ByteResult`].
pub const BYTE_RESULT_W: usize = ByteResult::WIDTH;

/// The opcode of [`CODE_W`] bits, if it is one.
pub fn opcode_of(code: usize) -> Option<Opcode> {
    let before = [0, 0xF, 0xF0].get(code / 16 % 4)?;
    let last = code as u16 % 16;
    match find(before << 4 | last, code as u8 / 16 % 4 + 1) {
        Found::Opcode(opcode) => Some(opcode),
        _ => None,
    }
}
