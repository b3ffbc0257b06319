// SPDX-License-Identifier: MIT OR Apache-2.0
//! From trace port words to the bytes of each trace source.
//!
//! ```text
//! samples of a narrow port -> NarrowPort<W> -> port words
//! pins of both edges -> EdgeSampler<4> -> PairAligner -> bytes -> NarrowPort<8>
//! port words -> FrameGenerator -> frames -> FrameDecoder -> rows -> Demux<S> -> S sources
//! rows of one source -> RowSerialiser -> bytes, one at a time
//! a half of the words of an OCLA -> OclaHalf -> up to four bytes of one source
//! ```
//!
//! None of the streams has a TREADY: a trace port cannot be paused, and every block takes what the
//! one before it can give at most, one word, one frame in four cycles, or one row in each cycle.

mod demux;
mod edge_sampler;
mod frame_decoder;
mod frame_generator;
mod front;
mod narrow_port;
mod ocla_half;
mod pair_aligner;
mod row_place;
mod row_serialiser;

#[cfg(test)]
mod chain_test;
#[cfg(test)]
mod stimulus;

pub use demux::Demux;
pub use edge_sampler::EdgeSampler;
pub use frame_decoder::FrameDecoder;
pub use frame_generator::FrameGenerator;
pub use front::{SOURCES, TpiuFront};
pub use narrow_port::NarrowPort;
pub use ocla_half::{OclaHalf, PLACE_W};
pub use pair_aligner::PairAligner;
pub use row_place::RowPlace;
pub use row_serialiser::RowSerialiser;
