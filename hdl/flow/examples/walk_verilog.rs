// SPDX-License-Identifier: MIT OR Apache-2.0
//! The Verilog of one walker and its parts, for 4096 sites and 64 pages.
//!
//! `cargo run -p coretrace-hdl-flow --example walk_verilog -- unit` prints it; the names are front, tables, lane, sums
//! and unit. `cargo xtask report --verilog FILE --top NAME --no-route` estimates it.

use coretrace_hdl_flow::{FlowFront, FlowUnit, SiteSums, WalkLane, WalkTables};
use coretrace_hdl_verilog::verilog;

fn main() -> Result<(), String> {
    let name = std::env::args().nth(1).unwrap_or_default();
    let text = match name.as_str() {
        "front" => verilog(FlowFront::<12, 6, 12>::default(), &name),
        "tables" => verilog(WalkTables::<12>::default(), &name),
        "lane" => verilog(WalkLane::<12>::default(), &name),
        "sums" => verilog(SiteSums::<12, 13>::default(), &name),
        "unit" => verilog(FlowUnit::<12, 6, 12, 6, 13>::default(), &name),
        _ => return Err("there are front, tables, lane, sums and unit".to_string()),
    };
    let text = text.map_err(|findings| format!("{findings:#?}"))?;
    print!("{text}");
    Ok(())
}
