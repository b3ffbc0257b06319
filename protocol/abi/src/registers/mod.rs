// SPDX-License-Identifier: MIT OR Apache-2.0
//! The registers of the cores.
//!
//! | module | what it holds |
//! |---|---|
//! | `map` | the types of registers, fields and access |
//! | `table`, `flow`, `compressor`, `recompressor`, `recompressor_xe` | the registers of `etm4_core`, of `flow_core`, of `trace_compressor`, of `etm4_recompressor`, of `etm4_recompressor_xe` |
//! | `software` | the registers that `etm4_core_stm` and `etm4_core_itm` have besides |
//! | `rows` | what a row is, and the rows that those behind a trace port have |
//! | `walk_rows`, `block_rows` | the rows of cores that follow a program, and of those that send blocks |
//! | `csr`, `flow_csr`, `compressor_csr`, `recompressor_csr`, `recompressor_xe_csr`, `software_csr` | a type for each register, made from the tables |
//! | `setup` | the writes that set up a source |

mod block_rows;
mod compressor;
pub mod compressor_csr;
pub mod csr;
mod flow;
pub mod flow_csr;
mod map;
mod recompressor;
pub mod recompressor_csr;
mod recompressor_xe;
pub mod recompressor_xe_csr;
mod rows;
mod setup;
mod software;
pub mod software_csr;
mod table;
mod walk_rows;

pub use flow::{FRAME_BITS, SITE_BITS};
pub use map::{Access, Field, Map, Register};
pub use setup::{
    BlockOptions, compressor_writes, control, filter_writes, flow_source_writes,
    recompressor_writes, recompressor_xe_writes, software_writes, source_writes, space_writes,
    table_writes, window_write,
};
pub use table::{BYTES_PER_CYCLE, GLOBAL, NAME, SOURCE, SOURCE_BASE, SOURCE_STRIDE, SOURCES};

/// The registers of `etm4_core`.
pub const CORE: Map = Map {
    name: NAME,
    core: "etm4_core",
    document: "csr.md",
    global: GLOBAL,
    source: SOURCE,
    source_base: SOURCE_BASE,
    source_stride: SOURCE_STRIDE,
    sources: SOURCES,
};

/// The registers of `flow_core`.
pub const FLOW: Map = Map {
    name: flow::NAME,
    core: "flow_core",
    document: "flow-csr.md",
    global: flow::GLOBAL,
    source: flow::SOURCE,
    source_base: SOURCE_BASE,
    source_stride: SOURCE_STRIDE,
    sources: SOURCES,
};

/// The registers of `trace_compressor`.
pub const COMPRESSOR: Map = Map {
    name: compressor::NAME,
    core: "trace_compressor",
    document: "compressor-csr.md",
    global: compressor::GLOBAL,
    source: compressor::SOURCE,
    source_base: SOURCE_BASE,
    source_stride: SOURCE_STRIDE,
    sources: SOURCES,
};

/// The registers of `etm4_recompressor`.
pub const RECOMPRESSOR: Map = Map {
    name: recompressor::NAME,
    core: "etm4_recompressor",
    document: "recompressor-csr.md",
    global: recompressor::GLOBAL,
    source: recompressor::SOURCE,
    source_base: SOURCE_BASE,
    source_stride: SOURCE_STRIDE,
    sources: SOURCES,
};

/// The registers of `etm4_recompressor_xe`.
pub const RECOMPRESSOR_XE: Map = Map {
    name: recompressor_xe::NAME,
    core: "etm4_recompressor_xe",
    document: "recompressor-xe-csr.md",
    global: recompressor_xe::GLOBAL,
    source: recompressor_xe::SOURCE,
    source_base: SOURCE_BASE,
    source_stride: SOURCE_STRIDE,
    sources: SOURCES,
};

/// The registers of `etm4_core_stm` and `etm4_core_itm`.
pub const SOFTWARE_CORE: Map = Map {
    name: software::NAME,
    core: "etm4_core_stm",
    document: "software-csr.md",
    global: software::OF_CORE,
    ..CORE
};

/// Those of them that [`CORE`] does not have.
pub const SOFTWARE: Map = Map {
    global: software::GLOBAL,
    source: software::SOURCE,
    sources: 0,
    ..SOFTWARE_CORE
};

/// Every register of `etm4_core` with its byte offset.
pub fn placed() -> impl Iterator<Item = (u32, &'static Register)> {
    CORE.placed()
}
