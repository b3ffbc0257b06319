// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table as a C header: offsets, masks, shifts and reset values.

use crate::registers::{Map, Register};
use alloc::string::String;
use core::fmt::{Result, Write};

/// A C header. The registers of a source have an argument, its number.
pub fn c_header(map: &Map) -> String {
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
    let prefix = name.to_uppercase();
    writeln!(
        out,
        "/* SPDX-License-Identifier: MIT OR Apache-2.0 */\n\
         /* Control and status registers, made by cargo export; do not edit.\n   \
         Offsets are in bytes; x of {prefix}_..._OFFSET(x) is the number of a source. */\n\
         #ifndef {prefix}_CSR_H\n\
         #define {prefix}_CSR_H\n\n\
         #define {prefix}_SOURCES {sources}u"
    )?;
    for register in global {
        let (name, offset) = (register.name, register.offset);
        writeln!(out, "\n/* {} */", register.text)?;
        writeln!(out, "#define {prefix}_{name}_OFFSET 0x{offset:03X}u")?;
        values(out, &prefix, register)?;
    }
    for register in source {
        let (name, offset) = (register.name, source_base + register.offset);
        writeln!(out, "\n/* {} */", register.text)?;
        writeln!(
            out,
            "#define {prefix}_{name}_OFFSET(x) (0x{offset:03X}u + 0x{source_stride:02X}u * (x))"
        )?;
        values(out, &prefix, register)?;
    }
    writeln!(out, "\n#endif")
}

fn values(out: &mut String, prefix: &str, register: &Register) -> Result {
    let name = register.name;
    writeln!(
        out,
        "#define {prefix}_{name}_RESET 0x{:08X}u",
        register.reset()
    )?;
    for field in register.fields {
        let (part, low, mask) = (field.name, field.low, field.mask());
        writeln!(out, "#define {prefix}_{name}_{part}_SHIFT {low}u")?;
        writeln!(out, "#define {prefix}_{name}_{part}_MASK 0x{mask:08X}u")?;
    }
    Ok(())
}
