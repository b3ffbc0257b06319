// SPDX-License-Identifier: MIT OR Apache-2.0
//! One source for dense combinational logic: a kernel is a generic Rust function over [`Word`].
//!
//! Run with [`Value`] it computes; run with [`Symbol`] it prints one sized Verilog wire for each
//! operation. Nothing depends on operator precedence or context width, so the two cannot differ
//! in the ways that kernels in the plain rust-hdl style can. `kernel_block!` makes a rust-hdl
//! block of a kernel: that is the only way in which kernels are used.

pub(crate) mod block;
mod bus;
mod layout;
mod symbol;
mod value;
mod word;

pub(crate) use block::{evaluate, kernel_block, print};
pub use bus::{Bus, Carrier, Wide};
pub(crate) use layout::layout;
pub use symbol::Symbol;
pub use value::Value;
pub use word::{Table, Word, all, any, lowest_set, pick};
