// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tops under simulation: words in, result words or streams out.
//!
//! | module | what it holds |
//! |---|---|
//! | `source_sim`, `port_sim` | a preset for one source, or behind a trace port, cycle by cycle |
//! | `run` | whole streams through a preset |
//! | `result_decoder` | records of result words |
//! | `core_sim`, `flow_sim`, `compressor_sim`, `recompressor_sim`, `recompressor_xe_sim` | `etm4_core`, `flow_core`, `trace_compressor`, `etm4_recompressor`, `etm4_recompressor_xe` with their bus and streams |
//! | `software_core_sim` | `etm4_core_stm` and `etm4_core_itm` |

mod compressor_sim;
mod core_sim;
mod flow_sim;
mod port_sim;
mod recompressor_sim;
mod recompressor_xe_sim;
mod result_decoder;
mod run;
mod software_core_sim;
mod source_sim;

pub use compressor_sim::CompressorSim;
pub use core_sim::{BEGINS, CoreSim};
pub use flow_sim::FlowCoreSim;
pub use port_sim::{PortSim, PortSource, PortStatus};
pub use recompressor_sim::RecompressorSim;
pub use recompressor_xe_sim::RecompressorXeSim;
pub use result_decoder::{ResultDecoder, ResultWord};
pub use run::{DRAIN_CYCLES, full_words, simulate_port, simulate_source};
pub use software_core_sim::SoftwareCoreSim;
pub use source_sim::{InputWord, SourceSim};
