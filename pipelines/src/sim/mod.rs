// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tops under simulation: words in, result words or streams out.
//!
//! | module | what it holds |
//! |---|---|
//! | `source_sim`, `port_sim` | a preset for one source, or behind a trace port, cycle by cycle |
//! | `run` | whole streams through a preset |
//! | `result_decoder` | records of result words |
//! | `core_sim`, `flow_sim` | `etm4_core`, `flow_core` with their bus and streams |

mod core_sim;
mod flow_sim;
mod port_sim;
mod result_decoder;
mod run;
mod source_sim;

pub use core_sim::{BEGINS, CoreSim};
pub use flow_sim::FlowCoreSim;
pub use port_sim::{PortSim, PortSource, PortStatus};
pub use result_decoder::{ResultDecoder, ResultWord};
pub use run::{DRAIN_CYCLES, full_words, simulate_port, simulate_source};
pub use source_sim::{InputWord, SourceSim};
