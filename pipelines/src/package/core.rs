// SPDX-License-Identifier: MIT OR Apache-2.0
//! The files of an exported core: all that a project of Vivado, FuseSoC or a simulator needs. Those of
//! other cores have their names in place of `etm4_core`, and that of their registers, such as `etm4_flow`, in place of `etm4`;
//! they have no parameters and no device tree. Those of a core with one clock have no clock crossings.
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
//! | `etm4.dtsi`, `etm4.dtso` | Linux: nodes of a device tree for `etm4 target`, to be included and as an overlay, see `overlay` |
//! | `coresight.dtsi`, `coresight.dtso` | Linux: in place of them, those of its own drivers |
//! | `integration.md`, `csr.md`, `records.md`, `CHANGELOG.md` | documents |
//! | `files.f`, `manifest.json` | Verilog files; version, ports, interfaces and digests |
//!
//! Everything that names a port is made from the ports of the core.

mod bus;
mod constraints;
mod fusesoc;
mod overlay;
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
    /// The cell of the FIFO behind the trace port.
    fifo: &'static str,
    /// A name for tools, and one line.
    title: &'static str,
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
    fifo: "fifo/*",
    title: "ETMv4 trace decoder",
    summary: "Trace port in, records and a profile of one ETMv4 or ETE source out",
    fixed: &[
        ("etm4.dtsi", include_str!("../../../constraints/etm4.dtsi")),
        (
            "coresight.dtsi",
            include_str!("../../../constraints/coresight.dtsi"),
        ),
        ("csr.md", include_str!("../../../docs/csr.md")),
    ],
};

/// `etm4_core_stm`.
pub const ETM4_CORE_STM: Product = Product {
    preset: Preset::Etm4CoreStm,
    map: &maps::SOFTWARE_CORE,
    parameters: &[],
    wrapper: "etm4_core_stm_ip",
    fifo: "core/fifo",
    title: "ETMv4 and STM trace decoder",
    summary: "Trace port in, records and a profile of one ETMv4 or ETE source and the packets of an STM out",
    fixed: &[(
        "software-csr.md",
        include_str!("../../../docs/software-csr.md"),
    )],
};

/// `etm4_core_itm`.
pub const ETM4_CORE_ITM: Product = Product {
    preset: Preset::Etm4CoreItm,
    wrapper: "etm4_core_itm_ip",
    title: "ETMv4 and ITM trace decoder",
    summary: "Trace port in, records and a profile of one ETMv4 or ETE source and the packets of an ITM out",
    ..ETM4_CORE_STM
};

/// `flow_core`.
pub const FLOW_CORE: Product = Product {
    preset: Preset::FlowCore,
    map: &maps::FLOW,
    parameters: &[],
    wrapper: "flow_core_ip",
    fifo: "fifo",
    title: "ETMv4 branch counter",
    summary: "Trace port in, exact branch counts of the program of one ETMv4 or ETE source out",
    fixed: &[("flow-csr.md", include_str!("../../../docs/flow-csr.md"))],
};

/// `flow_core_x2`.
pub const FLOW_CORE_X2: Product = Product {
    preset: Preset::FlowCoreX2,
    wrapper: "flow_core_x2_ip",
    ..FLOW_CORE
};

/// `trace_compressor`.
pub const TRACE_COMPRESSOR: Product = Product {
    preset: Preset::TraceCompressor,
    map: &maps::COMPRESSOR,
    parameters: &[],
    wrapper: "trace_compressor_ip",
    fifo: "fifo",
    title: "Branch trace compressor",
    summary: "Branches of a core in, blocks of a compressed trace out",
    fixed: &[(
        "compressor-csr.md",
        include_str!("../../../docs/compressor-csr.md"),
    )],
};

/// `trace_compressor_x1`.
pub const TRACE_COMPRESSOR_X1: Product = Product {
    preset: Preset::TraceCompressorX1,
    wrapper: "trace_compressor_x1_ip",
    ..TRACE_COMPRESSOR
};

/// `trace_compressor_m4`.
pub const TRACE_COMPRESSOR_M4: Product = Product {
    preset: Preset::TraceCompressorM4,
    wrapper: "trace_compressor_m4_ip",
    ..TRACE_COMPRESSOR
};

