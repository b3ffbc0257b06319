// SPDX-License-Identifier: MIT OR Apache-2.0
//! The software stream, read and written: records of an STM or an ITM with their places in the port.
//!
//! ```
//! use coretrace_decode::Policy;
//! use coretrace_software_trace::{Decoder, Protocol};
//! use coretrace_streams::software::{Item, Place, Reader, Start, Writer};
//!
//! let start = Start { trace_id: 0x21, lenient: false, protocol: Protocol::Stm };
//! let (mut words, mut writer) = (Vec::new(), Writer::new(start));
//! let bytes = [&[0xFF; 10][..], &[0x0F, 0x0F, 0x30]].concat();
//! Decoder::new(Protocol::Stm, Policy::Resync).feed(&bytes, |record| {
//!     writer.record(record, Place::default(), &mut words);
//! });
//! writer.flush(&mut words);
//!
//! let (mut reader, mut names) = (Reader::new(), Vec::new());
//! let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
//! reader.bytes(&bytes, |item| if let Item::Record(record, _) = item { names.push(record.name()) });
//! reader.finish(|item| panic!("there is no more: {item:?}"));
//! assert_eq!(names, ["ASYNC", "VERSION"]);
//! ```

mod following;
mod item;
mod itm;
mod reader;
mod start;
mod stm;
mod writer;

pub use coretrace_abi::software_stream::{MAGIC, VERSION};

pub use crate::place::Place;
pub use item::Item;
pub use reader::{Reader, begins_packet};
pub use start::Start;
pub use writer::Writer;
