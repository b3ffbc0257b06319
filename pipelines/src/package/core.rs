// SPDX-License-Identifier: MIT OR Apache-2.0
//! The files of an exported core: all that a project of Vivado, FuseSoC or a simulator needs. Those of
//! `flow_core` and `flow_core_x2` have their names in place of `etm4_core`, and `etm4_flow` in place of `etm4`; they have no parameters and
//! no `etm4.dtsi`.
//!
//! | file | what |
//! |---|---|
//! | `etm4_core.v` | the core, with its parameters, see `parameters` |
//! | `etm4_core_ip.v` | the core with interfaces that Vivado recognises, see `wrapper` |
//! | `etm4_core.xdc`, `etm4_core_ip.xdc`, `etm4_core_ooc.xdc` | clock crossings of the core, and by the names below the IP; clocks of an out-of-context run |
//! | `package_ip.tcl`, `block_design.tcl` | Vivado: the folder as an IP; a design around it |
//! | `etm4_parameters.tcl` | Vivado: the parameters and their values |
//! | `check_crossings.tcl`, `version.tcl` | Vivado: whether the constraints cover the crossings; the least version |
//! | `etm4_core.core` | FuseSoC |
//! | `etm4_core.vlt` | waivers of Verilator, with reasons |
//! | `etm4_csr.h`, `etm4_csr.rs`, `etm4_csr.rdl`, `etm4_csr.xml`, `etm4_csr.tcl` | registers: C, Rust, SystemRDL, IP-XACT, and for `package_ip.tcl` |
//! | `etm4.dtsi` | Linux: nodes of a device tree |
//! | `integration.md`, `csr.md`, `records.md`, `CHANGELOG.md` | documents |
//! | `files.f`, `manifest.json` | Verilog files; version, ports, interfaces and digests |
//!
//! Everything that names a port is made from the ports of the core.

mod bus;
mod constraints;
mod fusesoc;
mod parameters;
mod registers;
mod wrapper;

pub use bus::{Bus, Kind, buses};
pub use parameters::{PARAMETERS, Parameter, with_parameters};
pub use wrapper::{ADDRESS_W, wrapper_verilog};

use crate::Preset;
use crate::package::{VERSION, digests, manifest_file, port_list};
use anyhow::Result;
use coretrace_abi::registers::{self as maps, Map};
use coretrace_abi::text;
use coretrace_hdl_verilog::Port;
use coretrace_hdl_verilog::{waiver_file, waivers};
use serde_json::{Value, json};

/// Name of the core, see [`crate::etm4_core`].
pub const CORE: &str = Preset::Etm4Core.name();

/// Name of the module around `etm4_core`.
pub const WRAPPER: &str = "etm4_core_ip";

/// Vendor and library of the packaged IP.
const VENDOR: &str = "etm4";
const LIBRARY: &str = "trace";

/// A core with registers, as it is exported.
#[derive(Clone, Copy)]
pub struct Product {
    preset: Preset,
    map: &'static Map,
    parameters: &'static [Parameter],
    /// Name of the module around it, for Vivado.
    wrapper: &'static str,
    /// One line for tools.
    summary: &'static str,
    /// The files of this one alone, as they stand in the tree.
    fixed: &'static [(&'static str, &'static str)],
}

/// `etm4_core`.
pub const ETM4_CORE: Product = Product {
    preset: Preset::Etm4Core,
    map: &maps::CORE,
    parameters: &PARAMETERS,
    wrapper: WRAPPER,
    summary: "Trace port in, records and a profile of one ETMv4 or ETE source out",
    fixed: &[
        ("etm4.dtsi", include_str!("../../../constraints/etm4.dtsi")),
        ("csr.md", include_str!("../../../docs/csr.md")),
    ],
};

/// `flow_core`.
pub const FLOW_CORE: Product = Product {
    preset: Preset::FlowCore,
    map: &maps::FLOW,
    parameters: &[],
    wrapper: "flow_core_ip",
    summary: "Trace port in, exact branch counts of the program of one ETMv4 or ETE source out",
    fixed: &[("flow-csr.md", include_str!("../../../docs/flow-csr.md"))],
};

/// `flow_core_x2`.
pub const FLOW_CORE_X2: Product = Product {
    preset: Preset::FlowCoreX2,
    wrapper: "flow_core_x2_ip",
    ..FLOW_CORE
};

