// SPDX-License-Identifier: MIT OR Apache-2.0
//! Words of one source, cycle by cycle: captures and random streams with gaps, sparse masks, losses
//! and resets in between.

use crate::SEED;
use crate::trace_unit::TraceUnit;
use coretrace_capture::source_streams;
use coretrace_test_gen::{Damage, RegisterSet, Rng, StreamOptions, damage, legal_stream, rng};
use coretrace_test_support::golden_captures;
use rand::RngExt;
use rand::seq::IndexedRandom;

/// Bytes of each capture.
const CAPTURE_BYTES: usize = 1500;
/// Packets of each random stream.
const PACKETS: usize = 60;

/// The input of a decoder of `N` bytes per cycle, for a cycle.
#[derive(Clone, Copy)]
pub struct SourceWord<const N: usize> {
    pub unit: TraceUnit,
    pub lenient: bool,
    pub reset: bool,
    pub valid: bool,
    pub discontinuity: bool,
    pub octets: [u8; N],
    pub keep: [bool; N],
}

/// A stretch of bytes under one configuration.
struct Segment {
    unit: TraceUnit,
    lenient: bool,
    /// With gaps and sparse masks.
    is_sparse: bool,
    bytes: Vec<u8>,
}

/// Bytes from the corpus: the start of a source, or the surroundings of an A-Sync in the middle.
fn captured(rng: &mut Rng) -> Vec<Segment> {
    let mut segments = Vec::new();
    for (_, capture) in golden_captures() {
        let streams = source_streams(&capture);
        let stream = streams.choose(rng).expect("a source");
        let last_start = stream.bytes.len().saturating_sub(CAPTURE_BYTES);
        let start = if rng.random() {
            0
        } else {
            rng.random_range(0..=last_start)
        };
        let rest = &stream.bytes[start..];
        segments.push(Segment {
            unit: stream.into(),
            lenient: rng.random(),
            is_sparse: rng.random(),
            bytes: rest[..rest.len().min(CAPTURE_BYTES)].to_vec(),
        });
    }
    segments
}

/// Streams of every named trace unit and some random ones, under both policies, every second one
/// damaged.
fn generated(rng: &mut Rng) -> Vec<Segment> {
    let mut sets = RegisterSet::ALL.to_vec();
    sets.extend((0..4).map(|_| RegisterSet::random(rng)));
    let cases = sets.iter().flat_map(|set| [(set, false), (set, true)]);
    cases
        .map(|(set, lenient)| {
            let options = StreamOptions {
                packets: PACKETS,
                sync_every: 20,
                unusual: rng.random(),
                ..StreamOptions::default()
            };
            let mut bytes = legal_stream(rng, &set.config(), &options).bytes;
            if rng.random() {
                let kind = *Damage::ALL.choose(rng).expect("a kind of damage");
                bytes = damage(rng, &bytes, kind, 0.02);
            }
            Segment {
                unit: set.into(),
                lenient,
                is_sparse: rng.random(),
                bytes,
            }
        })
        .collect()
}

/// The input of a whole run. Invalid lanes have random bytes.
pub fn source_words<const N: usize>() -> Vec<SourceWord<N>> {
    let mut rng = rng(SEED);
    let mut segments = captured(&mut rng);
    segments.extend(generated(&mut rng));
    let mut words = Vec::new();
    for segment in &segments {
        // A new configuration mostly comes with a reset, of a few cycles.
        for _ in 0..rng.random_range(0..4) {
            words.push(word(&mut rng, segment, &mut &segment.bytes[..0], true));
        }
        let mut rest = &segment.bytes[..];
        while !rest.is_empty() {
            let reset = rng.random_bool(0.003);
            words.push(word(&mut rng, segment, &mut rest, reset));
        }
    }
    words
}

/// One cycle; takes the bytes that it keeps from `rest`.
fn word<const N: usize>(
    rng: &mut Rng,
    segment: &Segment,
    rest: &mut &[u8],
    reset: bool,
) -> SourceWord<N> {
    let is_full = !segment.is_sparse || rng.random_bool(0.3);
    let mut word = SourceWord {
        unit: segment.unit,
        lenient: segment.lenient,
        reset,
        valid: is_full || rng.random_bool(0.9),
        discontinuity: rng.random_bool(0.005),
        octets: rng.random(),
        keep: std::array::from_fn(|_| is_full || rng.random()),
    };
    if !word.valid {
        return word;
    }
    for lane in 0..N {
        if !word.keep[lane] {
            continue;
        }
        match rest.split_first() {
            Some((&byte, more)) => (word.octets[lane], *rest) = (byte, more),
            None => word.keep[lane] = false,
        }
    }
    word
}
