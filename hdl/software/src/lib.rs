// SPDX-License-Identifier: MIT OR Apache-2.0
#![doc = include_str!("../README.md")]

mod input;
pub mod itm;
mod pending;
pub mod stp;
