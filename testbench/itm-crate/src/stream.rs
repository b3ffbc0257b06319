// SPDX-License-Identifier: MIT OR Apache-2.0
//! A stream of packets that the crate reads as the manual has them.

use coretrace_decode::Policy;
use coretrace_itm::{Config, Kind, Packet, Record, emit};
use coretrace_software_trace::ItmDecoder;
use coretrace_test_gen::{itm_stream, rng};

use crate::packet::packet;

/// Decodes a stream with the model.
pub fn model(bytes: &[u8], mut sink: impl FnMut(&Record)) {
    let mut decoder = ItmDecoder::new(Config::default(), Policy::Resync);
    decoder.feed(bytes, &mut sink);
    decoder.finish(sink);
}

/// The bytes of those packets of a random stream that the crate reads.
pub fn stream(seed: u64, packets: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    model(&itm_stream(&mut rng(seed), packets, None), |record| {
        if is_read(&record.packet) {
            emit(&record.packet, |byte| bytes.push(byte));
        }
    });
    bytes
}

/// Whether the crate has such a packet, with a payload of this length.
fn is_read(of: &Packet) -> bool {
    let has_length = match (of.kind, of.source(), of.len) {
        (Kind::GlobalTimestamp1, _, len) => len == 4,
        (Kind::GlobalTimestamp2, _, 4) => of.value() < 1 << 22,
        (Kind::GlobalTimestamp2, _, 6) => of.value() < 1 << 38,
        (Kind::GlobalTimestamp2, ..) => false,
        (Kind::Hardware, 0, len) => len == 1,
        (Kind::Hardware, 1, len) => len == 2,
        (Kind::Hardware, 2, 1) => of.value() == 0,
        (Kind::Hardware, 2, len) => len == 4,
        (Kind::Hardware, 8 | 10 | 12 | 14, len) => len == 4,
        (Kind::Hardware, 9 | 11 | 13 | 15, len) => len == 2,
        _ => true,
    };
    has_length && packet(of).is_some()
}
