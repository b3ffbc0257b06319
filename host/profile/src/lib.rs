// SPDX-License-Identifier: MIT OR Apache-2.0
//! A profile: exact sums over a trace, from either stream that a core sends.
//!
//! The core adds up on chip and sends [entries](coretrace_abi::profile_stream::Entry); a record is
//! converted to at most one entry, see [`entry_of`]. Only entries are added up here, so both
//! streams of a trace have the same [`Sums`].
//!
//! Memory is in proportion to the number of different keys, and constant for the [`Timeline`].
//!
//! ```
//! use coretrace_abi::profile_stream::{Entry, EntryKind};
//! use coretrace_profile::{Profile, StreamReader};
//!
//! let entry = Entry { kind: EntryKind::Target, trace_id: 0x10, weight: 3, key: 0x8000 };
//! let mut profile = Profile::default();
//! let mut reader = StreamReader::new(&mut profile);
//! reader.words(&[entry.words(), entry.words()].concat())?;
//! reader.finish()?;
//! assert_eq!(profile.sources[&0x10].targets[&0x8000], 6);
//! # Ok::<(), coretrace_profile::StreamError>(())
//! ```

#![forbid(unsafe_code)]

mod entry;
mod entry_reader;
mod record_times;
pub mod report;
mod source_sums;
mod stream_reader;
mod sums;
mod tally;
mod timeline;

pub use entry::entry_of;
pub use entry_reader::{EntryError, EntryReader};
pub use source_sums::SourceSums;
pub use stream_reader::{StreamError, StreamReader, StreamSummary};
pub use sums::{Counts, Profile, Sums};
pub use timeline::{Axis, Bucket, MAX_BUCKETS, Timeline};
