// SPDX-License-Identifier: MIT OR Apache-2.0
//! Shared code of tests: golden lists, presets against the model, tools.

#![forbid(unsafe_code)]

mod corpus;
#[cfg(feature = "hw")]
mod decoder_setup;
mod followed;
mod llvm;
mod parallel;
#[cfg(feature = "hw")]
mod port_model;
#[cfg(feature = "hw")]
mod presets;
pub mod python;
mod shared;
#[cfg(feature = "hw")]
mod stream_contents;

pub use corpus::{OPENCSD_CLEARS_UPPER_HALVES, golden_captures, golden_rows};
#[cfg(feature = "hw")]
pub use decoder_setup::{DecoderSetup, kept_bytes};
pub use followed::FollowedCapture;
pub use llvm::llvm;
pub use parallel::{in_parallel, on_large_stack};
#[cfg(feature = "hw")]
pub use port_model::{check_port, port_model, words_of};
#[cfg(feature = "hw")]
pub use presets::{port_presets, source_presets};
pub use shared::shared_dir;
#[cfg(feature = "hw")]
pub use stream_contents::{StreamContents, sums};
