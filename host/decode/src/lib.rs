// SPDX-License-Identifier: MIT OR Apache-2.0
//! Software reference decoder: the specification of the hardware, as fast sans-IO code.
//!
//! Trace port bytes go through [`tpiu`] to bytes per trace ID, and these through [`Decoder`] to
//! [`coretrace_etm::Record`]s; [`TracePort`] does both, and [`PortSources`] has anything behind each trace ID. [`ocla`] reads what a chip without a port captures.
#![forbid(unsafe_code)]

pub mod decoder;
#[cfg(test)]
mod decoder_test;
mod headers;
pub mod ocla;
mod payload;
mod port_sources;
mod sink;
pub mod tpiu;
mod trace_port;

pub use decoder::{Decoder, DecoderState, Policy};
pub use port_sources::{PortSources, SourceEvent};
pub use sink::PacketSink;
pub use trace_port::TracePort;
