// SPDX-License-Identifier: MIT OR Apache-2.0
//! Shared code of tests: golden lists, presets against the model, tools.

#![forbid(unsafe_code)]

mod corpus;
mod decoder_setup;
mod parallel;
mod port_model;
mod presets;
pub mod python;
mod shared;
mod stream_contents;

pub use corpus::{OPENCSD_CLEARS_UPPER_HALVES, golden_captures, golden_rows};
pub use decoder_setup::{DecoderSetup, kept_bytes};
pub use parallel::in_parallel;
pub use port_model::{check_port, port_model, words_of};
pub use presets::{port_presets, source_presets};
pub use shared::shared_dir;
pub use stream_contents::{StreamContents, sums};
