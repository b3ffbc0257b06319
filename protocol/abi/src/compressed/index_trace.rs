// SPDX-License-Identifier: MIT OR Apache-2.0
//! The sizes of the index trace encoders: a cache of instruction streams, and a history of the tuples of
//! their indices.
//!
//! A stream ends at every branch that was taken. Its length and the cache are those of
//! [`super::stream_cache`], but [`SHIFT`]. So a stream is cut at 254 instructions, not at 256: two lengths have
//! a meaning of their own, without which events would not come back as they were.
//!
//! | record | fields |
//! |---|---|
//! | SCIT: a stream in the cache | its index |
//! | any other | index 0, the stream |
//! | THT: 8 indices that are in the history | their place in it |
//! | any others | place 0, the indices; behind either the stream of each index 0 |
//!
//! A stream is its length and its whole address without the lowest 2 bits; a discontinuity adds the
//! instructions that were executed. The history is a ring of the newest tuples that it did not have; place 1
//! is written first. Zeros fill the last tuple: there is no stream behind it for them.
//!
//! Source: A. Milenkovic, data structures for unobtrusive real-time compression of address traces.

/// What is sent of the indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexRecords {
    /// Each by itself.
    Single,
    /// Tuples.
    Tuples,
}

/// All of them by name.
pub const RECORDS: [(&str, IndexRecords); 2] = [
    ("SCIT", IndexRecords::Single),
    ("THT", IndexRecords::Tuples),
];

/// Bits of an address below those that select the set.
pub const SHIFT: u32 = 6;

/// Indices of a tuple.
pub const TUPLE: usize = 8;

/// Bits of a place in the history.
pub const PLACE_BITS: u32 = 8;

/// Tuples of the history; place 0 is none.
pub const TUPLES: usize = (1 << PLACE_BITS) - 1;
