// SPDX-License-Identifier: MIT OR Apache-2.0
//! A packet as a line of a case.

use anyhow::{Context, Result, bail, ensure};
use coretrace_etm::address::address_lead;
use coretrace_etm::header::{DISCARD, EXCEPTION, OVERFLOW};
use coretrace_etm::{Config, HEADERS, Kind, Lead, Packet, Part, Parts, atoms, emit, layout, parse};

/// The values of a line that have not been used.
struct Values<'a>(std::str::SplitWhitespace<'a>);

impl Values<'_> {
    fn next(&mut self, what: &str) -> Result<u64> {
        let text = self.0.next().with_context(|| format!("add {what}"))?;
        number(text).with_context(|| format!("{text:?} is not {what}: write a number"))
    }

    /// A value of at most `bits` bits.
    fn bits(&mut self, bits: u32, what: &str) -> Result<u32> {
        let value = self.next(what)?;
        ensure!(
            value >> bits == 0,
            "{what} has {bits} bits: {value:#x} has more"
        );
        Ok(value as u32)
    }
}

/// A decimal number, or a hexadecimal one with `0x`.
pub(super) fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// The bytes of the packet in a line.
///
/// # Errors
/// If no packet has this name under the configuration, a value is missing or does not fit, or there
/// are more values than the packet has.
pub(super) fn bytes(line: &str, config: &Config) -> Result<Vec<u8>> {
    let mut words = line.split_whitespace();
    let name = words.next().context("name a packet")?;
    let mut values = Values(words);
    let (kind, header) = choose(name, &mut values, config)?;
    let mut packet = Packet::new(kind, header);
    let row = layout(header, config);
    packet.tail = row.tail;
    let lead = lead(&packet, row.lead, &mut values)?;
    packet.lead[..lead.len()].copy_from_slice(&lead);
    packet.lead_len = lead.len() as u8;
    if row.lead == Lead::Plctl {
        let sections = values.0.clone().count().min(packet.fields.len());
        packet.tail = Parts::of_plctl(((1u16 << sections) - 1) as u8);
    }
    for part in Part::ALL {
        if packet.tail.contains(part) {
            tail_part(&mut packet, part, &mut values, config)?;
        }
    }
    if let Some(more) = values.0.next() {
        bail!("{name} has no value for {more:?}: remove it");
    }
    let bytes = emit(&packet, config).as_slice().to_vec();
    ensure!(
        parse(&bytes, config) == Ok((packet, bytes.len())),
        "{name} cannot have these values: write it as bytes"
    );
    Ok(bytes)
}

/// The kind and the header that a name and the values after it mean.
fn choose(name: &str, values: &mut Values<'_>, config: &Config) -> Result<(Kind, u8)> {
    if name == "atom" {
        let pattern = values.0.next().context("add the atoms, such as EEN")?;
        let is_atom = |header: &u8| {
            let kind = HEADERS[usize::from(*header)].kind;
            let text = atoms(*header).iter().map(|e| if e { 'E' } else { 'N' });
            snake(kind).starts_with("atom_f") && text.eq(pattern.chars())
        };
        let header = (0..=255).find(is_atom).with_context(|| {
            format!("no Atom packet has the atoms {pattern:?}: take several packets")
        })?;
        return Ok((HEADERS[usize::from(header)].kind, header));
    }
    // Kinds that have their header in common with others.
    for (kind, header) in [
        (Kind::Discard, 0),
        (Kind::Overflow, 0),
        (Kind::PeReset, EXCEPTION),
        (Kind::TransactionFail, EXCEPTION),
    ] {
        if snake(kind) == name {
            return Ok((kind, header));
        }
    }
    let named = |header: &u8| {
        let kind = snake(HEADERS[usize::from(*header)].kind);
        kind == name || kind.strip_suffix("_is0") == Some(name)
    };
    let headers: Vec<u8> = (0..=255).filter(named).collect();
    ensure!(
        !headers.is_empty() && name != snake(Kind::Reserved),
        "there is no packet {name:?}: correct the name, or write bytes"
    );
    let mut open = headers
        .into_iter()
        .filter(|&header| config.allows(layout(header, config).gate));
    let wanted = values
        .0
        .clone()
        .next()
        .and_then(|t| t.strip_prefix("header="));
    let header = match wanted {
        Some(text) => {
            values.0.next();
            let wanted = number(text);
            open.find(|&header| wanted == Some(header.into()))
        }
        None => open.next(),
    };
    let header = header.with_context(|| {
        format!("these registers allow no {name} with this header: write it as bytes")
    })?;
    Ok((HEADERS[usize::from(header)].kind, header))
}

/// The lead bytes of a packet that keeps them.
fn lead(packet: &Packet, lead: Lead, values: &mut Values<'_>) -> Result<Vec<u8>> {
    Ok(match lead {
        Lead::None | Lead::Plctl => Vec::new(),
        Lead::Extension => vec![match packet.kind {
            Kind::Discard => DISCARD,
            Kind::Overflow => OVERFLOW,
            _ => 0,
        }],
        Lead::Timestamp => timestamp_lead(values.next("the timestamp")?),
        Lead::Short | Lead::Long32 | Lead::Long64 => {
            let value = values.next("the address")?;
            let (form, is1) = packet.address_form().context("no address packet")?;
            let (lead, len) = address_lead(form, is1, value);
            lead[..usize::from(len)].to_vec()
        }
        Lead::Byte => vec![values.bits(8, "the byte after the header")? as u8],
        Lead::Exception => match packet.kind {
            Kind::PeReset => vec![0x01, 0x70],
            Kind::TransactionFail => vec![0x31, 0x70],
            _ => exception_lead(values)?,
        },
        Lead::Instrumentation => {
            let level = values.bits(2, "the exception level")?;
            let payload = values.next("the payload")?.to_le_bytes();
            [&[level as u8][..], &payload].concat()
        }
    })
}

