// SPDX-License-Identifier: MIT OR Apache-2.0
//! The STM decoder: nibbles to packets of STPv2, and the trace state.
//!
//! Only the stream state, the parts of a packet and the trace state look back; each is a loop of its own in
//! one stage of the pipeline.

mod decoder;
pub mod layouts;
mod packet;
mod stream;
mod table;
mod trace_state;
pub mod x4;

pub use decoder::StpDecoder;
pub use table::row_of;

/// Nibbles of a byte.
pub const NIBBLES: usize = 2;
