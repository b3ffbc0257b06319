// SPDX-License-Identifier: MIT OR Apache-2.0
//! The streams that the etm4 cores send: `docs/records.md`. Records are read and written here, and
//! [`profile`] adds up what either stream tells.
//!
//! ```
//! use etm4_protocol::{Kind, Profile};
//! use etm4_records::{Item, Reader, Start, Writer};
//!
//! let mut words = Vec::new();
//! let mut writer = Writer::new(Start::default(), &mut words);
//! writer.record(&etm4_protocol::Record::blank(Kind::Async), &mut words);
//! writer.flush(&mut words);
//!
//! let mut reader = Reader::new();
//! let mut records = Vec::new();
//! for word in words {
//!     reader.word(word, |item| if let Item::Record(record) = item { records.push(*record) })?;
//! }
//! assert_eq!(records[0].kind, Kind::Async);
//! # Ok::<(), etm4_records::ReadError>(())
//! ```
#![forbid(unsafe_code)]

pub mod profile;
mod reader;
mod start;
mod told;
mod writer;

pub use reader::{Item, ReadError, Reader};
pub use start::Start;
pub use told::told;
pub use writer::Writer;
