// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table as a Rust module: a type for each register, and all of them behind a bus.

use crate::registers::{Access, Field, Map, Register};
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use core::fmt::{Result, Write};

/// A Rust module without dependencies.
///
/// Its `Registers` reads and writes registers through a `Bus`, each as a value of its own type: an
/// `OFFSET` (for a source the function `offset`), a `RESET`, for each field that can be read a
/// function of its name, and `with_` it for each that can be written.
pub fn rust_accessors(map: &Map) -> String {
    let mut text = String::new();
    document(&mut text, map).expect("writing to a string");
    text
}

fn document(out: &mut String, map: &Map) -> Result {
    let &Map {
        global,
        source,
        source_base,
        source_stride,
        sources,
        ..
    } = map;
    writeln!(
        out,
        "// SPDX-License-Identifier: MIT OR Apache-2.0
//! Control and status registers, made by cargo export; do not edit.
//!
//! A register is read as a value of its type, changed field by field, and written:
//! `let value = registers.control().with_snapshot(true); registers.set_control(value)`.

/// Words of 32 bits at byte offsets from the first register.
pub trait Bus {{
    /// Reads a word.
    fn read(&mut self, offset: u32) -> u32;
    /// Writes a word.
    fn write(&mut self, offset: u32, value: u32);
}}

impl<B: Bus + ?Sized> Bus for &mut B {{
    fn read(&mut self, offset: u32) -> u32 {{
        (**self).read(offset)
    }}
    fn write(&mut self, offset: u32, value: u32) {{
        (**self).write(offset, value)
    }}
}}

/// Trace sources, each with registers of its own.
pub const SOURCES: u32 = {sources};

/// The registers behind a bus; `source` is the number of a source.
pub struct Registers<B>(pub B);

impl<B: Bus> Registers<B> {{"
    )?;
    for register in global {
        let place = format!("{}::OFFSET", type_name(register));
        access(out, register, "", &place)?;
    }
    for register in source {
        let place = format!("{}::offset(source)", type_name(register));
        access(out, register, ", source: u32", &place)?;
    }
    writeln!(out, "}}")?;
    for register in global {
        let offset = register.offset;
        let place = format!("pub const OFFSET: u32 = {offset:#05x};");
        value(out, register, &place)?;
    }
    for register in source {
        let offset = source_base + register.offset;
        let place = format!(
            "pub const fn offset(source: u32) -> u32 {{\n        \
             {offset:#05x} + {source_stride:#04x} * source\n    }}"
        );
        value(out, register, &place)?;
    }
    Ok(())
}

/// `SOURCE_CONTROL` as `SourceControl`.
fn type_name(register: &Register) -> String {
    let words = register.name.split('_');
    words
        .map(|word| word[..1].to_owned() + &word[1..].to_lowercase())
        .collect()
}

fn is_written(field: &Field) -> bool {
    matches!(
        field.access,
        Access::ReadWrite | Access::Pulse | Access::Event
    )
}

/// How a register is read and written.
fn access(out: &mut String, register: &Register, argument: &str, place: &str) -> Result {
    let (kind, name) = (type_name(register), register.name.to_lowercase());
    writeln!(
        out,
        "    /// Reads {}.
    pub fn {name}(&mut self{argument}) -> {kind} {{
        {kind}(self.0.read({place}))
    }}",
        register.name
    )?;
    if !register.fields.iter().any(is_written) {
        return Ok(());
    }
    writeln!(
        out,
        "    /// Writes {}.
    pub fn set_{name}(&mut self{argument}, value: {kind}) {{
        self.0.write({place}, value.0);
    }}",
        register.name
    )
}

/// The type of a register's values.
fn value(out: &mut String, register: &Register, place: &str) -> Result {
    let (kind, text, reset) = (type_name(register), register.text, register.reset());
    writeln!(
        out,
        "
/// {text}
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct {kind}(pub u32);

impl {kind} {{
    /// Byte offset.
    {place}
    /// The value after reset.
    pub const RESET: Self = Self({reset:#x});"
    )?;
    for field in register.fields {
        let (name, text) = (field.name.to_lowercase(), field.text);
        let (kind, got, put) = bits(field);
        if field.access != Access::Pulse {
            writeln!(
                out,
                "    /// {text}
    pub const fn {name}(self) -> {kind} {{
        {got}
    }}"
            )?;
        }
        if is_written(field) {
            writeln!(
                out,
                "    /// {text}
    pub const fn with_{name}(self, value: {kind}) -> Self {{
        {put}
    }}"
            )?;
        }
    }
    writeln!(out, "}}")
}

/// The type of a field; what it is in a register, and a register with another value of it.
fn bits(field: &Field) -> (&'static str, String, String) {
    let (low, mask) = (field.low, field.mask());
    match (field.width, low) {
        (32, _) => ("u32", "self.0".into(), "Self(value)".into()),
        (1, _) => (
            "bool",
            format!("self.0 & {mask:#x} != 0"),
            format!("Self((self.0 & !{mask:#x}) | if value {{ {mask:#x} }} else {{ 0 }})"),
        ),
        (_, 0) => (
            "u32",
            format!("self.0 & {mask:#x}"),
            format!("Self((self.0 & !{mask:#x}) | (value & {mask:#x}))"),
        ),
        _ => (
            "u32",
            format!("(self.0 & {mask:#x}) >> {low}"),
            format!("Self((self.0 & !{mask:#x}) | ((value << {low}) & {mask:#x}))"),
        ),
    }
}
