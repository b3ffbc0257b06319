// SPDX-License-Identifier: MIT OR Apache-2.0
//! The registers of a core behind a trace port: one table, and everything that is made of it.
//!
//! | module | what it holds |
//! |---|---|
//! | `map` | what registers, fields and their kinds of access are |
//! | `table` | the registers |
//! | `control` | the block with the AXI4-Lite port |
//! | `markdown`, `c_header`, `system_rdl`, `rust_accessors` | the table as text |
//! | `csr` | what `rust_accessors` makes |
//! | `setup` | the writes that set up a source |

mod c_header;
mod control;
pub mod csr;
mod map;
mod markdown;
mod rust_accessors;
mod setup;
mod system_rdl;
mod table;

pub use c_header::c_header;
pub use control::{ADDRESS_W, ControlRegisters};
pub use map::{Access, Field, Register};
pub use markdown::markdown;
pub use rust_accessors::rust_accessors;
pub use setup::{control, filter_writes, source_writes};
pub use system_rdl::system_rdl;
pub use table::{GLOBAL, NAME, SOURCE, SOURCE_BASE, SOURCE_STRIDE};

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
