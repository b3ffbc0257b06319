// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random ETMv4 and ETE streams from a seed: legal streams made from the header table, framed
//! streams, damaged streams, streams of STM and ITM, recordings of Linux perf, and the streams of a
//! modelled trace unit that watches a program. The same seed gives the same bytes. [`GoldenStream`]
//! reads streams of real programs.
#![forbid(unsafe_code)]

pub mod btr;
mod damage;
mod framing;
mod golden_streams;
mod masks;
mod overlong_encodings;
mod packets;
pub mod perf_data;
mod registers;
mod software;
mod stream;
pub mod trace_unit;
mod worst_case;

pub use damage::{Damage, damage, stream_bytes};
pub use framing::{Framing, frame_streams};
pub use golden_streams::GoldenStream;
pub use masks::{MAX_LANES_OF_EVERY_MASK, keep_masks};
pub use packets::random_packet;
pub use perf_data::{
    PerfFile, PerfShape, WrittenBuffer, WrittenMapping, WrittenProcesses, WrittenSource, perf_file,
};
pub use registers::RegisterSet;
pub use software::{itm_stream, stm_stream};
pub use stream::{ASYNC, Stream, StreamOptions, legal_stream};
pub use worst_case::WorstCase;

use rand::SeedableRng;

/// The generator behind every seed.
pub type Rng = rand_chacha::ChaCha8Rng;

/// How many rounds a random test goes: so many in the gate, and so many where `ETM4_NIGHT` is set, as
/// the nightly tier sets it.
pub fn rounds<T>(gate: T, night: T) -> T {
    if std::env::var_os("ETM4_NIGHT").is_some() {
        night
    } else {
        gate
    }
}

/// The random numbers of a seed.
pub fn rng(seed: u64) -> Rng {
    Rng::seed_from_u64(seed)
}

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
