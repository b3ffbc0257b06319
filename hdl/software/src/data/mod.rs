// SPDX-License-Identifier: MIT OR Apache-2.0
//! ETMv4 data trace: which bytes are headers, and of which packets.

mod decoder;
pub mod layouts;
mod stream;
mod table;

pub use decoder::DataHeaders;
