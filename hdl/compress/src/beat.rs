// SPDX-License-Identifier: MIT OR Apache-2.0
//! Beats: pieces of what an encoder writes.

use coretrace_hdl_dataflow::layout;

/// Bits of a beat, and of a word of a block.
pub const BEAT_BITS: usize = 64;
/// Bits of a number of bits from 0 to [`BEAT_BITS`].
pub const BEAT_COUNT_W: usize = 7;
/// Bits of a [`Beat`].
pub const BEAT_W: usize = Beat::WIDTH;

layout! {
    /// Up to 64 bits; those from the count on are 0.
    pub struct Beat {
        bits: BEAT_BITS,
        count: BEAT_COUNT_W,
    }
}
