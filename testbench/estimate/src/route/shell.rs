// SPDX-License-Identifier: MIT OR Apache-2.0
//! A module with three pins around a top with thousands of port bits.
//!
//! A shift register drives the inputs, and a tree of registered XORs takes every output bit, so that
//! nothing can be left out. Each port bit meets a register of the shell and nothing else. The reset
//! comes straight from its pin, as in a design whose reset is not timed.

use coretrace_hdl_verilog::{Direction, Port};
use std::fmt::Write;

/// Name of the module.
pub const NAME: &str = "shell";
/// Active-low reset, also of the design.
pub const RESET: &str = "aresetn";
/// Into the shift register.
pub const SCAN_IN: &str = "scan_in";
/// Out of the tree.
pub const SCAN_OUT: &str = "scan_out";

/// Verilog text of a shell around `top`; `clock_source` is an instance that drives `clock`.
pub fn verilog(top: &str, ports: &[Port], clock_source: &str) -> String {
    let mut text = String::new();
    write(top, ports, clock_source, &mut text).expect("writing to a string");
    text
}

fn write(top: &str, ports: &[Port], clock_source: &str, text: &mut String) -> std::fmt::Result {
    let mut connections = Vec::new();
    let (mut inputs, mut outputs) = (0, 0);
    for port in ports {
        let (bus, used) = match port.direction {
            _ if port.is_clock => {
                connections.push(format!(".{}(clock)", port.name));
                continue;
            }
            _ if port.name == RESET => {
                connections.push(format!(".{}({RESET})", port.name));
                continue;
            }
            Direction::Input => ("driven", &mut inputs),
            Direction::Output => ("taken", &mut outputs),
        };
        connections.push(format!(".{}({bus}[{used} +: {}])", port.name, port.width));
        *used += port.width;
    }
    writeln!(
        text,
        "module {NAME} (input {RESET}, input {SCAN_IN}, output {SCAN_OUT});"
    )?;
    writeln!(text, "wire clock;\n{clock_source}")?;
    writeln!(
        text,
        "reg [{inputs}:0] driven;\nwire [{}:0] taken;",
        outputs.max(1) - 1
    )?;
    writeln!(
        text,
        "always @(posedge clock) driven <= {{driven, {SCAN_IN}}};"
    )?;
    writeln!(text, "{top} design ({});", connections.join(", "))?;
    writeln!(text, "reg [{}:0] fold0;", outputs.max(1) - 1)?;
    writeln!(text, "always @(posedge clock) fold0 <= taken;")?;
    let (mut width, mut stage) = (outputs.max(1), 0);
    while width > 1 {
        // Four parts of the row before, the last of which may be shorter.
        let part = width.div_ceil(4);
        let parts: Vec<String> = (0..width)
            .step_by(part)
            .map(|low| format!("fold{stage}[{}:{low}]", (low + part).min(width) - 1))
            .collect();
        stage += 1;
        writeln!(text, "reg [{}:0] fold{stage};", part - 1)?;
        writeln!(
            text,
            "always @(posedge clock) fold{stage} <= {};",
            parts.join(" ^ ")
        )?;
        width = part;
    }
    writeln!(text, "assign {SCAN_OUT} = fold{stage}[0];\nendmodule")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn port(name: &str, width: usize, direction: Direction, is_clock: bool) -> Port {
        Port {
            name: name.to_owned(),
            width,
            direction,
            is_clock,
            hex: String::new(),
        }
    }

    #[test]
    fn every_port_bit_meets_its_own_bit_of_the_shell() {
        let ports = [
            port("aclk", 1, Direction::Input, true),
            port(RESET, 1, Direction::Input, false),
            port("a", 3, Direction::Input, false),
            port("b", 2, Direction::Input, false),
            port("x", 1, Direction::Output, false),
            port("y", 4, Direction::Output, false),
        ];
        let text = verilog("top", &ports, "");
        let instance = "top design (.aclk(clock), .aresetn(aresetn), .a(driven[0 +: 3]), \
                        .b(driven[3 +: 2]), .x(taken[0 +: 1]), .y(taken[1 +: 4]));";
        assert!(text.contains(instance), "{text}");
        // Five bits are two, the last part a bit short, and then one.
        assert!(
            text.contains("fold1 <= fold0[1:0] ^ fold0[3:2] ^ fold0[4:4];"),
            "{text}"
        );
        assert!(text.contains("fold2 <= fold1[0:0] ^ fold1[1:1];"), "{text}");
        assert!(text.contains("assign scan_out = fold2[0];"), "{text}");
    }
}
