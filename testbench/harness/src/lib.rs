// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tests across crates: golden lists, co-simulation, coverage, throughput.

#![forbid(unsafe_code)]

mod corpus;
mod port_model;
mod presets;
pub mod python;
mod records;
mod shared;
mod told;

pub use corpus::{OPENCSD_CLEARS_UPPER_HALVES, golden_captures, golden_rows};
pub use port_model::{check_port, port_model, words_of};
pub use presets::{for_each_preset, port_presets, source_presets};
pub use records::{Listener, kept_bytes};
pub use shared::shared_dir;
pub use told::{Told, sums};
