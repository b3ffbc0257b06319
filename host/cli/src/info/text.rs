// SPDX-License-Identifier: MIT OR Apache-2.0
//! A summary as lines for people.

use std::fmt::{Result, Write};

use coretrace_etm::register_fields::REGISTER_FIELDS;

use super::summary::{BufferSummary, SourceSummary, TraceSummary};

/// The kinds of packets to show; the others are one line.
const KINDS: usize = 12;

/// The summary of a trace.
pub fn text(trace: &TraceSummary) -> String {
    let mut out = String::new();
    // A String takes everything.
    let _ = put(&mut out, trace);
    out
}

fn put(out: &mut String, trace: &TraceSummary) -> Result {
    writeln!(out, "{}", trace.name)?;
    for damage in &trace.damage {
        writeln!(out, "  damage: {damage}")?;
    }
    let counted = trace.counters.iter().filter(|(_, count)| *count > 0);
    let counted: Vec<String> = counted
        .map(|(name, count)| format!("{name} {count}"))
        .collect();
    if !trace.counters.is_empty() {
        writeln!(out, "  the core counted {}", counted.join(", "))?;
    }
    trace
        .buffers
        .iter()
        .try_for_each(|buffer| put_buffer(out, buffer))
}

fn put_buffer(out: &mut String, buffer: &BufferSummary) -> Result {
    let name = buffer.name.as_deref().unwrap_or("trace");
    writeln!(out, "  {name}: {} bytes, {}", buffer.bytes, buffer.format)?;
    if buffer.frames > 0 {
        writeln!(
            out,
            "    {} frames, {} bytes of filling",
            buffer.frames, buffer.null_bytes
        )?;
    }
    if buffer.bytes_without_frame > 0 || buffer.sync_losses > 0 {
        writeln!(
            out,
            "    damage: frame sync lost {} times, {} bytes in no complete frame",
            buffer.sync_losses, buffer.bytes_without_frame
        )?;
    }
    for source in &buffer.sources {
        put_source(out, source)?;
    }
    for (id, bytes) in &buffer.other_ids {
        writeln!(out, "    ID {id:02x}: {bytes} bytes, not decoded")?;
    }
    Ok(())
}

fn put_source(out: &mut String, source: &SourceSummary) -> Result {
    let id = source
        .trace_id
        .map_or("no ID".to_owned(), |id| format!("ID {id:02x}"));
    let core = source.core.as_deref().unwrap_or("core not named");
    writeln!(
        out,
        "    {id}: {}, {}, {core}",
        source.name, source.protocol
    )?;
    if !source.is_decoded {
        return Ok(());
    }
    if source.bytes == 0 && source.packets == 0 {
        return writeln!(out, "      no bytes");
    }
    for (register, value) in &source.registers {
        put_register(out, register, *value)?;
    }
    // Records do not have the bytes of their packets.
    let has_bytes = source.bytes > 0;
    out.write_str("      ")?;
    if has_bytes {
        write!(out, "{} bytes, ", source.bytes)?;
    }
    write!(out, "{} packets", source.packets)?;
    if has_bytes && source.packets > 0 {
        let rate = source.bytes as f64 / source.packets as f64;
        write!(out, ", {rate:.2} bytes a packet")?;
    }
    writeln!(out, ", {} A-Syncs", source.asyncs)?;
    if let Some((first, last)) = source.timestamps {
        write!(out, "      timestamps {first:#x} to {last:#x}")?;
        if has_bytes && last > first {
            let rate = source.bytes as f64 / (last - first) as f64;
            write!(out, ", {rate:.3} bytes a tick")?;
        }
        writeln!(out)?;
    }
    if source.lead_in_bytes > 0 {
        writeln!(
            out,
            "      {} bytes before the first A-Sync",
            source.lead_in_bytes
        )?;
    }
    if source.errors > 0 || source.unread_bytes > 0 {
        writeln!(
            out,
            "      damage: {} errors, {} bytes not read",
            source.errors, source.unread_bytes
        )?;
    }
    for (kind, count) in source.kinds.iter().take(KINDS) {
        writeln!(out, "      {count:>10}  {kind}")?;
    }
    let others = source.kinds.iter().skip(KINDS);
    let count: u64 = others.clone().map(|(_, count)| count).sum();
    if count > 0 {
        writeln!(out, "      {count:>10}  of {} other kinds", others.count())?;
    }
    Ok(())
}

/// A register that is not 0, with those of its fields that are not.
fn put_register(out: &mut String, register: &str, value: u32) -> Result {
    if value == 0 {
        return Ok(());
    }
    let fields = REGISTER_FIELDS
        .iter()
        .filter(|field| field.register == register);
    let set = fields
        .filter(|field| field.of(value) != 0)
        .map(|field| match field.bits {
            1 => format!("{} ({})", field.name, field.text),
            _ => format!("{} = {} ({})", field.name, field.of(value), field.text),
        });
    let set: Vec<String> = set.collect();
    writeln!(out, "      {register} {value:#010x}: {}", set.join(", "))
}
