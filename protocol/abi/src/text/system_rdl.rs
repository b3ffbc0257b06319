// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table in SystemRDL 2.0.

use crate::registers::{
    Access, GLOBAL, NAME, Register, SOURCE, SOURCE_BASE, SOURCE_STRIDE, SOURCES,
};
use alloc::string::String;
use core::fmt::{Result, Write};

/// An address map in SystemRDL, with an array of register files for the sources.
pub fn system_rdl() -> String {
    let mut text = String::new();
    document(&mut text).expect("writing to a string");
    text
}

fn document(out: &mut String) -> Result {
    writeln!(
        out,
        "// SPDX-License-Identifier: MIT OR Apache-2.0\n\
         // Control and status registers, made by {NAME} export; do not edit.\n\
         addrmap {NAME} {{\n    \
         default regwidth = 32;\n    \
         default accesswidth = 32;"
    )?;
    for register in GLOBAL {
        instance(out, "    ", register)?;
    }
    writeln!(out, "    regfile {{")?;
    for register in SOURCE {
        instance(out, "        ", register)?;
    }
    writeln!(
        out,
        "    }} SOURCE[{SOURCES}] @ {SOURCE_BASE:#x} += {SOURCE_STRIDE:#x};\n}};"
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
