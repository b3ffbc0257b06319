// SPDX-License-Identifier: MIT OR Apache-2.0
//! The streams that the etm4 cores send: `docs/records.md`. Records are read and written here.
//!
//! ```
//! use coretrace_etm::{Kind, ArchProfile};
//! use coretrace_streams::{Item, Reader, Start, Writer};
//!
//! let mut words = Vec::new();
//! let mut writer = Writer::new(Start::default(), &mut words);
//! writer.record(&coretrace_etm::Record::blank(Kind::Async), &mut words);
//! writer.flush(&mut words);
//!
//! let mut reader = Reader::new();
//! let mut records = Vec::new();
//! for word in words {
//!     reader.word(word, |item| if let Item::Record(record) = item { records.push(*record) })?;
//! }
//! assert_eq!(records[0].kind, Kind::Async);
//! # Ok::<(), coretrace_streams::ReadError>(())
//! ```
#![forbid(unsafe_code)]

mod as_transmitted;
mod reader;
mod start;
mod writer;

pub use as_transmitted::as_transmitted;
pub use reader::{Item, ReadError, Reader};
pub use start::Start;
pub use writer::Writer;
