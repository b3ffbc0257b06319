// SPDX-License-Identifier: MIT OR Apache-2.0
//! The record stream of an etm4 core, read and written: `docs/records.md`.
//!
//! ```
//! use coretrace_etm::{Kind, Record};
//! use coretrace_streams::{Item, Reader, Start, Writer};
//!
//! let mut words = Vec::new();
//! let mut writer = Writer::new(Start::default());
//! writer.record(&Record::blank(Kind::Async), &mut words);
//! writer.flush(&mut words);
//!
//! let mut reader = Reader::new();
//! let mut records = Vec::new();
//! reader.words(&words, |item| if let Item::Record(record) = item { records.push(*record) });
//! reader.finish(|item| panic!("there is no more: {item:?}"));
//! assert_eq!(records[0].kind, Kind::Async);
//! ```
#![forbid(unsafe_code)]

mod addresses;
mod as_transmitted;
mod damage;
mod head;
mod item;
mod packet_state;
mod packets;
mod place;
mod plain;
mod port_order;
mod reader;
pub mod software;
mod source;
mod start;
mod state;
mod tag_row;
mod writer;

pub use coretrace_abi::record_stream::{MAGIC, MAX_PACKET_WORDS, VERSION};

pub use as_transmitted::as_transmitted;
pub use damage::Damage;
pub use item::{Gap, Item, Sink};
pub use packets::{BEGINNING_BYTES, begins_packet};
pub use place::Place;
pub use port_order::PortOrder;
pub use reader::Reader;
pub use start::Start;
pub use writer::Writer;
