// SPDX-License-Identifier: MIT OR Apache-2.0
//! Captures on disk: trace files, their registers and golden lists.
//!
//! [`open()`] takes every kind of file and folder that holds a trace, and gives a [`Trace`]: buffers
//! whose bytes are read in blocks. A [`Pass`] decodes a buffer in constant memory. A [`Capture`] is
//! a buffer in memory. Any defect is reported as one error that says what to do.
#![forbid(unsafe_code)]

mod arch_profile;
mod bare;
mod bytes;
mod capture;
mod container;
mod copy;
mod core_capture;
mod decode;
mod description;
pub mod ett;
mod folder;
mod format;
mod golden;
mod memory;
mod merge;
mod merged;
pub mod ocla;
mod of_perf;
mod of_snapshot;
mod open;
mod pass;
mod path;
pub mod perf;
pub mod snapshot;
mod source;
mod source_decoder;
mod source_stream;
mod split;
mod trace;

pub use arch_profile::{UnknownCore, arch_profile, is_guessed};
pub use bare::{BareTrace, bytes_of_ids, open_bare};
pub use bytes::{Block, Piece, TraceBytes};
pub use capture::Capture;
pub use container::{Container, container};
pub use core_capture::{CoreCapture, Counters};
pub use decode::{RecordSink, decode_in_model};
pub use description::{Description, SourceDescription};
pub use folder::open_folder;
pub use format::Format;
pub use golden::{read_xz, read_xz_text, sha256_hex};
pub use memory::MemoryImage;
pub use merge::{Merge, Merged, Order};
pub use merged::{AnyRecord, MergedSink};
pub use open::{ensure_bytes, open, open_stream};
pub use pass::{Pass, PassStatistics, StreamSink};
pub use source::{Source, SourceProtocol};
pub use source_decoder::SourceDecoder;
pub use source_stream::{SourceStream, source_streams};
pub use trace::{Trace, TraceBuffer};
