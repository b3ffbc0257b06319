// SPDX-License-Identifier: MIT OR Apache-2.0
//! ETMv4 and ETE instruction trace packets: every encoding is defined here, once. The software
//! model, the hardware and the generators read the tables here.
//!
//! ```
//! use coretrace_etm::{Config, Kind, ArchProfile, Protocol, Registers, parse};
//!
//! let registers = Registers { trcidr1: 0x4100_F403, trcidr2: 0x488, ..Registers::default() };
//! let config = Config::new(Protocol::Etm4, ArchProfile::A, &registers);
//! let (packet, len) = parse(&[0xFD, 0x95], &config).unwrap();
//! assert_eq!((packet.kind, len), (Kind::AtomF3, 1));
//! let atoms: Vec<bool> = packet.atoms().iter().collect();
//! assert_eq!(atoms, [true, false, true]);
//! ```
#![no_std]
#![forbid(unsafe_code)]

pub mod address;
pub mod atom;
pub mod config;
pub mod emit;
pub mod header;
pub mod kind;
pub mod packet;
pub mod parser;
pub mod raw_record;
pub mod record;
pub mod register_fields;
pub mod registers;
pub mod source;
pub mod whole;

pub use address::{Address, AddressForm, AddressRegisters};
pub use atom::{Atoms, atoms};
pub use config::{ArchProfile, Config, ConfigError, Gate, Protocol};
pub use emit::emit;
pub use header::{ASYNC_BYTES, ASYNC_END, ASYNC_ZEROS, HEADERS, Layout, Lead, Part, Parts, layout};
pub use kind::Kind;
pub use packet::Packet;
pub use parser::{AsyncRule, Completed, ParseError, Parser, parse};
pub use raw_record::{Fields, Outcome, RawRecord};
pub use record::{Context, Record};
pub use registers::Registers;
pub use source::SourceConfig;
pub use whole::whole;
