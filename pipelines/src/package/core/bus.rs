// SPDX-License-Identifier: MIT OR Apache-2.0
//! The AXI interfaces among the ports of a module, found by their names.

use coretrace_hdl_verilog::Port;

/// What an interface speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// AXI4-Lite, its registers on this side: `s_axi_...`.
    Registers,
    /// AXI4-Stream that leaves the module: `m_axis_..._...`.
    Stream,
    /// AXI4-Stream into the module, without TREADY: `s_axis_..._...`.
    Input,
}

impl Kind {
    /// The name in the manifest.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Registers => "axi4-lite slave",
            Kind::Stream => "axi4-stream master",
            Kind::Input => "axi4-stream slave",
        }
    }
}

/// An interface: its ports are called `<name>_<signal>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bus<'a> {
    /// The common part of the names of its ports, without the last underscore.
    pub name: &'a str,
    /// What it speaks.
    pub kind: Kind,
}

/// The interface that a port belongs to, and its signal there.
pub fn member(port: &str) -> Option<(Bus<'_>, &str)> {
    let (name, signal) = port.rsplit_once('_')?;
    let kind = match name {
        "s_axi" => Kind::Registers,
        _ if name.starts_with("m_axis_") => Kind::Stream,
        _ if name.starts_with("s_axis_") => Kind::Input,
        _ => return None,
    };
    Some((Bus { name, kind }, signal))
}

/// All interfaces, each once, in the order of the ports.
pub fn buses(ports: &[Port]) -> Vec<Bus<'_>> {
    let mut buses: Vec<Bus<'_>> = Vec::new();
    for (bus, _) in ports.iter().filter_map(|port| member(&port.name)) {
        if !buses.contains(&bus) {
            buses.push(bus);
        }
    }
    buses
}
