// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the stages of the jump-ahead decoder hand on to each other, field by field.

use super::state::{STATE_W, STATES};
use coretrace_hdl_dataflow::layout;

layout! {
    /// What is known of a word as a whole.
    pub struct WordFlags {
        /// No word: the decoder was reset here.
        restart: 1,
        /// A word.
        valid: 1,
        /// The word is complete; otherwise it is shown early, and comes again. Never without a word.
        update: 1,
        /// It restarts: bytes were lost before it, or a reset came.
        lost: 1,
        /// Bytes were lost before it, and no word before has said so.
        report_loss: 1,
    }
}

layout! {
    /// What is known of a lane besides its byte.
    pub struct LaneFlags {
        /// It has a byte.
        live: 1,
        /// No word before has shown this byte.
        fresh: 1,
    }
}

layout! {
    /// What a byte can be, found before its stream state is known.
    pub struct Predecode {
        /// State after the byte if it is a header.
        start: STATE_W,
        /// It is no header in this configuration.
        error: 1,
        /// It ends an A-Sync.
        hit: 1,
        /// It goes on if it is a timestamp's: bit 7, but for the ninth byte.
        more_time: 1,
        /// Bytes after it if it is a context information byte: bit 2 stands for a context ID, the
        /// bits below for the bytes of a VMID, 3 for four of them.
        info_bytes: 3,
        /// It ends well what header 0x00 began.
        extends: 1,
        /// It is 0x00.
        is_zero: 1,
        /// It goes on if it is the first byte of an exception.
        more_exception: 1,
    }
}

/// Bits of the flags of a word.
pub const WORD_FLAGS_W: usize = WordFlags::WIDTH;
/// Bits of the flags of a lane.
pub const LANE_FLAGS_W: usize = LaneFlags::WIDTH;
/// Bits of the predecode of a lane.
pub const PREDECODE_W: usize = Predecode::WIDTH;
/// Bits of a jump table.
pub const ROWS_W: usize = STATE_W * STATES;
