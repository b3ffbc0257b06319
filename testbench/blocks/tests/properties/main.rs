// SPDX-License-Identifier: MIT OR Apache-2.0
//! Properties of exported blocks for all inputs and runs of any length: proofs by Yosys' SAT
//! solver, and for each rule mutations of the block that it must refute.
//!
//! | module | what is proven |
//! |---|---|
//! | [`axi_lite`] | the AXI4-Lite slave obeys the bus protocol |
//! | [`streams`] | each stream of the core ends in a FIFO, and nothing else depends on its TREADY |
//! | [`fifos`] | a FIFO of one clock neither loses nor invents words |
//! | [`async_fifos`] | a FIFO between two clocks counts what it loses, and invents no words |
//! | [`frames`] | frame decoder and demultiplexer meet their specification |
//! | [`compress`] | an event stays in its FIFO until its bits are in a block, or is counted |
//! | [`counters`] | counters saturate |
//! | [`sums`] | the sums of a table are exact |
//! | [`flow`] | sums by site and the return stack are exact; what arrives at a site departs from it |
//! | [`indirect`] | every entry of a table of indirect branches finds room, in front of the end of its read-out |
//! | [`software`] | decoders of software trace are where a sync ends behind what it begins with |
//! | [`profile`] | every counted event reaches a table, and every evicted entry is sent |

mod async_fifos;
mod axi_lite;
mod clocks;
mod compress;
mod counters;
mod fifos;
mod flow;
mod frames;
mod indirect;
mod induction;
mod memory;
mod profile;
mod software;
mod streams;
mod sums;

use coretrace_hdl_verilog::verilog;
use rust_hdl::prelude::Block;

/// The Verilog of a block.
fn exported<B: Block>(block: B, name: &str) -> String {
    verilog(block, name).unwrap_or_else(|findings| panic!("{name}:\n{findings}"))
}
