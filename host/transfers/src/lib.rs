// SPDX-License-Identifier: MIT OR Apache-2.0
//! Data transfers of an ETMv4 data trace, and the elements of the instruction trace that made them.
//!
//! ```
//! use coretrace_data_trace::{Address, Element, Keys};
//! use coretrace_etm::{ArchProfile, Kind, Record};
//! use coretrace_transfers::{Associator, Found};
//!
//! let keys = Keys { parents: 8, addresses: 8, special: 0 };
//! let mut associator = Associator::new(keys, ArchProfile::M7);
//! let exception = Record { offset: 40, ..Record::blank(Kind::Exception) };
//! associator.instruction(&exception);
//! let address = Address { parent: 0, key: 3, index: 0, address: Some(0x2000_0000) };
//! associator.data(7, Element::Address(address));
//! associator.data(12, Element::Value { key: 3, value: 5 });
//! let mut found = Vec::new();
//! let statistics = associator.finish(&mut |what| found.push(*what));
//! assert!(matches!(found[0], Found::Transfer { number: 0, parent: Some(parent), .. } if parent.offset == 40));
//! assert!(matches!(found[1], Found::Value { value: 5, transfer: Some(0), .. }));
//! assert_eq!((statistics.without_parent, statistics.without_transfer), (0, 0));
//! ```
//!
//! Source: Arm IHI 0064 as far as it is public: P0, P1 and P2 elements, their keys, and marks.
#![forbid(unsafe_code)]

pub mod associate;
pub mod line;
pub mod parents;
mod segments;

pub use associate::{Associator, Found, Statistics};
pub use line::Line;
pub use parents::{Parent, Parents};
