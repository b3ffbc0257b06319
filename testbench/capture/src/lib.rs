// SPDX-License-Identifier: MIT OR Apache-2.0
//! Captures on disk: trace files, their registers and golden lists.
//!
//! A capture is a folder with a `capture.toml` ([`Capture::open`]), or a bare trace file with the
//! same facts given by the caller ([`Capture::from_file`]). Whatever is wrong with it comes out as
//! one error that says what to do.
#![forbid(unsafe_code)]

mod capture;
mod core_profile;
mod description;
mod format;
mod golden;
mod source;

pub use capture::Capture;
pub use core_profile::profile_of_core;
pub use description::{Description, SourceDescription};
pub use format::Format;
pub use golden::{read_xz, read_xz_text, sha256_hex};
pub use source::{Source, SourceProtocol};
