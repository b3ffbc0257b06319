// SPDX-License-Identifier: MIT OR Apache-2.0
//! ITM and DWT packets: every encoding is defined here, once.
//!
//! ```
//! use coretrace_itm::{Config, Kind, Parser, Rule, State, Step};
//!
//! // Sync, a byte at port 0, and a local timestamp of 133 ticks.
//! let bytes = [0, 0, 0, 0, 0, 0x80, 0x01, 0x41, 0xC0, 0x85, 0x01];
//! let (mut parser, mut state, mut kinds) = (Parser::new(Rule::Arm), State::default(), Vec::new());
//! for byte in bytes {
//!     if parser.step(byte) == Step::Packet {
//!         state.apply(parser.packet(), &Config::default());
//!         kinds.push(parser.packet().kind);
//!     }
//! }
//! assert_eq!(kinds, [Kind::Sync, Kind::Software, Kind::LocalTimestamp]);
//! assert_eq!(state.local_time, 133);
//! ```
#![no_std]
#![forbid(unsafe_code)]

pub mod config;
pub mod dwt;
pub mod emit;
pub mod header;
pub mod kind;
pub mod packet;
pub mod parser;
pub mod record;
pub mod scan;
pub mod state;

pub use config::Config;
pub use dwt::Event;
pub use emit::emit;
pub use header::{HEADERS, Header, Payload, Rule, header};
pub use kind::Kind;
pub use packet::Packet;
pub use parser::{Parser, Step};
pub use record::Record;
pub use scan::scan;
pub use state::State;

/// Zero bytes of a sync, at least; 0x80 ends it.
pub const SYNC_ZEROS: u64 = 5;
/// The last byte of a sync.
pub const SYNC_END: u8 = 0x80;
