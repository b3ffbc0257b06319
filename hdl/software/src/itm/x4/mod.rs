// SPDX-License-Identifier: MIT OR Apache-2.0
//! The decoder of an ITM with its DWT for four bytes in each cycle.
//!
//! As in the STM decoder for words, each loop is alone in a stage: where packets end, how many zeros came last,
//! whether reading is synchronised, the packet, and the trace state.

mod decoder;
mod gather;
mod outcomes;
mod place;
mod stream;
mod trace_state;

pub use decoder::ItmX4;

/// Cycles from a word to its results.
pub const LATENCY: usize = 11;
/// Bytes of a word.
pub const BYTES: usize = 4;
