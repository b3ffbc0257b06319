// SPDX-License-Identifier: MIT OR Apache-2.0
//! A capture through the model, the simulated hardware or its Verilog: the same records from all.
#![forbid(unsafe_code)]

#[cfg(feature = "hw")]
mod hardware;
mod model;
mod source_stream;

#[cfg(feature = "hw")]
pub use hardware::{Backend, decode_in_hardware, port_words};
pub use model::decode_in_model;
pub use source_stream::{SourceStream, source_streams};
