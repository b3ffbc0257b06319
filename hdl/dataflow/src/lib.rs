// SPDX-License-Identifier: MIT OR Apache-2.0
//! One source for dense combinational logic: a kernel is a generic Rust function over [`Word`].
//!
//! Run with [`Value`] it computes; run with [`Symbol`] it prints one sized Verilog wire for each
//! operation. Nothing depends on operator precedence or context width, so the two cannot differ
//! in the ways that kernels in the plain rust-hdl style can.
//!
//! A kernel may hold pipeline registers: every word knows its pipeline stage, and operands of
//! different stages are aligned automatically. `kernel_block!` turns a kernel into a combinational
//! rust-hdl block, `clocked_block!` into one with registers; kernels are used in no other way.

#[doc(hidden)]
pub mod block;
mod bus;
mod clocked;
mod layout;
#[doc(hidden)]
pub mod naming;
mod netlist;
mod shift;
pub mod sim;
mod symbol;
mod value;
mod word;

#[doc(hidden)]
pub use block::{evaluate, print};
pub use bus::{Bus, Carrier, Wide};
#[doc(hidden)]
pub use clocked::{align, print_clocked};
pub use coretrace_hdl_names::named;
pub use netlist::Symbol;
pub use value::{Registers, Value};
pub use word::{
    Table, Word, all, any, count_ones, join, latest, lowest_set, minus, mux_tree, mux4,
    priority_mux, without_lowest, xor_columns,
};

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
