// SPDX-License-Identifier: MIT OR Apache-2.0
//! Elements and packets of a trace as Parquet files, for DuckDB, Spark, pandas and others.
//!
//! [`Elements`] and [`Packets`] write the files; a row is an element or a packet. Rows are written in
//! groups of 65,536, so what they take of memory does not depend on the trace; what Parquet keeps for
//! the end of the file is some 10 kB a group.

#![forbid(unsafe_code)]

mod column;
mod elements;
mod packets;
mod software;
mod table;

pub use elements::Elements;
pub use packets::Packets;
pub use parquet::errors::{ParquetError, Result};

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
