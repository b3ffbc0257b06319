// SPDX-License-Identifier: MIT OR Apache-2.0
//! STPv2 packets of the Arm System Trace Macrocell: every encoding is defined here, once.
//!
//! The unit is the nibble. Bits 3:0 of a byte come first, and values of several nibbles have their most
//! significant nibble first.
//!
//! ```
//! use coretrace_stm::{Kind, Parser, State, Step, nibbles};
//!
//! // ASYNC, VERSION 3, then D8TS with data 0x12 and the timestamp nibble 5.
//! let bytes = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0x0F, 0x30, 0x4F, 0x21, 0x51];
//! let (mut parser, mut state, mut names) = (Parser::new(), State::default(), Vec::new());
//! for nibble in bytes.into_iter().flat_map(nibbles) {
//!     if parser.step(nibble) == Step::Packet {
//!         state.apply(parser.packet()).unwrap();
//!         names.push(parser.packet().opcode.name);
//!     }
//! }
//! assert_eq!(names, ["ASYNC", "VERSION", "D8TS"]);
//! assert_eq!((parser.packet().data, state.timestamp), (0x12, 5));
//! ```
#![no_std]
#![forbid(unsafe_code)]

pub mod emit;
pub mod kind;
pub mod opcode;
pub mod packet;
pub mod parser;
pub mod raw;
pub mod record;
pub mod scan;
pub mod state;

pub use emit::emit;
pub use kind::Kind;
pub use opcode::{OPCODES, Opcode};
pub use packet::{Packet, Stamp};
pub use parser::{Parser, Step};
pub use raw::RawNibbles;
pub use record::Record;
pub use scan::{Scanned, is_async, scan};
pub use state::{Coding, Illegal, State};

/// Nibbles F of an ASYNC, at least; a nibble 0 ends it.
pub const ASYNC_FS: u8 = 21;
/// Nibbles of an ASYNC.
pub const ASYNC_NIBBLES: u64 = ASYNC_FS as u64 + 1;

/// The nibbles of a byte, in the order of the stream.
pub const fn nibbles(byte: u8) -> [u8; 2] {
    [byte & 0xF, byte >> 4]
}
