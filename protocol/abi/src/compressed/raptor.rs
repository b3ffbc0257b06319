// SPDX-License-Identifier: MIT OR Apache-2.0
//! The sizes of the T-raptor encoders: a branch predictor on both sides, and a record where it is wrong.
//!
//! The pattern history has 2-bit counters, which start at 1 and say *taken* from 2 on. The table of
//! targets of indirect branches has two ways in each set.
//!
//! | record | fields |
//! |---|---|
//! | a direct branch, other than predicted | the count in chunks |
//! | an indirect branch that was not taken | the count in chunks, a 0 |
//! | one that was, to another place than predicted | the count in chunks, a 1, the target |
//! | an exception or a discontinuity | the first chunk of a count with zeros, a 0, instructions since the record before in chunks of 2 bits, the target |
//!
//! The count is that of conditional and indirect branches since the record before, the last one included.
//! A target is the distance from the target before in chunks, and its sign. A value in chunks has a bit
//! behind each chunk: 1 if another chunk follows. The last size is that of all further chunks. Fields go
//! least significant bit first.
//!
//! Source: V. Uzelac and A. Milenkovic, the tracing branch predictor.

/// The sizes of an encoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RaptorPreset {
    /// Its name.
    pub name: &'static str,
    /// Counters of the pattern history, a power of two.
    pub counters: usize,
    /// Entries of the return address stack; 0 is none.
    pub returns: usize,
    /// Entries of the table of targets; 0 is none.
    pub targets: usize,
    /// Chunks of a number of branches.
    pub count_chunks: &'static [u32],
    /// Chunks of the distance of a target.
    pub target_chunks: &'static [u32],
}

/// Chunks of a number of instructions.
pub const INSTRUCTION_CHUNKS: &[u32] = &[2];

/// Bits of the history of indirect branches.
pub const PATH_BITS: u32 = 13;

/// Ways of a set of the table of targets.
pub const WAYS: usize = 2;

const SMALL: &[u32] = &[1, 7, 10, 14];
const MEDIUM: &[u32] = &[1, 11, 6, 14];

/// All encoders: small, medium and big, each with a table more than the one before.
pub const PRESETS: [RaptorPreset; 15] = [
    preset("S0", 256, (0, 0), &[2, 1], &[8, 6, 6, 12]),
    preset("S1", 256, (8, 0), &[3, 1], SMALL),
    preset("S2", 256, (8, 16), &[2], SMALL),
    preset("S3", 256, (8, 32), &[2], SMALL),
    preset("S4", 256, (8, 64), &[3, 2], SMALL),
    preset("M0", 512, (0, 0), &[2, 1], &[8, 6, 6, 12]),
    preset("M1", 512, (8, 0), &[3, 1], MEDIUM),
    preset("M2", 512, (8, 16), &[3, 1], MEDIUM),
    preset("M3", 512, (8, 32), &[3, 2], MEDIUM),
    preset("M4", 512, (8, 64), &[3, 2], MEDIUM),
    preset("B0", 1024, (0, 0), &[2, 1], &[8, 6, 6, 12]),
    preset("B1", 1024, (8, 0), &[3, 2], MEDIUM),
    preset("B2", 1024, (8, 16), &[3, 2], MEDIUM),
    preset("B3", 1024, (8, 32), &[3, 2], MEDIUM),
    preset("B4", 1024, (8, 64), &[3, 2], MEDIUM),
];

const fn preset(
    name: &'static str,
    counters: usize,
    (returns, targets): (usize, usize),
    count_chunks: &'static [u32],
    target_chunks: &'static [u32],
) -> RaptorPreset {
    RaptorPreset {
        name,
        counters,
        returns,
        targets,
        count_chunks,
        target_chunks,
    }
}

impl RaptorPreset {
    /// The preset of this name.
    pub fn named(name: &str) -> Option<&'static RaptorPreset> {
        PRESETS.iter().find(|preset| preset.name == name)
    }
}
