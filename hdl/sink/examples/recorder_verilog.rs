// SPDX-License-Identifier: MIT OR Apache-2.0
//! The Verilog of a recorder of software trace.
//!
//! `cargo run -p coretrace-hdl-sink --example recorder_verilog -- stp_recorder` prints it; the names are stp_recorder
//! and itm_recorder. `cargo xtask report --verilog FILE --top NAME --no-route` estimates it.

use coretrace_hdl_sink::software::{ItmRecorder, StpRecorder};
use coretrace_hdl_verilog::verilog;

fn main() -> Result<(), String> {
    let name = std::env::args().nth(1).unwrap_or_default();
    let text = match name.as_str() {
        "stp_recorder" => verilog(StpRecorder::default(), &name),
        "itm_recorder" => verilog(ItmRecorder::default(), &name),
        _ => return Err("there are stp_recorder and itm_recorder".to_owned()),
    };
    let text = text.map_err(|findings| format!("{findings:#?}"))?;
    print!("{text}");
    Ok(())
}
