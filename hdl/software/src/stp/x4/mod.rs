// SPDX-License-Identifier: MIT OR Apache-2.0
//! The STM decoder for four bytes in each cycle.
//!
//! The bytes that count are made the first ones of their word, so that the nibbles of a packet lie side by side.
//! Loops go from word to word, each of them alone in a stage: where packets end, how many nibbles F came last
//! and whether the last one is 0, whether reading is synchronised, the last 16 nibbles, what is known of the packet
//! that goes on, and the trace state. Everything else is feed-forward.
//!
//! ```text
//! bytes that count ─▶ ↻ places ─▶ roles ─▶ spans ─▶ ↻ nibbles ─▶ first packet ─▶ ↻ trace state
//!         └─────────▶ ↻ nibbles F ─┴─────▶ ↻ outcomes ─▶ names and stamps of the others ─┘
//! ```

mod changed;
mod decoder;
mod first;
mod history;
mod hits;
pub mod layouts;
mod names;
mod opcode;
mod outcomes;
mod place;
mod renames;
mod roles;
mod spans;
mod stamps;
mod stream;
mod timestamp;
mod trace_state;

pub use decoder::StpX4;

/// Cycles from a word to its results.
pub const LATENCY: usize = 14;
/// Bytes of a word.
pub const BYTES: usize = 4;
