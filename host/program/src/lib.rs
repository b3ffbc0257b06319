// SPDX-License-Identifier: MIT OR Apache-2.0
//! The programs that were traced: which file is where in memory, and what its addresses are called.

#![forbid(unsafe_code)]

mod demangle;
mod elf;
mod file_symbols;
mod loaded;
mod program;
mod symbols;
mod table;

pub use file_symbols::{FileSymbols, Frame, LineRange};
pub use program::{FileMapping, Program};
pub use symbols::{Linked, Place, Symbols};
pub use table::Function;

pub use demangle::demangle;
