// SPDX-License-Identifier: MIT OR Apache-2.0
//! A trace port without faults, and where its syncs and IDs are.

use coretrace_coresight::{FSYNC_FIRST, HSYNC, TraceId};
use coretrace_etm::{Config, Kind, Packet, emit};
use coretrace_test_gen::{
    ASYNC, Framing, RegisterSet, Rng, StreamOptions, frame_streams, legal_stream,
};
use rand::RngExt;

/// Packets of a period, after those that start it.
const PACKETS: usize = 40;

/// A trace source at the port.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    /// Its ID.
    pub id: TraceId,
    /// Its registers.
    pub set: RegisterSet,
}

/// The bytes of a port, and the places of syncs and IDs.
#[derive(Clone, Debug)]
pub struct Port<S = Source> {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The sources.
    pub sources: Vec<S>,
    /// Places of the full syncs.
    pub syncs: Vec<usize>,
    /// Places of the bytes that announce an ID.
    pub ids: Vec<usize>,
}

impl<S> Port<S> {
    /// A port of these sources, whose streams have these IDs.
    pub(crate) fn framed(
        rng: &mut Rng,
        sources: Vec<S>,
        streams: &[(TraceId, Vec<u8>)],
    ) -> Port<S> {
        let parts = streams.iter().map(|(id, bytes)| (*id, &bytes[..]));
        let parts: Vec<(TraceId, &[u8])> = parts.collect();
        let bytes = frame_streams(rng, &parts, &Framing::PORT);
        let (syncs, ids) = places(&bytes);
        Port {
            bytes,
            sources,
            syncs,
            ids,
        }
    }
}

impl Port {
    /// A port of two sources, an ETMv4 and an ETE, with this many periods of each.
    ///
    /// # Panics
    /// If a named register set or an ID does not exist.
    pub fn new(rng: &mut Rng, periods: usize) -> Port {
        let sources: Vec<Source> = [(0x10, "a53"), (0x21, "ete")]
            .map(|(id, name)| Source {
                id: TraceId::new(id).expect("an ID"),
                set: RegisterSet::by_name(name).expect("a named set"),
            })
            .into();
        let streams: Vec<(TraceId, Vec<u8>)> = sources
            .iter()
            .map(|source| {
                let config = source.set.config();
                let bytes = (0..periods).flat_map(|_| period(rng, &config)).collect();
                (source.id, bytes)
            })
            .collect();
        Port::framed(rng, sources, &streams)
    }
}

/// An A-Sync, a Trace Info, a Timestamp of 64 random bits, which identifies the period, and random
/// legal packets.
fn period(rng: &mut Rng, config: &Config) -> Vec<u8> {
    let options = StreamOptions {
        packets: PACKETS,
        sync_every: usize::MAX,
        ..StreamOptions::default()
    };
    let stream = legal_stream(rng, config, &options);
    let info = emit(&stream.packets[1], config);
    let (head, packets) = stream.bytes.split_at(ASYNC.len() + info.as_slice().len());
    let mut mark = Packet::new(Kind::Timestamp, 0x02);
    mark.lead = rng.random::<[u8; 9]>().map(|byte| byte | 0x80);
    mark.lead_len = 9;
    [head, emit(&mark, config).as_slice(), packets].concat()
}

/// The places of full syncs and of announced IDs.
fn places(bytes: &[u8]) -> (Vec<usize>, Vec<usize>) {
    let (mut syncs, mut ids) = (Vec::new(), Vec::new());
    for (place, half_word) in (0..).step_by(2).zip(bytes.chunks_exact(2)) {
        let half_word = u16::from_le_bytes([half_word[0], half_word[1]]);
        match half_word {
            FSYNC_FIRST => syncs.push(place),
            HSYNC => {}
            _ => {
                if TraceId::announced_by(half_word as u8).is_some() {
                    ids.push(place);
                }
            }
        }
    }
    (syncs, ids)
}
