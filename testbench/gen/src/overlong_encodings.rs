// SPDX-License-Identifier: MIT OR Apache-2.0
//! Longer encodings than needed, where the architecture allows them.

use crate::Rng;
use coretrace_etm::{AsyncRule, Completed, Config, Kind, Lead, Packet, Parser, Part, emit};
use rand::RngExt;

/// The most bytes that a trace unit uses for a continuation field.
fn max_bytes(kind: Kind, part: Part) -> usize {
    match part {
        Part::Field1 if matches!(kind, Kind::Timestamp | Kind::CycleCountF1) => 3,
        Part::Field3 => 2,
        _ => 5,
    }
}

/// The bytes of a packet. Some of its continuation fields, and PLCTL, end in redundant bytes.
pub fn emit_longer(rng: &mut Rng, packet: &Packet, config: &Config) -> Vec<u8> {
    let mut parser = Parser::new(*config, AsyncRule::Exact);
    let mut out = Vec::new();
    let mut part_len = 0;
    for &byte in emit(packet, config).as_slice() {
        out.push(byte);
        part_len += 1;
        let max = match parser.step(byte).0 {
            Completed::Nothing => continue,
            Completed::Lead if packet.kind == Kind::TraceInfo => Lead::Plctl.max_bytes().into(),
            Completed::Tail(part) if part.field_index().is_some() => max_bytes(packet.kind, part),
            Completed::Lead | Completed::Tail(_) => 0,
        };
        if part_len < max && rng.random() {
            put_off(&mut out, rng.random_range(1..=max - part_len));
        }
        part_len = 0;
    }
    out
}

/// Makes a continuation field longer by this many redundant bytes.
fn put_off(out: &mut Vec<u8>, bytes: usize) {
    if let Some(last) = out.last_mut() {
        *last |= 0x80;
    }
    out.resize(out.len() + bytes - 1, 0x80);
    out.push(0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RegisterSet, random_packet, rng};
    use coretrace_etm::{layout, parse};
    use std::collections::BTreeSet;

    #[test]
    fn longer_packets_say_the_same() {
        for set in RegisterSet::ALL {
            let config = set.config();
            let mut longer = BTreeSet::new();
            for seed in 0..50 {
                let mut rng = rng(seed);
                for header in 0..=255u8 {
                    if !config.allows(layout(header, &config).gate) {
                        continue;
                    }
                    let packet = random_packet(&mut rng, header, &config);
                    let bytes = emit_longer(&mut rng, &packet, &config);
                    assert_eq!(
                        parse(&bytes, &config),
                        Ok((packet, bytes.len())),
                        "seed {seed}"
                    );
                    if bytes.len() > emit(&packet, &config).as_slice().len() {
                        longer.insert(header);
                    }
                }
            }
            for header in [0x01, 0x03, 0x0E, 0x2D, 0x2E, 0x2F] {
                assert!(longer.contains(&header), "{}: {header:#04x}", set.name);
            }
        }
    }
}
