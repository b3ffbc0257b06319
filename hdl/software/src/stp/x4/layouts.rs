// SPDX-License-Identifier: MIT OR Apache-2.0
//! The results of a byte.

use super::super::layouts::{LaneResult, ROW_W};
use coretrace_hdl_dataflow::layout;

layout! {
    /// The results of a byte: of its two nibbles, the first one in `first_…`, as in [`LaneResult`].
    pub struct ByteResult {
        /// The byte counts.
        keep: 1,
        /// The first nibble.
        first_nibble: 4,
        /// How a record ends with it.
        first_outcome: 3,
        /// Its opcode.
        first_row: ROW_W,
        /// An error came before it.
        first_is_suspect: 1,
        /// The second nibble.
        second_nibble: 4,
        /// How a record ends with it.
        second_outcome: 3,
        /// Its opcode.
        second_row: ROW_W,
        /// An error came before it.
        second_is_suspect: 1,
    }
}

/// Bits of [`ByteResult`].
pub const BYTE_RESULT_W: usize = ByteResult::WIDTH;

impl ByteResult<u64> {
    /// The results of both nibbles.
    pub fn lanes(&self) -> [LaneResult<u64>; 2] {
        [
            LaneResult {
                nibble: self.first_nibble,
                outcome: self.first_outcome,
                row: self.first_row,
                is_suspect: self.first_is_suspect,
            },
            LaneResult {
                nibble: self.second_nibble,
                outcome: self.second_outcome,
                row: self.second_row,
                is_suspect: self.second_is_suspect,
            },
        ]
    }
}
