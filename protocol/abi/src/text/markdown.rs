// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table as a document: `docs/csr.md`.

use crate::registers::{Access, Map, Register};
use alloc::format;
use alloc::string::{String, ToString};
use core::fmt::{Result, Write};

const HEAD: &str = "
Registers have 32 bits, at byte offsets, behind an AXI4-Lite bus.
Bits without a field read 0 and ignore writes.
An access to an offset without a register returns SLVERR.

| access | meaning |
|---|---|
| ro | read-only; a write returns OKAY and has no effect |
| ro, snapshot | read-only; the value as of the last write of 1 to `CONTROL.SNAPSHOT` |
| rw | read and write |
| w1 | write 1 for a pulse; reads 0 |
| w1c | 1 once it has happened; write 1 to clear |
";

/// Markdown with a table of all registers and a table of the fields of each.
pub fn markdown(map: &Map) -> String {
    let Map { core: name, .. } = map;
    let mut text = format!(
        "<!-- Made by `UPDATE=1 cargo test -p coretrace-abi`, do not edit. -->\n\
         # Control and status registers of `{name}`\n{HEAD}"
    );
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
    writeln!(out, "\n## The whole core\n")?;
    overview(out, global)?;
    writeln!(out, "\n## Each source\n")?;
    writeln!(
        out,
        "The registers of source `i`, 0 to {}, start at `{source_base:#x} + {source_stride:#x} * i`.\n\
         Offsets are relative to this address.\n",
        sources - 1
    )?;
    overview(out, source)?;
    writeln!(out, "\n## Fields")?;
    global
        .iter()
        .chain(source)
        .try_for_each(|register| fields(out, register))
}

fn overview(out: &mut String, registers: &[Register]) -> Result {
    writeln!(
        out,
        "| offset | register | after reset | meaning |\n|---|---|---|---|"
    )?;
    for register in registers {
        let Register {
            name, offset, text, ..
        } = register;
        let reset = register.reset();
        writeln!(
            out,
            "| `{offset:#04x}` | `{name}` | `{reset:#x}` | {text} |"
        )?;
    }
    Ok(())
}

fn fields(out: &mut String, register: &Register) -> Result {
    writeln!(out, "\n### {}\n", register.name)?;
    writeln!(
        out,
        "| bits | field | access | after reset | meaning |\n|---|---|---|---|---|"
    )?;
    for field in register.fields {
        let bits = match field.width {
            1 => field.low.to_string(),
            _ => format!("{}:{}", field.high(), field.low),
        };
        let access = match field.access {
            Access::Snapshot => "ro, snapshot",
            other => other.code(),
        };
        let (name, reset, text) = (field.name, field.reset, field.text);
        writeln!(
            out,
            "| {bits} | `{name}` | {access} | `{reset:#x}` | {text} |"
        )?;
    }
    Ok(())
}
