// SPDX-License-Identifier: MIT OR Apache-2.0
//! The registers of a core behind a trace port.
//!
//! | module | what it holds |
//! |---|---|
//! | `map` | what registers, fields and their kinds of access are |
//! | `table` | the registers |
//! | `csr` | a type for each register, made from the table |
//! | `setup` | the writes that set up a source |

pub mod csr;
mod map;
mod setup;
mod table;

pub use map::{Access, Field, Register};
pub use setup::{control, filter_writes, source_writes};
pub use table::{BYTES_PER_CYCLE, GLOBAL, NAME, SOURCE, SOURCE_BASE, SOURCE_STRIDE};

/// Sources that a core decodes.
pub const SOURCES: usize = 1;

/// Registers of the whole map.
pub const REGISTERS: usize = GLOBAL.len() + SOURCES * SOURCE.len();

/// Every register with its byte offset in the map: the global ones, then those of each source.
pub fn placed() -> impl Iterator<Item = (u32, &'static Register)> {
    let global = GLOBAL.iter().map(|register| (register.offset, register));
    let sources = (0..SOURCES as u32).flat_map(|source| {
        let base = SOURCE_BASE + SOURCE_STRIDE * source;
        let register = move |register: &'static Register| (base + register.offset, register);
        SOURCE.iter().map(register)
    });
    global.chain(sources)
}
