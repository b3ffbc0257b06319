// SPDX-License-Identifier: MIT OR Apache-2.0
//! ETMv4 data trace: what is public of it, and all of it for those who have the document.
//!
//! Only the headers of the packets are public, and the payloads of those that have none. So the packets are a
//! [`Grammar`], which is read from a file; [`Grammar::public`] knows what is public, and guesses nothing: what follows a
//! header of unknown payload is one record up to the next A-Sync. A grammar with payloads is followed without a line
//! of code.
//!
//! ```
//! use coretrace_data_trace::{Grammar, Kind, Parser};
//!
//! let grammar = Grammar::public()?;
//! let (mut parser, mut names) = (Parser::new(), Vec::new());
//! let bytes = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x00, 0x13, 0x04, 0x70, 0x12, 0x34];
//! let mut put = |record: &coretrace_data_trace::Record| match record.kind {
//!     Kind::Packet(index) => names.push(grammar.packets()[index].name.clone()),
//!     Kind::Raw(index) => names.push(format!("{} and {} bytes", grammar.packets()[index].name, record.len - 1)),
//!     _ => {}
//! };
//! parser.feed(&grammar, &bytes, &mut put);
//! parser.finish(&mut put);
//! assert_eq!(names, ["A_SYNC", "NUMBERED_DATA_SYNC_MARK", "EVENT", "P1_F1 and 2 bytes"]);
//! # Ok::<(), anyhow::Error>(())
//! ```
//!
//! Source: the header values in OpenCSD 1.8; concepts of keys and marks in Arm IHI 0064.
#![forbid(unsafe_code)]

pub mod effect;
pub mod element;
pub mod emit;
mod example;
mod file;
pub mod grammar;
pub mod parser;
pub mod pattern;
mod payload;
pub mod record;
pub mod state;

pub use effect::Effect;
pub use element::{Address, Element};
pub use emit::emit;
pub use grammar::{Grammar, Packet, Payload};
pub use parser::Parser;
pub use record::{Kind, Record, Value};
pub use state::{Keys, State};
