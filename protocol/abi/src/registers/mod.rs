// SPDX-License-Identifier: MIT OR Apache-2.0
//! The registers of a core behind a trace port.
//!
//! | module | what it holds |
//! |---|---|
//! | `map` | the types of registers, fields and access |
//! | `table` | the registers |
//! | `csr` | a type for each register, made from the table |
//! | `setup` | the writes that set up a source |

pub mod csr;
mod map;
mod setup;
mod table;

pub use map::{Access, Field, Register};
pub use setup::{control, filter_writes, source_writes};
pub use table::{BYTES_PER_CYCLE, GLOBAL, NAME, SOURCE, SOURCE_BASE, SOURCE_STRIDE, SOURCES};

/// Registers of the whole map.
pub const REGISTERS: usize = GLOBAL.len() + SOURCES * SOURCE.len();

/// A register of the map and its byte offset: the global ones first, then those of each source.
///
/// # Panics
/// If there are not so many registers.
pub const fn place(index: usize) -> (u32, &'static Register) {
    assert!(index < REGISTERS);
    if index < GLOBAL.len() {
        return (GLOBAL[index].offset, &GLOBAL[index]);
    }
    let (source, index) = (
        (index - GLOBAL.len()) / SOURCE.len(),
        (index - GLOBAL.len()) % SOURCE.len(),
    );
    let base = SOURCE_BASE + SOURCE_STRIDE * source as u32;
    (base + SOURCE[index].offset, &SOURCE[index])
}

/// Every register with its byte offset in the map, in the order of [`place`].
pub fn placed() -> impl Iterator<Item = (u32, &'static Register)> {
    (0..REGISTERS).map(place)
}
