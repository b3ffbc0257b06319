// SPDX-License-Identifier: MIT OR Apache-2.0
//! Registers behind an AXI4-Lite bus, for any core.
//!
//! ```text
//! AXI4-Lite -> AxiLite -> word index, data, strobes -> RegisterBank -> values, pulses
//!                      <- word, known               <-              <- status
//! ```
//!
//! `AxiLite` knows the bus and no register; `RegisterBank` knows the registers and no bus.
//! `master` drives a bus in simulation.

mod axi_lite;
pub mod master;
mod register_bank;

pub use axi_lite::AxiLite;
pub use register_bank::{RegisterBank, RegisterWord};
