// SPDX-License-Identifier: MIT OR Apache-2.0
//! The `capture.toml` of a generated capture.

use std::fmt::Write;

use coretrace_capture::{Capture, SourceDescription, sha256_hex};
use coretrace_coresight::TraceId;
use coretrace_etm::{Protocol, Registers};
use coretrace_test_gen::RegisterSet;
use toml::Value;

/// Name of the trace in the folder.
pub const TRACE_FILE: &str = "trace.bin";

/// Describes a source with these registers.
pub fn of_registers(
    name: String,
    protocol: String,
    trace_id: Option<TraceId>,
    core: Option<String>,
    registers: &Registers,
) -> SourceDescription {
    let trace_id = trace_id.map(TraceId::value);
    // An ETMv4 has no TRCDEVARCH that a decoder reads.
    let is_read = |&(name, value): &(&str, u32)| name != "TRCDEVARCH" || value != 0;
    let programmed = trace_id.map(|id| ("TRCTRACEIDR", u32::from(id)));
    let list = registers.named().filter(is_read).chain(programmed);
    SourceDescription {
        name,
        protocol,
        trace_id,
        core,
        registers: list.map(|(name, value)| (name.into(), value)).collect(),
    }
}

/// Describes a source of a register set.
pub fn of_set(set: &RegisterSet, id: TraceId) -> SourceDescription {
    let protocol = match set.protocol {
        Protocol::Etm4 => "ETM4",
        Protocol::Ete => "ETE",
    };
    of_registers(
        format!("ETM_{:02x}", id.value()),
        protocol.into(),
        Some(id),
        Some(set.core.into()),
        &set.registers,
    )
}

/// The text of the description. Registers are hexadecimal, as manuals show them.
pub fn toml(capture: &Capture, sources: &[SourceDescription], origin: &str) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write_toml(&mut text, capture, sources, origin);
    text
}

fn write_toml(
    out: &mut String,
    capture: &Capture,
    sources: &[SourceDescription],
    origin: &str,
) -> std::fmt::Result {
    writeln!(out, "name = {}", quoted(&capture.name))?;
    writeln!(out, "file = {}", quoted(TRACE_FILE))?;
    writeln!(out, "format = {}", quoted(&capture.format.to_string()))?;
    writeln!(out, "bytes = {}", capture.bytes.len())?;
    writeln!(out, "sha256 = {}", quoted(&sha256_hex(&capture.bytes)))?;
    writeln!(out, "origin = {}", quoted(origin))?;
    for source in sources {
        write!(out, "\n{}", source.toml())?;
    }
    Ok(())
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_capture::{Description, Format};

    #[test]
    fn what_is_written_is_read_again() {
        let set = RegisterSet::ALL[1];
        let id = TraceId::new(0x2A).expect("an ID");
        let sources = [of_set(&set, id)];
        let name = "quote \" and \\ and é";
        let capture =
            Capture::new(name.into(), Format::Raw, vec![1, 2, 3], &sources).expect("good");
        let text = toml(&capture, &sources, "here");
        let description = Description::parse(&text).expect("well-formed");
        assert_eq!(description.name, name);
        let again = Capture::new(
            name.into(),
            Format::Raw,
            vec![1, 2, 3],
            &description.sources,
        );
        assert_eq!(again.expect("good"), capture);
    }
}
