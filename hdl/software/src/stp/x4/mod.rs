// SPDX-License-Identifier: MIT OR Apache-2.0
//! The STM decoder for four bytes in each cycle.
//!
//! Five loops go from word to word, each of them alone in a stage: where packets end, how many nibbles F came
//! last, whether reading is synchronised, the fields of a packet, and the trace state. Everything else is
//! feed-forward.
//!
//! ```text
//! rows of each byte ─▶ ↻ place before each byte ─▶ roles ─▶ ↻ opcode ─▶ events ─▶ ↻ outcomes ─┐
//!         └──────────▶ ↻ nibbles F ──────────────────────────▶┘  └────▶ fields ─▶ ↻ packet ──┴▶ ↻ trace state
//! ```

mod decoder;
mod gather;
mod hits;
pub mod layouts;
mod outcomes;
mod place;
mod roles;
mod stream;
mod trace_state;

pub use decoder::StpX4;

/// Cycles from a word to its results.
pub const LATENCY: usize = 13;
/// Bytes of a word.
pub const BYTES: usize = 4;
