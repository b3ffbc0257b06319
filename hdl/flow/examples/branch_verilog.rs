// SPDX-License-Identifier: MIT OR Apache-2.0
//! The Verilog of the blocks that make branches of a walk, in the sizes of `etm4_recompressor`.
//!
//! `cargo run -p coretrace-hdl-flow --example branch_verilog -- unit` prints it; the names are place, sequencer, events,
//! unit and path. `cargo xtask report --verilog FILE --top NAME --no-route` estimates it.

use coretrace_hdl_flow::{BranchEvents, BranchPath, BranchPlace, BranchSequencer, BranchUnit};
use coretrace_hdl_verilog::verilog;

fn main() -> Result<(), String> {
    let name = std::env::args().nth(1).unwrap_or_default();
    let text = match name.as_str() {
        "place" => verilog(BranchPlace::<47, 1>::default(), &name),
        "sequencer" => verilog(BranchSequencer::<12>::default(), &name),
        "events" => verilog(BranchEvents::<12, 6, 47>::default(), &name),
        "unit" => verilog(BranchUnit::<12, 6, 12, 47, 6>::default(), &name),
        "path" => verilog(BranchPath::<12, 6, 12, 47, 9, 9>::default(), &name),
        _ => return Err("there are place, sequencer, events, unit and path".to_string()),
    };
    let text = text.map_err(|findings| format!("{findings:#?}"))?;
    print!("{text}");
    Ok(())
}