fn exception_lead(values: &mut Values<'_>) -> Result<Vec<u8>> {
    let number = values.bits(10, "the exception number")?;
    let interpretation = values.bits(2, "the address interpretation")?;
    let first = (number & 0x1F) << 1 | interpretation & 1 | (interpretation & 2) << 5;
    Ok(match number >> 5 {
        0 => vec![first as u8],
        upper => vec![first as u8 | 0x80, upper as u8],
    })
}

/// The shortest lead of a timestamp.
fn timestamp_lead(value: u64) -> Vec<u8> {
    let mut lead = Vec::new();
    let mut rest = value;
    while lead.len() < 8 {
        let byte = rest as u8 & 0x7F;
        rest >>= 7;
        if rest == 0 {
            lead.push(byte);
            return lead;
        }
        lead.push(byte | 0x80);
    }
    lead.push(rest as u8);
    lead
}

fn tail_part(
    packet: &mut Packet,
    part: Part,
    values: &mut Values<'_>,
    config: &Config,
) -> Result<()> {
    match (part, part.field_index()) {
        (Part::Info, _) => {
            packet.info = values.bits(8, "the context information byte")? as u8;
            packet.tail.0 |= Parts::of_info(packet.info, config).0;
        }
        (Part::Vmid, _) => packet.vmid = values.bits(32, "the VMID")?,
        (Part::Cid, _) => packet.cid = values.bits(32, "the context ID")?,
        (_, Some(index)) => packet.fields[index] = values.bits(32, "a continuation field")?,
        (_, None) => {}
    }
    Ok(())
}

/// The name of a kind in small letters.
fn snake(kind: Kind) -> String {
    let mut text = String::new();
    let mut before_digit = false;
    for c in format!("{kind:?}").chars() {
        let starts = c.is_ascii_uppercase() || c.is_ascii_digit() && !before_digit;
        if starts && !text.is_empty() && !text.ends_with("_f") && !text.ends_with("_is") {
            text.push('_');
        }
        before_digit = c.is_ascii_digit();
        text.push(c.to_ascii_lowercase());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_etm::{ArchProfile, Protocol, Registers};

    fn config() -> Config {
        let registers = Registers {
            trcconfigr: 0x1_07D7,
            trcidr0: 0x0801_8EF9,
            trcidr1: 0x4100_F463,
            trcidr2: 0x1000_1088,
            ..Registers::default()
        };
        Config::new(Protocol::Etm4, ArchProfile::A, &registers)
    }

    #[test]
    fn names_are_those_of_the_kinds() {
        for (kind, name) in [
            (Kind::Async, "async"),
            (Kind::AtomF6, "atom_f6"),
            (Kind::AddrCtxt64Is1, "addr_ctxt_64_is1"),
            (Kind::CancelF1Mispredict, "cancel_f1_mispredict"),
            (Kind::SrcAddrLong32Is0, "src_addr_long_32_is0"),
            (Kind::PeReset, "pe_reset"),
        ] {
            assert_eq!(snake(kind), name);
        }
        let names: std::collections::BTreeSet<_> = Kind::ALL.iter().map(|&k| snake(k)).collect();
        assert_eq!(names.len(), Kind::ALL.len());
    }

    #[test]
    fn lines_become_the_bytes_of_the_architecture() {
        for (line, want) in [
            ("overflow", &[0x00, 0x05][..]),
            ("trace_info", &[0x01, 0x00]),
            (
                "trace_info 1 0 0 0x10",
                &[0x01, 0x0F, 0x01, 0x00, 0x00, 0x10],
            ),
            ("atom ENE", &[0xFD]),
            ("timestamp 0x80", &[0x02, 0x80, 0x01]),
            ("addr_short 0x2af4", &[0x95, 0xBD, 0x15]),
            ("addr_match header=0x91", &[0x91]),
            (
                "addr_ctxt_64 0xffffffc000594ac0 0x31",
                &[0x85, 0x30, 0x25, 0x59, 0x00, 0xC0, 0xFF, 0xFF, 0xFF, 0x31],
            ),
            (
                "context header=0x81 0xd1 7 9",
                &[0x81, 0xD1, 7, 0, 0, 0, 9, 0, 0, 0],
            ),
            ("exception 14 1", &[0x06, 0x1D]),
            ("exception 0x2e 2", &[0x06, 0xDC, 0x01]),
            ("cycle_count_f1 3 0x100", &[0x0E, 0x03, 0x80, 0x02]),
        ] {
            assert_eq!(bytes(line, &config()).unwrap(), want, "{line}");
        }
    }

    #[test]
    fn a_line_that_is_no_packet_is_refused_with_a_remedy() {
        for (line, want) in [
            ("addr 1", "there is no packet \"addr\""),
            ("reserved", "there is no packet"),
            ("atom EEX", "no Atom packet"),
            ("addr_long_64", "add the address"),
            ("addr_long_64 here", "write a number"),
            ("trace_on 1", "remove it"),
            (
                "instrumentation 1 2",
                "these registers allow no instrumentation",
            ),
            ("event header=0x90", "these registers allow no event"),
            ("exception 1024 1", "has 10 bits"),
        ] {
            let error = format!("{:#}", bytes(line, &config()).unwrap_err());
            assert!(error.contains(want), "{line}: {error}");
        }
    }
}
