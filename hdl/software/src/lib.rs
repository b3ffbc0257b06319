// SPDX-License-Identifier: MIT OR Apache-2.0
#![doc = include_str!("../README.md")]

pub mod data;
mod input;
pub mod itm;
mod pending;
pub mod stp;
mod words;
