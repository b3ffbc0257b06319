// SPDX-License-Identifier: MIT OR Apache-2.0
//! Registers behind an AXI4-Lite bus, for any core.
//!
//! ```text
//!            ┌──────────────── RegisterBlock ─────────────────┐
//! AXI4-Lite -> AxiLite -> index, data, strobes -> RegisterStep -> settings, pulses
//!            │         <- word, known         <-               <- status
//! ```
//!
//! `AxiLite` knows the bus and no register; `RegisterStep` knows the registers, by their
//! [`RegisterMap`], and no bus.
//! `Interrupts` makes an interrupt of events that a register shows.
//! `master` drives a bus in simulation.

mod axi_lite;
mod interrupts;
pub mod master;
mod register_block;
mod register_map;
mod register_step;

pub use axi_lite::AxiLite;
pub use interrupts::Interrupts;
pub use register_block::RegisterBlock;
pub use register_map::{RegisterMap, RegisterWord, Widths, widths};
pub use register_step::RegisterStep;
