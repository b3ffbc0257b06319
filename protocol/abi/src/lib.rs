// SPDX-License-Identifier: MIT OR Apache-2.0
#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

pub mod axi_dma;
mod beat_field;
pub mod branch_table;
pub mod compressed;
pub mod flow_stream;
pub mod flow_table;
pub mod profile_stream;
pub mod record_filter;
pub mod record_stream;
pub mod registers;
pub mod software_stream;
pub mod text;
