// SPDX-License-Identifier: MIT OR Apache-2.0
//! The files of the exported core: all that a project of Vivado, FuseSoC or a simulator needs.
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
pub use wrapper::{ADDRESS_W, WRAPPER, wrapper_verilog};

use crate::Preset;
use crate::package::{VERSION, digests, manifest_file, port_list};
use anyhow::Result;
use coretrace_abi::text;
use coretrace_hdl_verilog::Port;
use coretrace_hdl_verilog::{waiver_file, waivers};
use serde_json::{Value, json};

/// Name of the core, see [`crate::etm4_core`].
pub const CORE: &str = Preset::Etm4Core.name();

/// Vendor and library of the packaged IP.
const VENDOR: &str = "etm4";
const LIBRARY: &str = "trace";

/// Files that are as they stand in the tree.
const FIXED: [(&str, &str); 11] = [
    (
        "etm4_core.xdc",
        include_str!("../../../constraints/etm4_core.xdc"),
    ),
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
    ("etm4.dtsi", include_str!("../../../constraints/etm4.dtsi")),
    (
        "integration.md",
        include_str!("../../../docs/integration.md"),
    ),
    ("csr.md", include_str!("../../../docs/csr.md")),
    ("records.md", include_str!("../../../docs/records.md")),
    ("CHANGELOG.md", include_str!("../../../CHANGELOG.md")),
];

/// The ports of the core.
pub fn core_ports() -> Vec<Port> {
    Preset::Etm4Core.ports()
}

/// The text of every file of the core, by its name.
///
/// # Errors
/// As [`crate::package::package`].
pub fn core_package() -> Result<Vec<(String, String)>> {
    let ports = core_ports();
    let buses = buses(&ports);
    let sources = [format!("{CORE}.v"), format!("{WRAPPER}.v")];
    let mut files = vec![
        (
            sources[0].clone(),
            with_parameters(&Preset::Etm4Core.verilog()?)?,
        ),
        (sources[1].clone(), wrapper_verilog(&ports, &buses)),
        (format!("{CORE}.core"), fusesoc::core_file(&sources)),
        (waiver_file(CORE), waivers(CORE)),
        ("etm4_csr.h".to_owned(), text::c_header()),
        ("etm4_csr.rs".to_owned(), text::rust_accessors()),
        ("etm4_csr.rdl".to_owned(), text::system_rdl()),
        ("etm4_csr.xml".to_owned(), text::ip_xact()),
        ("etm4_csr.tcl".to_owned(), registers::tcl()),
        ("etm4_parameters.tcl".to_owned(), parameters::tcl()),
        ("etm4_core_ip.xdc".to_owned(), constraints::of_ip()),
        ("files.f".to_owned(), sources.join("\n") + "\n"),
    ];
    files.extend(FIXED.map(|(name, text)| (name.to_owned(), text.to_owned())));
    let manifest = json!({
        "schema": "etm4.core/2",
        "core": CORE,
        "version": VERSION,
        "language": "Verilog-2001",
        "top": CORE,
        "ports": port_list(ports.clone()),
        "parameters": PARAMETERS.iter().map(parameter).collect::<Vec<_>>(),
        "ip": {
            "vendor": VENDOR,
            "library": LIBRARY,
            "name": CORE,
            "top": WRAPPER,
            "interfaces": buses.iter().map(interface).collect::<Vec<_>>(),
        },
        "files": digests(&files),
    });
    files.push(manifest_file(&manifest)?);
    Ok(files)
}

fn parameter(parameter: &Parameter) -> Value {
    let Parameter {
        default, values, ..
    } = parameter;
    json!({ "parameter": parameter.name, "default": default, "values": values })
}

fn interface(bus: &Bus<'_>) -> Value {
    json!({ "interface": bus.name, "kind": bus.kind.name() })
}
