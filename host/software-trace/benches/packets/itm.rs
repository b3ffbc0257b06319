// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every field of every packet of an ITM.

use coretrace_decode::Policy;
use coretrace_itm::{Config, Kind};
use coretrace_software_trace::ItmDecoder;

use crate::Decoded;
use crate::digest::Digest;

/// Decodes a stream with the model.
pub fn model(bytes: &[u8]) -> Decoded {
    let mut digest = Digest::default();
    let mut decoder = ItmDecoder::new(Config::default(), Policy::Resync);
    decoder.feed(bytes, |record| {
        if record.kind != Kind::NotSync {
            let (packet, state) = (&record.packet, &record.state);
            let head = u64::from(packet.header) | record.offset << 8;
            let times = [state.local_time, state.global_time];
            digest.fold([head, packet.value(), times[0], times[1]]);
        }
    });
    (digest.packets, digest.value)
}
