// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4_core_ip`: the core as Vivado's IP packager and block designs want it.
//!
//! Ports and parameters are those of the core, with attributes that say which interface each belongs to. Some
//! things are its own:
//!
//! - The addresses of `s_axi` have 12 bits: a block design gives a slave 4 KiB at least, and a bus
//!   that is narrower than its segment shows its registers again and again. An address beyond those
//!   of the core becomes the core's last word, which is no register, so that it is answered SLVERR.
//! - `irq` is a level.
//! - Each stream has TKEEP, all ones: beats are always whole. It is there for a consumer that asks for it.

use super::Product;
use super::bus::{Bus, Kind, member};
use super::parameters;
use coretrace_hdl_verilog::{Direction, Port};
use std::fmt::{Result, Write};

/// Address bits of `s_axi`: 4 KiB.
pub const ADDRESS_W: usize = 12;
/// The clock of all interfaces, and its reset.
const CLOCK: &str = "aclk";
const RESET: &str = "aresetn";
/// The interrupt of the core, a level that is high while it is due.
const INTERRUPT: &str = "irq";

/// The Verilog text of a core with these ports.
pub fn wrapper_verilog(product: &Product, ports: &[Port], buses: &[Bus<'_>]) -> String {
    let mut text = String::new();
    document(&mut text, product, ports, buses).expect("writing to a string");
    text
}

fn document(out: &mut String, product: &Product, ports: &[Port], buses: &[Bus<'_>]) -> Result {
    let (core, wrapper) = (product.name(), product.wrapper());
    writeln!(
        out,
        "// SPDX-License-Identifier: MIT OR Apache-2.0\n\
         // {core} for Vivado's IP packager, made by cargo export; do not edit.\n\
         // A beat that leaves is four words of 32 bits, the first in the lowest bits; all bytes count.\n\n\
         module {wrapper} {}(",
        parameters::declarations(product.parameters)
    )?;
    let declarations = ports.iter().map(|port| declaration(port, buses));
    let declarations: Vec<String> = declarations.collect();
    writeln!(out, "{}\n);", declarations.join(",\n"))?;
    writeln!(
        out,
        "  // An address beyond the core's becomes that of its last word, which is no register."
    )?;
    let mut connections = Vec::new();
    for port in ports {
        let Port { name, width, .. } = port;
        connections.push(if is_address(port) {
            let (top, high) = (ADDRESS_W - 1, width - 1);
            let hole = (1_usize << width) - 4;
            writeln!(
                out,
                "  wire [{high}:0] core_{name} =\n    \
                 |{name}[{top}:{width}] ? {width}'d{hole} : {name}[{high}:0];"
            )?;
            format!("    .{name}(core_{name})")
        } else {
            format!("    .{name}({name})")
        });
        if let Some((bus, bytes)) = beat(port) {
            writeln!(out, "  assign {bus}_tkeep = {{{bytes}{{1'b1}}}};")?;
        }
    }
    writeln!(
        out,
        "  {core} {}core (\n{}\n  );\nendmodule",
        parameters::connections(product.parameters),
        connections.join(",\n")
    )
}

/// Whether this is an address of the registers.
fn is_address(port: &Port) -> bool {
    matches!(port.name.as_str(), "s_axi_awaddr" | "s_axi_araddr")
}

/// For TDATA of a stream: the name of the stream, and the bytes of a beat.
fn beat(port: &Port) -> Option<(&str, usize)> {
    let (bus, signal) = member(&port.name)?;
    (bus.kind == Kind::Stream && signal == "tdata").then_some((bus.name, port.width / 8))
}

/// A port with its attributes; TDATA brings TKEEP along.
fn declaration(port: &Port, buses: &[Bus<'_>]) -> String {
    let width = if is_address(port) {
        ADDRESS_W
    } else {
        port.width
    };
    let mut text = format!(
        "{}  {}",
        attributes(port, buses),
        plain(port.direction, width, &port.name)
    );
    if let Some((bus, bytes)) = beat(port) {
        let info = interface_info("axis:1.0", "interface", bus, "TKEEP");
        let port = plain(Direction::Output, bytes, &format!("{bus}_tkeep"));
        text += &format!(",\n{info}  {port}");
    }
    text
}

fn plain(direction: Direction, width: usize, name: &str) -> String {
    let direction = match direction {
        Direction::Input => "input wire",
        Direction::Output => "output wire",
    };
    match width {
        1 => format!("{direction} {name}"),
        _ => format!("{direction} [{}:0] {name}", width - 1),
    }
}

fn attributes(port: &Port, buses: &[Bus<'_>]) -> String {
    let name = port.name.as_str();
    if port.is_clock {
        // The trace port is no interface of AXI: its clock has none, which is to be written down.
        let associated = match name {
            CLOCK => {
                let names: Vec<&str> = buses.iter().map(|bus| bus.name).collect();
                format!(
                    "ASSOCIATED_BUSIF {}, ASSOCIATED_RESET {RESET}",
                    names.join(":")
                )
            }
            _ => "ASSOCIATED_BUSIF ".to_owned(),
        };
        let parameters = format!("{associated}, FREQ_TOLERANCE_HZ -1");
        return interface_info("clock:1.0", "signal", name, "CLK")
            + &interface_mode("slave", name)
            + &interface_parameter(name, &parameters);
    }
    if name == RESET {
        return interface_info("reset:1.0", "signal", name, "RST")
            + &interface_mode("slave", name)
            + &interface_parameter(name, "POLARITY ACTIVE_LOW");
    }
    if name == INTERRUPT {
        return interface_info("interrupt:1.0", "signal", name, "INTERRUPT")
            + &interface_mode("master", name)
            + &interface_parameter(name, "SENSITIVITY LEVEL_HIGH");
    }
    let Some((bus, signal)) = member(name) else {
        return String::new();
    };
    let (kind, parameters) = match (bus.kind, signal) {
        (Kind::Registers, "awaddr") => (
            "aximm:1.0",
            format!(
                "PROTOCOL AXI4LITE, DATA_WIDTH 32, ADDR_WIDTH {ADDRESS_W}, READ_WRITE_MODE READ_WRITE, \
                 HAS_WSTRB 1, HAS_BRESP 1, HAS_RRESP 1, HAS_PROT 0"
            ),
        ),
        (Kind::Stream, "tdata") => (
            "axis:1.0",
            format!(
                "TDATA_NUM_BYTES {}, HAS_TREADY 1, HAS_TKEEP 1, HAS_TLAST 1, HAS_TSTRB 0, \
                 TID_WIDTH 0, TDEST_WIDTH 0, TUSER_WIDTH 0",
                port.width / 8
            ),
        ),
        (Kind::Input, "tdata") => (
            "axis:1.0",
            format!(
                "TDATA_NUM_BYTES {}, HAS_TREADY 0, HAS_TKEEP 0, HAS_TLAST 0, HAS_TSTRB 0, \
                 TID_WIDTH 0, TDEST_WIDTH 0, TUSER_WIDTH 0",
                port.width / 8
            ),
        ),
        (Kind::Registers, _) => ("aximm:1.0", String::new()),
        (Kind::Stream | Kind::Input, _) => ("axis:1.0", String::new()),
    };
    let info = interface_info(kind, "interface", bus.name, &signal.to_uppercase());
    if parameters.is_empty() {
        return info;
    }
    let mode = match bus.kind {
        Kind::Registers | Kind::Input => "slave",
        Kind::Stream => "master",
    };
    info + &interface_mode(mode, bus.name) + &interface_parameter(bus.name, &parameters)
}

/// Newer versions of Vivado print it too; it is once in an interface.
fn interface_mode(mode: &str, interface: &str) -> String {
    format!("  (* X_INTERFACE_MODE = \"{mode} {interface}\" *)\n")
}

fn interface_info(kind: &str, library: &str, interface: &str, signal: &str) -> String {
    format!("  (* X_INTERFACE_INFO = \"xilinx.com:{library}:{kind} {interface} {signal}\" *)\n")
}

fn interface_parameter(interface: &str, parameters: &str) -> String {
    format!("  (* X_INTERFACE_PARAMETER = \"XIL_INTERFACENAME {interface}, {parameters}\" *)\n")
}
