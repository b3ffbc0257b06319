// SPDX-License-Identifier: MIT OR Apache-2.0
//! What ends in AXI4-Stream: results of a decoder as a stream of records, or as a profile.
//!
//! | module | what it holds |
//! |---|---|
//! | [`records`] | the record stream |
//! | [`profile`] | the profile stream |
//! | [`software`] | the software stream |
//! | `stream_gate` | what becomes of a stream that nobody reads |

pub mod profile;
pub mod records;
pub mod software;
mod stream_gate;

pub use stream_gate::{AsyncInWord, StreamGate};
