// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records as text: a table that compares with OpenCSD's packet lister, columns for people, JSON
//! for programs.
//!
//! All three come from one list of fields, see [`fields()`]. Text is appended to a `String` that
//! the caller clears and reuses; [`PacketLines`] appends the same to [`Lines`], faster.
//!
//! Elements of the flow have lines of their own: [`ElementTsv`], [`element_line`] and
//! [`element_json`].
//!
//! A [`Line`] is a packet with its place in a stream of bytes. A record stream has neither places
//! nor bytes, and has other events besides packets: its lines are [`Item`]s.
//!
//! ```
//! use coretrace_listing::{self as listing, Line};
//! use coretrace_decode::{Decoder, Policy};
//! use coretrace_etm::{Config, ArchProfile, Protocol, Registers};
//!
//! let bytes = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0xFD];
//! let registers = Registers { trcidr1: 0x4100_F403, trcidr2: 0x488, ..Registers::default() };
//! let config = Config::new(Protocol::Etm4, ArchProfile::A, &registers);
//! let mut out = String::new();
//! Decoder::new(config, Policy::OpenCsd).feed(&bytes, |record| {
//!     let raw = &bytes[record.offset as usize..][..record.len as usize];
//!     listing::tsv(&mut out, &Line { id: 0x10, record, raw, config: &config });
//! });
//! assert_eq!(out.lines().last(), Some("12\t10\tI_ATOM_F3\toff=12\tlen=1\tatoms=ENE\traw=fd"));
//! ```

#![forbid(unsafe_code)]

mod element;
mod element_json;
mod element_tsv;
mod fields;
mod item;
mod json;
mod kept;
mod lines;
mod names;
mod offsets;
mod text;
mod tsv;
mod value;
mod write;

#[cfg(test)]
mod tests;

use coretrace_etm::{Config, Record};

pub use element::{
    element_line, element_name, element_text, isa_name, loss_name, security_name, step_name,
};
pub use element_json::{ELEMENT_SCHEMA, class_name, element_json, return_name};
pub use element_tsv::ElementTsv;
pub use fields::{Detail, fields};
pub use item::{Item, What};
pub use json::{ITEM_SCHEMA, SCHEMA, item_json, json};
pub use kept::PacketLines;
pub use lines::Lines;
pub use text::{item_text, text};
pub use tsv::{item_tsv, tsv};
pub use value::Value;

/// The data of a line.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// Trace ID; 0 in a raw stream.
    pub id: u8,
    /// The record.
    pub record: &'a Record,
    /// The bytes of the record. They are only printed: a record of unread bytes needs none.
    pub raw: &'a [u8],
    /// The configuration under which the record was decoded.
    pub config: &'a Config,
}
