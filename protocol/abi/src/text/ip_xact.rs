// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table as an IP-XACT memory map.
//!
//! Source: IEEE 1685-2014, memory maps and register descriptions.

use crate::registers::{Access, Field, Map, Register};
use alloc::string::String;
use core::fmt::{Result, Write};

/// A `memoryMap` element with one address block; the registers of the sources are a register file
/// with one dimension.
pub fn ip_xact(map: &Map) -> String {
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
    let range = (source_base + source_stride * sources as u32).next_power_of_two();
    writeln!(
        out,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<!-- SPDX-License-Identifier: MIT OR Apache-2.0 -->
<!-- Control and status registers, made by cargo export; do not edit. -->
<ipxact:memoryMap xmlns:ipxact=\"http://www.accellera.org/XMLSchema/IPXACT/1685-2014\">
  <ipxact:name>{name}</ipxact:name>
  <ipxact:addressBlock>
    <ipxact:name>registers</ipxact:name>
    <ipxact:baseAddress>'h0</ipxact:baseAddress>
    <ipxact:range>'h{range:x}</ipxact:range>
    <ipxact:width>32</ipxact:width>
    <ipxact:usage>register</ipxact:usage>"
    )?;
    for register in global {
        instance(out, "    ", register)?;
    }
    writeln!(
        out,
        "    <ipxact:registerFile>
      <ipxact:name>SOURCE</ipxact:name>
      <ipxact:dim>{sources}</ipxact:dim>
      <ipxact:addressOffset>'h{source_base:x}</ipxact:addressOffset>
      <ipxact:range>'h{source_stride:x}</ipxact:range>"
    )?;
    for register in source {
        instance(out, "      ", register)?;
    }
    writeln!(
        out,
        "    </ipxact:registerFile>
  </ipxact:addressBlock>
  <ipxact:addressUnitBits>8</ipxact:addressUnitBits>
</ipxact:memoryMap>"
    )
}

fn instance(out: &mut String, indent: &str, register: &Register) -> Result {
    let Register {
        name, offset, text, ..
    } = register;
    writeln!(
        out,
        "{indent}<ipxact:register>
{indent}  <ipxact:name>{name}</ipxact:name>
{indent}  <ipxact:description>{text}</ipxact:description>
{indent}  <ipxact:addressOffset>'h{offset:x}</ipxact:addressOffset>
{indent}  <ipxact:size>32</ipxact:size>"
    )?;
    for each in register.fields {
        field(out, indent, each)?;
    }
    writeln!(out, "{indent}</ipxact:register>")
}

fn field(out: &mut String, indent: &str, field: &Field) -> Result {
    let Field {
        name,
        low,
        width,
        reset,
        text,
        access,
    } = field;
    writeln!(
        out,
        "{indent}  <ipxact:field>
{indent}    <ipxact:name>{name}</ipxact:name>
{indent}    <ipxact:description>{text}</ipxact:description>
{indent}    <ipxact:bitOffset>{low}</ipxact:bitOffset>
{indent}    <ipxact:resets>
{indent}      <ipxact:reset>
{indent}        <ipxact:value>'h{reset:x}</ipxact:value>
{indent}      </ipxact:reset>
{indent}    </ipxact:resets>
{indent}    <ipxact:bitWidth>{width}</ipxact:bitWidth>"
    )?;
    // The schema has these three in this order.
    if matches!(access, Access::Live | Access::Snapshot | Access::Event) {
        writeln!(out, "{indent}    <ipxact:volatile>true</ipxact:volatile>")?;
    }
    let word = match access {
        Access::Constant | Access::Live | Access::Snapshot => "read-only",
        Access::ReadWrite | Access::Pulse | Access::Event => "read-write",
    };
    writeln!(out, "{indent}    <ipxact:access>{word}</ipxact:access>")?;
    let effect = match access {
        Access::Pulse => "clear",
        Access::Event => "oneToClear",
        _ => return writeln!(out, "{indent}  </ipxact:field>"),
    };
    writeln!(
        out,
        "{indent}    <ipxact:modifiedWriteValue>{effect}</ipxact:modifiedWriteValue>"
    )?;
    writeln!(out, "{indent}  </ipxact:field>")
}
