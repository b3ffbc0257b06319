// SPDX-License-Identifier: MIT OR Apache-2.0
//! Packets to bytes.

use anyhow::{Context, Result, bail};

use crate::grammar::{EXTENSION, Grammar, Payload};
use crate::parser::{ASYNC_END, ASYNC_ZEROS};
use crate::payload;
use crate::record::Value;

/// Appends the packet with this name and these fields; a field that is not named is 0. Bits of a value that its
/// field has no room for are left out.
///
/// # Errors
/// If the grammar has no such packet, or nobody says what its payload is.
pub fn emit(
    grammar: &Grammar,
    name: &str,
    fields: &[(&str, u64)],
    out: &mut Vec<u8>,
) -> Result<()> {
    let index = grammar
        .named(name)
        .with_context(|| format!("there is no packet {name}"))?;
    let packet = &grammar.packets()[index];
    let Payload::Fields(payload) = &packet.payload else {
        bail!("the payload of {name} is unknown");
    };
    let values: Vec<Value> = fields
        .iter()
        .map(|&(name, value)| payload::named(name, value, 64))
        .collect();
    if packet.is_extension {
        out.push(EXTENSION);
    }
    let header = packet.pattern.fields().iter();
    out.push(header.fold(packet.pattern.value(), |byte, field| {
        field.put(byte, payload::value(&values, &field.name.to_string()))
    }));
    payload::write(payload, &values, out);
    Ok(())
}

/// Appends an A-Sync.
pub fn emit_async(out: &mut Vec<u8>) {
    out.extend([0; ASYNC_ZEROS as usize]);
    out.push(ASYNC_END);
}