/// `trace_compressor_rbase`.
pub const TRACE_COMPRESSOR_RBASE: Product = Product {
    preset: Preset::TraceCompressorRBase,
    wrapper: "trace_compressor_rbase_ip",
    ..TRACE_COMPRESSOR
};

/// `etm4_recompressor`.
pub const RECOMPRESSOR: Product = Product {
    preset: Preset::Recompressor,
    map: &maps::RECOMPRESSOR,
    parameters: &[],
    wrapper: "etm4_recompressor_ip",
    fifo: "fifo",
    title: "ETMv4 trace recompressor",
    summary: "Trace port in, blocks of a compressed trace of the program of one ETMv4 or ETE source out",
    fixed: &[(
        "recompressor-csr.md",
        include_str!("../../../docs/recompressor-csr.md"),
    )],
};

/// `etm4_recompressor_xe`.
pub const RECOMPRESSOR_XE: Product = Product {
    preset: Preset::RecompressorXe,
    map: &maps::RECOMPRESSOR_XE,
    parameters: &[],
    wrapper: "etm4_recompressor_xe_ip",
    fifo: "fifo",
    title: "ETMv4 packet compressor",
    summary: "Trace port in, blocks of a compressed trace of the packets of one ETMv4 or ETE source out",
    fixed: &[(
        "recompressor-xe-csr.md",
        include_str!("../../../docs/recompressor-xe-csr.md"),
    )],
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
        let text = text.replace(ETM4_CORE.title, self.title);
        text.replace("etm4_parameters", &parameters)
    }

    /// Whether it has a second clock, that of a trace port.
    fn has_trace_clock(&self) -> bool {
        let ports = self.ports();
        ports.iter().any(|port| port.name == TRACE_CLOCK)
    }

    /// The clocks of an out-of-context run.
    fn clocks(&self) -> String {
        let text = self.named(include_str!("../../../constraints/etm4_core_ooc.xdc"));
        let is_there = |line: &&str| self.has_trace_clock() || !line.contains(TRACE_CLOCK);
        let lines = text.lines().filter(is_there);
        lines.map(|line| format!("{line}\n")).collect()
    }

    /// The clock crossings. The FIFO of a core with parameters is in the block that was chosen.
    fn crossings(&self) -> String {
        let text = self.named(include_str!("../../../constraints/etm4_core.xdc"));
        let text = text.replace("{fifo/*/", &format!("{{{}/", self.fifo));
        match self.parameters {
            [] => text.replace("; the * behind `fifo` is the chosen size", ""),
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
            (format!("{core}_ooc.xdc"), self.clocks()),
            ("files.f".to_owned(), sources.join("\n") + "\n"),
        ];
        if self.has_trace_clock() {
            let crossings = self.crossings();
            let of_ip = constraints::of_ip(core, &crossings);
            files.push((format!("{core}.xdc"), crossings));
            files.push((format!("{wrapper}.xdc"), of_ip));
            let check = include_str!("../../../constraints/vivado/check_crossings.tcl");
            files.push((CHECK_CROSSINGS.to_owned(), self.named(check)));
        }
        files.extend(SCRIPTS.map(|(name, text)| (name.to_owned(), self.named(text))));
        let fixed = self.fixed.iter().chain(&DOCUMENTS);
        files.extend(fixed.map(|(name, text)| ((*name).to_owned(), (*text).to_owned())));
        let trees = self.fixed.iter().filter_map(|(name, text)| {
            let name = name.strip_suffix(".dtsi")?;
            Some((format!("{name}.dtso"), overlay::overlay(text)))
        });
        files.extend(trees);
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

/// The clock of a trace port.
const TRACE_CLOCK: &str = "trace_clk";

/// The script that looks for constraints of clock crossings.
const CHECK_CROSSINGS: &str = "check_crossings.tcl";

/// Scripts of `etm4_core`; those of another core have its name.
const SCRIPTS: [(&str, &str); 3] = [
    (
        "package_ip.tcl",
        include_str!("../../../constraints/vivado/package_ip.tcl"),
    ),
    (
        "block_design.tcl",
        include_str!("../../../constraints/vivado/block_design.tcl"),
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
