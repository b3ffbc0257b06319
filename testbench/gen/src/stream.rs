// SPDX-License-Identifier: MIT OR Apache-2.0
//! Legal streams: sequences of packets with A-Syncs in between.

use crate::overlong_encodings::emit_longer;
use crate::{Rng, random_packet};
use coretrace_etm::{Config, Kind, Lead, Packet, emit, layout};
use rand::RngExt;
use rand::seq::IndexedRandom;

/// An A-Sync packet.
pub const ASYNC: [u8; 12] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80];

/// The contents of a stream.
#[derive(Clone, Debug)]
pub struct StreamOptions {
    /// Packets, A-Syncs and Trace Infos not counted.
    pub packets: usize,
    /// Headers to choose from; empty: all that are legal.
    pub headers: Vec<u8>,
    /// The number of packets between two pairs of A-Sync and Trace Info.
    pub sync_every: usize,
    /// Whether continuation fields may have redundant bytes, as the architecture allows.
    pub unusual: bool,
}

impl Default for StreamOptions {
    fn default() -> Self {
        StreamOptions {
            packets: 200,
            headers: Vec::new(),
            sync_every: 50,
            unusual: false,
        }
    }
}

/// A stream and its packets.
#[derive(Clone, Debug, Default)]
pub struct Stream {
    /// The bytes of one source.
    pub bytes: Vec<u8>,
    /// The packets, in order.
    pub packets: Vec<Packet>,
}

impl Stream {
    fn push(&mut self, rng: &mut Rng, packet: Packet, config: &Config, unusual: bool) {
        if unusual {
            self.bytes.extend(emit_longer(rng, &packet, config));
        } else {
            self.bytes.extend(emit(&packet, config).as_slice());
        }
        self.packets.push(packet);
    }
}

/// The headers that are legal under a configuration, each once, without 0x00.
pub(crate) fn legal_headers(config: &Config) -> Vec<u8> {
    (1..=255u8)
        .filter(|&header| config.allows(layout(header, config).gate))
        .collect()
}

/// A legal stream: an A-Sync, a Trace Info, then packets; every header is equally frequent.
pub fn legal_stream(rng: &mut Rng, config: &Config, options: &StreamOptions) -> Stream {
    let all = legal_headers(config);
    let headers = if options.headers.is_empty() {
        &all
    } else {
        &options.headers
    };
    let mut stream = Stream::default();
    for number in 0..options.packets {
        if number % options.sync_every.max(1) == 0 {
            stream.bytes.extend(ASYNC);
            let mut sync = Packet::new(Kind::Async, 0);
            sync.lead_len = 1;
            stream.packets.push(sync);
            let info = random_packet(rng, 0x01, config);
            stream.push(rng, info, config, options.unusual);
        }
        // Overflow and Discard share their header with A-Sync, which has its own places.
        let zero = options.headers.is_empty() && rng.random_bool(0.01);
        let header = if zero {
            0
        } else {
            *headers.choose(rng).unwrap_or(&0x04)
        };
        let mut packet = random_packet(rng, header, config);
        while packet.kind == Kind::Async {
            packet = random_packet(rng, header, config);
        }
        stream.push(rng, packet, config, options.unusual);
    }
    stream
}

/// Whether a header is a whole packet.
pub(crate) fn is_single(header: u8, config: &Config) -> bool {
    let row = layout(header, config);
    row.lead == Lead::None && row.tail.0 == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RegisterSet, rng};
    use coretrace_decode::{Decoder, Policy};
    use coretrace_etm::header::reports_lead_bytes;
    use coretrace_etm::{HEADERS, Part, Record};
    use std::collections::BTreeSet;

    #[test]
    fn every_policy_reads_back_the_packets_that_were_put_in() {
        for seed in 0..60 {
            let mut rng = rng(seed);
            let set = RegisterSet::any(&mut rng);
            let options = StreamOptions {
                unusual: seed % 2 == 0,
                ..StreamOptions::default()
            };
            let stream = legal_stream(&mut rng, &set.config(), &options);
            for policy in [Policy::Resync, Policy::Lenient, Policy::OpenCsd] {
                let mut packets = stream.packets.iter();
                let mut decoder = Decoder::new(set.config(), policy);
                decoder.feed(&stream.bytes, |record| {
                    let packet = packets.next().expect("as many packets");
                    assert_is(record, packet, &format!("seed {seed}, {policy:?}, {set:?}"));
                });
                decoder.finish(|record| panic!("seed {seed}: left over {record:?}"));
                assert_eq!(packets.next(), None, "seed {seed}, {policy:?}");
            }
        }
    }

    /// Compares everything of a packet that a record keeps.
    fn assert_is(record: &Record, packet: &Packet, place: &str) {
        assert_eq!(
            (record.kind, record.header),
            (packet.kind, packet.header),
            "{place}"
        );
        assert!(!record.suspect, "{place}");
        if packet.kind == Kind::Async {
            return;
        }
        if reports_lead_bytes(HEADERS[usize::from(packet.header)].lead) {
            assert_eq!(record.lead, packet.lead, "{place}");
        }
        assert_eq!(record.fields, packet.fields[..4], "{place}");
        let context = &record.context;
        for (part, got, want) in [
            (Part::Info, u32::from(context.info), u32::from(packet.info)),
            (Part::Vmid, context.vmid, packet.vmid),
            (Part::Cid, context.cid, packet.cid),
        ] {
            if packet.tail.contains(part) {
                assert_eq!(got, want, "{part:?}, {place}");
            }
        }
    }

    #[test]
    fn every_legal_header_appears() {
        for set in RegisterSet::ALL {
            let options = StreamOptions {
                packets: 8000,
                ..StreamOptions::default()
            };
            let stream = legal_stream(&mut rng(1), &set.config(), &options);
            let seen: BTreeSet<u8> = stream.packets.iter().map(|packet| packet.header).collect();
            let mut want: BTreeSet<u8> = legal_headers(&set.config()).into_iter().collect();
            want.insert(0);
            assert_eq!(seen, want, "{}", set.name);
        }
    }

    #[test]
    fn a_seed_gives_the_same_bytes_again() {
        let make = || {
            let mut rng = rng(42);
            let set = RegisterSet::any(&mut rng);
            legal_stream(&mut rng, &set.config(), &StreamOptions::default()).bytes
        };
        assert_eq!(make(), make());
    }
}
