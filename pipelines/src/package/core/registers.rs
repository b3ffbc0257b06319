// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4_csr.tcl`: the registers for `package_ip.tcl`, which gives them to the component.

use coretrace_abi::registers::{Access, Map};
use std::fmt::{Result, Write};

/// The text of `etm4_csr.tcl`: it sets `registers` to a flat list of name, byte offset, text and
/// fields, and the fields are a flat list of name, lowest bit, width, access and text.
pub fn tcl(map: &Map) -> String {
    let mut text = String::new();
    document(&mut text, map).expect("writing to a string");
    text
}

fn document(out: &mut String, map: &Map) -> Result {
    writeln!(
        out,
        "# SPDX-License-Identifier: MIT OR Apache-2.0\n\
         # The registers for package_ip.tcl, made by cargo export; do not edit.\n\
         set registers {{"
    )?;
    for (offset, register) in map.placed() {
        let text = braced(register.text);
        writeln!(out, "    {} 0x{offset:x} {text} {{", register.name)?;
        for field in register.fields {
            let access = match field.access {
                Access::Constant | Access::Live | Access::Snapshot => "read-only",
                Access::ReadWrite | Access::Pulse | Access::Event => "read-write",
            };
            let (name, low, width) = (field.name, field.low, field.width);
            let text = braced(field.text);
            writeln!(out, "        {name} {low} {width} {access} {text}")?;
        }
        writeln!(out, "    }}")?;
    }
    writeln!(out, "}}")
}

/// A word of a Tcl list. Braces and backslashes would change its meaning.
fn braced(text: &str) -> String {
    let plain = text.replace(['{', '}', '\\'], "");
    format!("{{{plain}}}")
}
