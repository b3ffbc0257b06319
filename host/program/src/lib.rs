// SPDX-License-Identifier: MIT OR Apache-2.0
//! The programs that were traced: which file is where in memory, and what its addresses are called.

#![forbid(unsafe_code)]

mod demangle;
mod dump;
mod elf;
mod file_symbols;
mod functions;
mod loaded;
mod memory;
mod program;
mod symbols;
mod table;

pub use demangle::demangle;
pub use dump::DumpedFile;
pub use file_symbols::{FileSymbols, Frame, LineRange};
pub use functions::LoadedFunction;
pub use program::{FileMapping, LoadedBytes, Program, hex, is_same_build};
pub use symbols::{Linked, Place, Symbols};
pub use table::Function;
