// SPDX-License-Identifier: MIT OR Apache-2.0
#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod item;
pub mod table;

pub use item::{FlowItem, Items};
pub use table::FlowTable;