impl Product {
    /// Name of the core.
    pub const fn name(&self) -> &'static str {
        self.preset.name()
    }

    /// Name of the module around it, for Vivado.
    pub const fn wrapper(&self) -> &'static str {
        self.wrapper
    }

    /// The ports of the core.
    pub fn ports(&self) -> Vec<Port> {
        self.preset.ports()
    }

    /// A text about `etm4_core` as one about this core.
    fn named(&self, text: &str) -> String {
        let csr = format!("{}_csr", self.map.name);
        let parameters = format!("{}_parameters", self.map.name);
        let text = text.replace("etm4_core", self.name());
        let text = text.replace("etm4_csr", &csr);
        let text = text.replace(ETM4_CORE.summary, self.summary);
        text.replace("etm4_parameters", &parameters)
    }

    /// The clock crossings. The FIFO of a core with parameters is in the block that was chosen.
    fn crossings(&self) -> String {
        let text = self.named(include_str!("../../../constraints/etm4_core.xdc"));
        match self.parameters {
            [] => text
                .replace("{fifo/*/", "{fifo/")
                .replace("; the * behind `fifo` is the chosen size", ""),
            _ => text,
        }
    }

    /// The text of every file of the core, by its name.
    ///
    /// # Errors
    /// As [`crate::package::package`].
    pub fn files(&self) -> Result<Vec<(String, String)>> {
        let (core, map, wrapper) = (self.name(), self.map, self.wrapper());
        let ports = self.ports();
        let buses = buses(&ports);
        let sources = [format!("{core}.v"), format!("{wrapper}.v")];
        let verilog = self.preset.verilog()?;
        let verilog = match self.parameters {
            [] => verilog,
            _ => with_parameters(&verilog)?,
        };
        let registers =
            |extension: &str, text: String| (format!("{}_csr.{extension}", map.name), text);
        let mut files = vec![
            (sources[0].clone(), verilog),
            (sources[1].clone(), wrapper_verilog(self, &ports, &buses)),
            (format!("{core}.core"), fusesoc::core_file(self, &sources)),
            (waiver_file(core), waivers(core)),
            registers("h", text::c_header(map)),
            registers("rs", text::rust_accessors(map)),
            registers("rdl", text::system_rdl(map)),
            registers("xml", text::ip_xact(map)),
            registers("tcl", registers::tcl(map)),
            (
                format!("{}_parameters.tcl", map.name),
                parameters::tcl(self.parameters),
            ),
            (format!("{core}.xdc"), self.crossings()),
            (
                format!("{wrapper}.xdc"),
                constraints::of_ip(core, &self.crossings()),
            ),
            ("files.f".to_owned(), sources.join("\n") + "\n"),
        ];
        let scripts = SCRIPTS.map(|(name, text)| (self.named(name), self.named(text)));
        files.extend(scripts);
        let fixed = self.fixed.iter().chain(&DOCUMENTS);
        files.extend(fixed.map(|(name, text)| ((*name).to_owned(), (*text).to_owned())));
        let manifest = json!({
            "schema": "etm4.core/2",
            "core": core,
            "version": VERSION,
            "language": "Verilog-2001",
            "top": core,
            "ports": port_list(ports.clone()),
            "parameters": self.parameters.iter().map(parameter).collect::<Vec<_>>(),
            "ip": {
                "vendor": VENDOR,
                "library": LIBRARY,
                "name": core,
                "top": wrapper,
                "interfaces": buses.iter().map(interface).collect::<Vec<_>>(),
            },
            "files": digests(&files),
        });
        files.push(manifest_file(&manifest)?);
        Ok(files)
    }
}

/// Constraints and scripts of `etm4_core`; those of another core have its name.
const SCRIPTS: [(&str, &str); 5] = [
    (
        "etm4_core_ooc.xdc",
        include_str!("../../../constraints/etm4_core_ooc.xdc"),
    ),
    (
        "package_ip.tcl",
        include_str!("../../../constraints/vivado/package_ip.tcl"),
    ),
    (
        "block_design.tcl",
        include_str!("../../../constraints/vivado/block_design.tcl"),
    ),
    (
        "check_crossings.tcl",
        include_str!("../../../constraints/vivado/check_crossings.tcl"),
    ),
    (
        "version.tcl",
        include_str!("../../../constraints/vivado/version.tcl"),
    ),
];

/// Documents of every core.
const DOCUMENTS: [(&str, &str); 3] = [
    (
        "integration.md",
        include_str!("../../../docs/integration.md"),
    ),
    ("records.md", include_str!("../../../docs/records.md")),
    ("CHANGELOG.md", include_str!("../../../CHANGELOG.md")),
];

fn parameter(parameter: &Parameter) -> Value {
    let Parameter {
        default, values, ..
    } = parameter;
    json!({ "parameter": parameter.name, "default": default, "values": values })
}

fn interface(bus: &Bus<'_>) -> Value {
    json!({ "interface": bus.name, "kind": bus.kind.name() })
}
