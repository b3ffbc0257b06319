// SPDX-License-Identifier: MIT OR Apache-2.0
//! Software reference decoder: what the hardware has to do, as fast sans-IO code.
//!
//! Trace port bytes go through [`tpiu`] to bytes per trace ID, and these through [`Decoder`] to
//! [`coretrace_etm::Record`]s; [`listing`] turns these into text.
#![forbid(unsafe_code)]

pub mod decoder;
pub mod tpiu;

pub use decoder::{Decoder, Policy};
