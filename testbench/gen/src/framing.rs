// SPDX-License-Identifier: MIT OR Apache-2.0
//! Streams of several sources in formatter frames, as on a trace port or in a buffer.

use crate::Rng;
use coretrace_coresight::{FSYNC, Frame, FrameBuilder, HSYNC, TraceId};
use rand::RngExt;

/// How frames are put on the port.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Framing {
    /// The most bytes of one source in a row.
    pub burst: usize,
    /// The share of bytes before which the current ID is announced again.
    pub announce: f64,
    /// The share of frames with a full sync before them.
    pub full_sync: f64,
    /// The share of half-words with a half sync before them.
    pub half_sync: f64,
}

impl Framing {
    /// Frames as in a buffer.
    pub const BUFFER: Framing = Framing {
        burst: 12,
        announce: 0.01,
        full_sync: 0.0,
        half_sync: 0.0,
    };
    /// Frames as on a port in continuous mode.
    pub const PORT: Framing = Framing {
        burst: 12,
        announce: 0.01,
        full_sync: 0.1,
        half_sync: 0.05,
    };
}

/// Interleaves streams in frames; the last frame is padded with the null ID. A port starts with a
/// full sync. If half syncs make the result end between words, one more half sync pads it.
pub fn frame_streams(rng: &mut Rng, streams: &[(TraceId, &[u8])], framing: &Framing) -> Vec<u8> {
    let mut frames: Vec<Frame> = Vec::new();
    let mut builder = FrameBuilder::new();
    let mut rest: Vec<(TraceId, &[u8])> = streams.to_vec();
    rest.retain(|(_, bytes)| !bytes.is_empty());
    while !rest.is_empty() {
        let source = rng.random_range(0..rest.len());
        let (id, bytes) = rest[source];
        let (now, later) =
            bytes.split_at(rng.random_range(1..=framing.burst.max(1)).min(bytes.len()));
        for &byte in now {
            if rng.random_bool(framing.announce) {
                frames.extend(builder.announce(id));
            }
            frames.extend(builder.push(id, byte));
        }
        rest[source].1 = later;
        rest.retain(|(_, bytes)| !bytes.is_empty());
    }
    frames.extend(builder.flush());
    let mut port = Vec::new();
    for (number, frame) in frames.iter().enumerate() {
        if framing.full_sync > 0.0 && (number == 0 || rng.random_bool(framing.full_sync)) {
            port.extend(FSYNC.to_le_bytes());
        }
        for half_word in frame.chunks(2) {
            if rng.random_bool(framing.half_sync) {
                port.extend(HSYNC.to_le_bytes());
            }
            port.extend(half_word);
        }
    }
    if !port.len().is_multiple_of(4) {
        port.extend(HSYNC.to_le_bytes());
    }
    port
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng;
    use coretrace_decode::tpiu::{Deframer, Format, RunEvent, detect_format};
    use std::collections::BTreeMap;

    #[test]
    fn what_was_framed_comes_out_again() {
        for seed in 0..100 {
            let mut rng = rng(seed);
            let bytes: Vec<Vec<u8>> = (0..3)
                .map(|_| {
                    (0..rng.random_range(0..300))
                        .map(|_| rng.random())
                        .collect()
                })
                .collect();
            let ids = [0x10, 0x21, 0x6F].map(|id| TraceId::new(id).expect("an ID"));
            let streams: Vec<_> = ids
                .into_iter()
                .zip(&bytes)
                .map(|(id, bytes)| (id, &bytes[..]))
                .collect();
            let (framing, format) = if seed % 2 == 0 {
                (Framing::BUFFER, Format::Frames)
            } else {
                (Framing::PORT, Format::TpiuHsync)
            };
            let port = frame_streams(&mut rng, &streams, &framing);
            let mut got: BTreeMap<TraceId, Vec<u8>> = BTreeMap::new();
            let mut deframer = Deframer::new(format);
            deframer.feed(&port, |event| {
                if let RunEvent::Run(run) = event
                    && let Some(id) = run.id
                    && id.is_source()
                {
                    got.entry(id).or_default().extend(run.bytes);
                }
            });
            for (id, bytes) in streams.iter().filter(|(_, bytes)| !bytes.is_empty()) {
                assert_eq!(
                    got.get(id).map(Vec::as_slice),
                    Some(*bytes),
                    "seed {seed}, {id:?}"
                );
            }
        }
    }

    /// Bytes of a port as a DSTREAM probe stores them: 8 bytes of its own after each 504.
    fn through_a_probe(rng: &mut Rng, port: &[u8]) -> Vec<u8> {
        let blocks = port
            .chunks(504)
            .map(|block| [block, &rng.random::<[u8; 8]>()].concat());
        blocks.collect::<Vec<_>>().concat()
    }

    #[test]
    fn the_format_of_framed_bytes_is_detected() {
        for seed in 0..1000 {
            let mut rng = rng(seed);
            let bytes: Vec<u8> = (0..rng.random_range(6000..12_000))
                .map(|_| rng.random())
                .collect();
            let id = TraceId::new(rng.random_range(1..0x70)).expect("an ID");
            let mut frames = |framing| frame_streams(&mut rng, &[(id, &bytes)], &framing);
            let buffer = frames(Framing::BUFFER);
            let full = Framing {
                half_sync: 0.0,
                ..Framing::PORT
            };
            let port = frames(full);
            let half = frames(Framing::PORT);
            let probe = through_a_probe(&mut rng, &port);
            for (capture, format) in [
                (buffer, Format::Frames),
                (port, Format::TpiuFsync),
                (half, Format::TpiuHsync),
                (probe, Format::Dstream),
            ] {
                assert_eq!(detect_format(&capture), format, "seed {seed}");
            }
        }
    }
}
