// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table in SystemRDL 2.0.

use crate::registers::{Access, Map, Register};
use alloc::string::String;
use core::fmt::{Result, Write};

/// An address map in SystemRDL, with an array of register files for the sources.
pub fn system_rdl(map: &Map) -> String {
    let mut text = String::new();
    document(&mut text, map).expect("writing to a string");
    text
}

fn document(out: &mut String, map: &Map) -> Result {
    let &Map {
        global,
        source,
        name,
        source_base,
        source_stride,
        sources,
        ..
    } = map;
    writeln!(
        out,
        "// SPDX-License-Identifier: MIT OR Apache-2.0\n\
         // Control and status registers, made by cargo export; do not edit.\n\
         addrmap {name} {{\n    \
         default regwidth = 32;\n    \
         default accesswidth = 32;"
    )?;
    for register in global {
        instance(out, "    ", register)?;
    }
    writeln!(out, "    regfile {{")?;
    for register in source {
        instance(out, "        ", register)?;
    }
    writeln!(
        out,
        "    }} SOURCE[{sources}] @ {source_base:#x} += {source_stride:#x};\n}};"
    )
}

fn instance(out: &mut String, indent: &str, register: &Register) -> Result {
    writeln!(out, "{indent}reg {{")?;
    writeln!(out, "{indent}    desc = \"{}\";", register.text)?;
    for field in register.fields {
        writeln!(
            out,
            "{indent}    field {{ {} desc = \"{}\"; }} {}[{}:{}] = {:#x};",
            properties(field.access),
            field.text,
            field.name,
            field.high(),
            field.low,
            field.reset
        )?;
    }
    writeln!(
        out,
        "{indent}}} {} @ {:#x};",
        register.name, register.offset
    )
}

/// What software and hardware may do with a field.
fn properties(access: Access) -> &'static str {
    match access {
        Access::Constant => "sw = r; hw = na;",
        Access::Live | Access::Snapshot => "sw = r; hw = w;",
        Access::ReadWrite => "sw = rw; hw = r;",
        Access::Pulse => "sw = w; hw = r; singlepulse;",
        Access::Event => "sw = rw; onwrite = woclr; hw = w;",
    }
}
