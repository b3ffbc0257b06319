// SPDX-License-Identifier: MIT OR Apache-2.0
//! From trace port words to the bytes of each trace source.
//!
//! ```text
//! samples of a narrow port -> NarrowPort<W> -> port words
//! port words -> FrameGenerator -> frames -> FrameDecoder -> rows -> Demux<S> -> S sources
//! ```
//!
//! None of the streams has a TREADY: a trace port cannot be paused, and every block takes what the
//! one before it can give at most, one word, one frame in four cycles, or one row in each cycle.

mod demux;
mod frame_decoder;
mod frame_generator;
mod narrow_port;
mod saturating_counter;

#[cfg(test)]
mod chain_test;
#[cfg(test)]
mod stimulus;

pub use demux::Demux;
pub use frame_decoder::FrameDecoder;
pub use frame_generator::FrameGenerator;
pub use narrow_port::NarrowPort;
pub use saturating_counter::SaturatingCounter;
