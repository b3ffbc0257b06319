// SPDX-License-Identifier: MIT OR Apache-2.0
//! The core as FuseSoC knows it (CAPI2).

use super::{LIBRARY, Product, VENDOR};
use crate::package::VERSION;
use coretrace_hdl_verilog::waiver_file;

/// The text of `etm4_core.core`. Target `default` gives the sources to a design around the core;
/// `lint` runs Verilator, and `vivado` synthesises the IP
/// alone, with the clocks of an out-of-context run.
pub fn core_file(product: &Product, sources: &[String]) -> String {
    let (core, wrapper, summary) = (product.name(), product.wrapper(), product.summary);
    let list: String = sources
        .iter()
        .map(|name| format!("      - {name}\n"))
        .collect();
    let waivers = waiver_file(core);
    let crossings = match product.has_trace_clock() {
        true => format!("      - {core}_ip.xdc\n"),
        false => String::new(),
    };
    format!(
        "CAPI=2:\n\
         # SPDX-License-Identifier: MIT OR Apache-2.0\n\
         # Made by cargo export; do not edit.\n\
         name: {VENDOR}:{LIBRARY}:{core}:{VERSION}\n\
         description: {summary}, registers on AXI4-Lite\n\
         filesets:\n\
         \x20 rtl:\n\
         \x20   files:\n\
         {list}\
         \x20   file_type: verilogSource\n\
         \x20 waivers:\n\
         \x20   files:\n\
         \x20     - {waivers}\n\
         \x20   file_type: vlt\n\
         \x20 constraints:\n\
         \x20   files:\n\
         \x20     - {core}_ooc.xdc\n\
         {crossings}\
         \x20   file_type: xdc\n\
         targets:\n\
         \x20 default:\n\
         \x20   filesets:\n\
         \x20     - rtl\n\
         \x20 lint:\n\
         \x20   flow: lint\n\
         \x20   flow_options:\n\
         \x20     tool: verilator\n\
         \x20     verilator_options:\n\
         \x20       - -Wall\n\
         \x20   filesets:\n\
         \x20     - waivers\n\
         \x20     - rtl\n\
         \x20   toplevel: {wrapper}\n\
         \x20 vivado:\n\
         \x20   flow: vivado\n\
         \x20   flow_options:\n\
         \x20     part: xczu7ev-ffvc1156-2-e\n\
         \x20     pnr: none\n\
         \x20   filesets:\n\
         \x20     - rtl\n\
         \x20     - constraints\n\
         \x20   toplevel: {wrapper}\n"
    )
}
