// SPDX-License-Identifier: MIT OR Apache-2.0
//! The sizes of the stream cache encoders: a cache of instruction streams, and a predictor of the next one.
//!
//! A *stream* begins where a branch led and ends at a branch that was taken, if its target is not in the
//! instruction or it has a condition. It has a first address and a length in instructions.
//!
//! | length | meaning |
//! |---|---|
//! | 1 to 254 | the last instruction is the branch |
//! | 0 | 254 instructions without such a branch; the next stream goes on behind them |
//! | 255 | a discontinuity: behind the record come 8 bits with the instructions that were executed |
//!
//! | record | fields |
//! |---|---|
//! | the predicted stream | a 1; with runs, how many in a row |
//! | another one in the cache | a 0, its index |
//! | any other | a 0, index 0, the length, and the address if the image does not say it |
//!
//! Addresses of A64 have 48 bits, so that of a kernel may be taken for one of a program: use it for one of them.
//!
//! Index 0 is never used. What follows each stream is stored by the index of the stream before.
//!
//! Source: the stream cache and the last stream predictor.

/// How an encoder sends addresses and predicted streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// Whole addresses, one record for each predicted stream.
    Base,
    /// The upper bits of an address only if they are not those of the address that was sent before; runs.
    Extended,
    /// The same, against the stream before; the cache has the lower bits alone.
    Reduced,
}

/// All schemes by name.
pub const SCHEMES: [(&str, Scheme); 3] = [
    ("BASE", Scheme::Base),
    ("eBASE", Scheme::Extended),
    ("rBASE", Scheme::Reduced),
];

impl Scheme {
    /// Upper bits of a 32-bit address that are sent by themselves.
    pub const fn upper_bits(self) -> u32 {
        match self {
            Scheme::Base => 0,
            Scheme::Extended => 14,
            Scheme::Reduced => 12,
        }
    }

    /// Whether predicted streams in a row have one record.
    pub const fn has_runs(self) -> bool {
        !matches!(self, Scheme::Base)
    }
}

/// Sets of the cache.
pub const SETS: usize = 32;
/// Ways of a set.
pub const WAYS: usize = 4;

/// Bits of an index: the set above the way.
pub const INDEX_BITS: u32 = 7;

/// Bits of a length.
pub const LENGTH_BITS: u32 = 8;

/// The most instructions of a stream.
pub const MOST_INSTRUCTIONS: u32 = 254;

/// Bits that a stream without a branch at its end takes, at most.
pub const CUT_BITS: u64 = 80;

/// The length of a stream that a discontinuity ends.
pub const DISCONTINUITY: u32 = 255;

/// Bits of an address: A32 and T32, A64.
pub const ADDRESS_BITS: [u32; 2] = [32, 48];

/// Bits of the length of a run: at first, at least, at most.
pub const RUN_BITS: (u32, u32, u32) = (4, 1, 16);

/// Where the number that moves the bits of a run starts, and starts again.
pub const MONITOR_START: u32 = 7;
/// What a run that its bits cannot say adds to it.
pub const MONITOR_LONG: u32 = 3;
/// What a run takes from it that one bit less can say.
pub const MONITOR_SHORT: u32 = 1;
/// At this number the bits go up, at 0 they go down.
pub const MONITOR_MOST: u32 = 15;
