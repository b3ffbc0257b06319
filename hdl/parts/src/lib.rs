// SPDX-License-Identifier: MIT OR Apache-2.0
//! General-purpose rust-hdl blocks, independent of trace.
//!
//! | module | what it holds |
//! |---|---|
//! | [`stream`] | FIFOs within a clock and between two, memories, counters, a serial line |
//! | [`axi`] | an AXI4-Lite slave and the registers behind it |

pub mod axi;
pub mod stream;

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
