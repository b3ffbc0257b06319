// SPDX-License-Identifier: MIT OR Apache-2.0
//! Decoders of STM and ITM trace: bytes of one trace ID in, [`Record`]s out.
//!
//! ```
//! use coretrace_decode::Policy;
//! use coretrace_software_trace::{Decoder, Line, Protocol, tsv};
//!
//! let protocol = Protocol::Itm(coretrace_itm::Config::default());
//! let mut out = String::new();
//! Decoder::new(protocol, Policy::Resync).feed(&[0, 0, 0, 0, 0, 0x80, 0x01, 0x41], |record| {
//!     tsv(&mut out, &Line { id: 0, record });
//! });
//! assert_eq!(out.lines().last(), Some("6\t00\tITM_SWIT\toff=6\tlen=2\tsrc=0\tsize=1\tvalue=0x41\traw=0141"));
//! ```
#![forbid(unsafe_code)]

mod decoder;
mod element;
mod element_text;
mod fields;
mod itm;
mod line;
mod messages;
mod record;
mod stm;
mod timeline;

pub use decoder::{Decoder, Protocol};
pub use element::{Element, Elements};
pub use element_text::{element_json, element_name, element_text, element_tsv};
pub use fields::Value;
pub use itm::ItmDecoder;
pub use line::{Line, all_fields, json, text, tsv};
pub use messages::{Channel, Messages};
pub use record::Record;
pub use stm::StmDecoder;
pub use timeline::{Mark, Row, Timeline};

pub use coretrace_itm::Config as ItmConfig;
