// SPDX-License-Identifier: MIT OR Apache-2.0
//! The registers of `coretrace_abi::registers` as hardware.
//!
//! | module | what it holds |
//! |---|---|
//! | `map` | a table as the [`RegisterMap`](coretrace_hdl_parts::axi::RegisterMap) of a block |
//! | `buses` | the buses of a block by the names of their fields |
//! | `core`, `flow`, `compressor`, `recompressor`, `recompressor_xe` | the registers of `etm4_core`, of `flow_core`, of `trace_compressor`, of `etm4_recompressor`, of `etm4_recompressor_xe` |
//! | `software` | those of a source of software trace beside the one of `etm4_core` |
//! | `held`, `flow_held`, `compressor_held`, `recompressor_held`, `recompressor_xe_held`, `software_held` | their settings, which keep their values while the source is busy |
//! | `held_fields` | what several of these have in common |

mod buses;
pub mod compressor;
mod compressor_held;
pub mod core;
pub mod flow;
mod flow_held;
mod held;
mod held_fields;
mod map;
pub mod recompressor;
mod recompressor_held;
pub mod recompressor_xe;
mod recompressor_xe_held;
pub mod software;
mod software_held;

pub use self::core::CoreRegisters;
pub use compressor::CompressorRegisters;
pub use compressor_held::CompressorSettings;
pub use flow::FlowRegisters;
pub use flow_held::FlowSettings;
pub use held::HeldSettings;
pub use recompressor::RecompressorRegisters;
pub use recompressor_held::RecompressorSettings;
pub use recompressor_xe::RecompressorXeRegisters;
pub use recompressor_xe_held::RecompressorXeSettings;
pub use software::SoftwareRegisters;
pub use software_held::SoftwareSettings;
