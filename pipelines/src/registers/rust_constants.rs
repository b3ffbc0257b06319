// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table as a Rust module: offsets, masks, shifts and reset values.

use super::SOURCES;
use super::{GLOBAL, NAME, Register, SOURCE, SOURCE_BASE, SOURCE_STRIDE};
use std::fmt::{Result, Write};

/// A Rust module without dependencies. The offsets of a source are functions of its number.
pub fn rust_constants() -> String {
    let mut text = String::new();
    document(&mut text).expect("writing to a string");
    text
}

fn document(out: &mut String) -> Result {
    writeln!(
        out,
        "// SPDX-License-Identifier: MIT OR Apache-2.0\n\
         //! Control and status registers, made by {NAME} export; do not edit. Offsets are in bytes.\n\n\
         /// Trace sources, each with registers of its own.\n\
         pub const SOURCES: u32 = {SOURCES};"
    )?;
    for register in &GLOBAL {
        let (name, offset) = (register.name, register.offset);
        writeln!(out, "\n/// {}", register.text)?;
        writeln!(out, "pub const {name}_OFFSET: u32 = {offset:#05x};")?;
        values(out, register)?;
    }
    for register in &SOURCE {
        let (name, offset) = (register.name.to_lowercase(), SOURCE_BASE + register.offset);
        writeln!(out, "\n/// {}", register.text)?;
        writeln!(out, "pub const fn {name}_offset(source: u32) -> u32 {{")?;
        writeln!(out, "    {offset:#05x} + {SOURCE_STRIDE:#04x} * source\n}}")?;
        values(out, register)?;
    }
    Ok(())
}

fn values(out: &mut String, register: &Register) -> Result {
    let name = register.name;
    writeln!(out, "/// The value after reset.")?;
    writeln!(
        out,
        "pub const {name}_RESET: u32 = {:#010x};",
        register.reset()
    )?;
    for field in register.fields {
        let (part, low, mask) = (field.name, field.low, field.mask());
        writeln!(out, "/// Lowest bit: {}", field.text)?;
        writeln!(out, "pub const {name}_{part}_SHIFT: u32 = {low};")?;
        writeln!(out, "/// Bits: {}", field.text)?;
        writeln!(out, "pub const {name}_{part}_MASK: u32 = {mask:#010x};")?;
    }
    Ok(())
}
