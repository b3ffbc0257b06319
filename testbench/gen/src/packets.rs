// SPDX-License-Identifier: MIT OR Apache-2.0
//! A random packet of a given header, made from its row in the header table.

use crate::Rng;
use coretrace_etm::packet::ete_exception_kind;
use coretrace_etm::{Config, Kind, Lead, Packet, Part, Parts, layout};
use rand::RngExt;

/// A value with a random number of bits up to `bits`: short encodings are as frequent as long ones.
fn value(rng: &mut Rng, bits: u32) -> u32 {
    let width = rng.random_range(0..=bits);
    if width == 0 {
        0
    } else {
        rng.random::<u32>() >> (32 - width)
    }
}

/// Continuation bytes: all but the last have bit 7.
fn continued(rng: &mut Rng, packet: &mut Packet, len: u8) {
    packet.lead_len = len;
    for byte in &mut packet.lead[..usize::from(len)] {
        *byte = rng.random::<u8>() | 0x80;
    }
    packet.lead[usize::from(len) - 1] &= 0x7F;
}

/// A legal packet with this header.
///
/// # Panics
/// If the header is not legal under the configuration.
pub fn random_packet(rng: &mut Rng, header: u8, config: &Config) -> Packet {
    let row = layout(header, config);
    assert!(config.allows(row.gate), "header {header:#04x} is reserved");
    let mut packet = Packet::new(row.kind, header);
    packet.tail = row.tail;
    lead(rng, &mut packet, row.lead, config);
    if packet.tail.contains(Part::Info) {
        // Bit 2 is reserved; bit 3 means something in an ETE only.
        packet.info = rng.random::<u8>() & if config.is_ete() { 0xFB } else { 0xF3 };
        if config.vmid_bytes == 0 {
            packet.info &= !0x40;
        }
        if config.cid_bytes == 0 {
            packet.info &= !0x80;
        }
        packet.tail.0 |= Parts::of_info(packet.info, config).0;
    }
    if packet.tail.contains(Part::Vmid) {
        packet.vmid = rng.random::<u32>() >> (32 - 8 * u32::from(config.vmid_bytes));
    }
    if packet.tail.contains(Part::Cid) {
        packet.cid = rng.random();
    }
    fields(rng, &mut packet);
    packet
}

fn lead(rng: &mut Rng, packet: &mut Packet, lead: Lead, config: &Config) {
    match lead {
        Lead::None => {}
        Lead::Extension => {
            packet.lead_len = 1;
            (packet.kind, packet.lead[0]) = match rng.random_range(0..3) {
                0 => (Kind::Async, 0),
                1 => (Kind::Discard, 3),
                _ => (Kind::Overflow, 5),
            };
        }
        Lead::Plctl => {
            let sections = if config.is_ete() { 0x0F } else { 0x1F };
            packet.tail = Parts::of_plctl(rng.random::<u8>() & sections);
        }
        Lead::Timestamp => {
            let len = rng.random_range(1..=9);
            continued(rng, packet, len);
            if len == 9 {
                packet.lead[8] = rng.random();
            }
        }
        Lead::Short => {
            let len = rng.random_range(1..=2);
            continued(rng, packet, len);
            if len == 2 {
                packet.lead[1] = rng.random();
            }
        }
        Lead::Exception => exception(rng, packet, config),
        Lead::Long32 | Lead::Long64 | Lead::Byte | Lead::Instrumentation => {
            packet.lead_len = lead.max_bytes();
            rng.fill(&mut packet.lead[..usize::from(lead.max_bytes())]);
            if lead == Lead::Instrumentation {
                packet.lead[0] &= 3;
            }
        }
    }
}

fn exception(rng: &mut Rng, packet: &mut Packet, config: &Config) {
    let interpretation = if rng.random() { 0x01 } else { 0x40 };
    packet.lead[0] = interpretation | rng.random::<u8>() & 0x3E;
    packet.lead_len = 1;
    if config.is_ete() && rng.random_bool(0.5) {
        // PE Reset or Transaction Failure.
        packet.lead[0] = if rng.random() { 0x01 } else { 0x31 };
    }
    if config.is_ete()
        && let Some(kind) = ete_exception_kind(packet.lead[0])
    {
        packet.kind = kind;
        packet.lead[1] = 0x70;
        packet.lead_len = 2;
    } else if rng.random_bool(0.3) {
        packet.lead[0] |= 0x80;
        packet.lead[1] = rng.random::<u8>() & 0x3F;
        packet.lead_len = 2;
    }
}

fn fields(rng: &mut Rng, packet: &mut Packet) {
    // A count has at most 20 bits, a cycle threshold 12.
    let counts = matches!(packet.kind, Kind::Timestamp | Kind::CycleCountF1);
    let is_info = packet.kind == Kind::TraceInfo;
    for part in Part::ALL
        .into_iter()
        .filter(|&part| packet.tail.contains(part))
    {
        let bits = match part {
            Part::Field0 if is_info => 6,
            Part::Field1 if counts => 20,
            Part::Field3 => 12,
            _ => 32,
        };
        if let Some(index) = part.field_index() {
            packet.fields[index] = value(rng, bits);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RegisterSet, rng};
    use coretrace_etm::{emit, parse};

    #[test]
    fn every_open_header_gives_packets_that_parse_as_they_were_made() {
        for set in RegisterSet::ALL {
            let config = set.config();
            for header in 0..=255u8 {
                if !config.allows(layout(header, &config).gate) {
                    continue;
                }
                for seed in 0..50 {
                    let packet = random_packet(&mut rng(seed), header, &config);
                    let bytes = emit(&packet, &config);
                    let parsed = parse(bytes.as_slice(), &config);
                    assert_eq!(
                        parsed,
                        Ok((packet, bytes.as_slice().len())),
                        "{}, seed {seed}",
                        set.name
                    );
                }
            }
        }
    }
}
