// SPDX-License-Identifier: MIT OR Apache-2.0
//! The decoder of an ITM with its DWT: bytes to packets, and the trace state.

mod decoder;
pub mod layouts;
mod packet;
mod stream;
mod table;
mod trace_state;
pub mod x4;

pub use decoder::ItmDecoder;
