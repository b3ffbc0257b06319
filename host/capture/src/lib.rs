// SPDX-License-Identifier: MIT OR Apache-2.0
//! Captures on disk: trace files, their registers and golden lists.
//!
//! A capture is a folder with a `capture.toml` ([`Capture::open`]), or a bare trace file with the
//! same facts given by the caller ([`Capture::from_file`]). Any defect is reported as one error
//! that says what to do.
#![forbid(unsafe_code)]

mod arch_profile;
mod capture;
mod decode;
mod description;
pub mod ett;
mod format;
mod golden;
pub mod snapshot;
mod source;
mod source_stream;

pub use arch_profile::arch_profile;
pub use capture::Capture;
pub use decode::decode_in_model;
pub use description::{Description, SourceDescription};
pub use format::Format;
pub use golden::{read_xz, read_xz_text, sha256_hex};
pub use source::{Source, SourceProtocol};
pub use source_stream::{SourceStream, source_streams};
