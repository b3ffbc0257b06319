// SPDX-License-Identifier: MIT OR Apache-2.0
//! Buses to real machines: a Linux on the chip, and OpenOCD.
//!
//! ```text
//! Linux    ranges ─▶ UIO node or /dev/mem ─▶ maps ─▶ one volatile word for each access
//! OpenOcd  ranges ─▶ read_memory, write_memory ─▶ a debug probe
//! ```
//!
//! `unsafe` is in one file, `linux/words.rs`.

pub mod linux;
mod openocd;
mod wall;

pub use linux::Linux;
pub use openocd::OpenOcd;
pub use wall::Wall;
