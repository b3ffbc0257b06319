// SPDX-License-Identifier: MIT OR Apache-2.0
//! A case: a trace unit and a stream for it, legal or not, from a seed.

use coretrace_test_gen::{
    ASYNC, Damage, RegisterSet, Rng, StreamOptions, damage, legal_stream, rng,
};
use rand::RngExt;
use rand::seq::IndexedRandom;

use crate::units;

/// The kind of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// A legal stream.
    Legal,
    /// A legal stream with damage.
    Damaged(Damage),
    /// Random bytes after an A-Sync.
    Noise,
    /// A section of a legal stream.
    Cut,
    /// A stream from a file.
    Given,
}

/// A trace unit and a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The trace unit.
    pub set: RegisterSet,
    /// The kind of the stream.
    pub stream: Stream,
    /// The bytes of the stream.
    pub bytes: Vec<u8>,
}

impl Case {
    /// The case of a seed. Every second case is legal.
    pub fn from_seed(seed: u64) -> Case {
        let rng = &mut rng(seed);
        let set = units::any(rng);
        Case::of_unit(set, rng)
    }

    /// A case of a trace unit.
    pub fn of_unit(set: RegisterSet, rng: &mut Rng) -> Case {
        let mut bytes = legal(rng, &set);
        let stream = match rng.random_range(0..20) {
            0..10 => Stream::Legal,
            10..16 => Stream::Damaged(*Damage::ALL.choose(rng).expect("there are kinds")),
            16..18 => Stream::Noise,
            _ => Stream::Cut,
        };
        match stream {
            Stream::Legal | Stream::Given => {}
            Stream::Damaged(kind) => {
                let rate = *[0.001, 0.01, 0.1].choose(rng).expect("there are rates");
                bytes = damage(rng, &bytes, kind, rate);
            }
            Stream::Noise => bytes = noise(rng),
            Stream::Cut => bytes = cut(rng, &bytes),
        }
        Case { set, stream, bytes }
    }
}

fn legal(rng: &mut Rng, set: &RegisterSet) -> Vec<u8> {
    let options = StreamOptions {
        packets: rng.random_range(1..600),
        sync_every: rng.random_range(2..300),
        unusual: rng.random(),
        ..StreamOptions::default()
    };
    legal_stream(rng, &set.config(), &options).bytes
}

/// Random bytes; those that end or continue a field are more frequent.
fn noise(rng: &mut Rng) -> Vec<u8> {
    let mut bytes = ASYNC.to_vec();
    for _ in 0..rng.random_range(1..1000) {
        bytes.push(match rng.random_range(0..8) {
            0 => rng.random_range(0..16),
            1 => rng.random::<u8>() | 0x80,
            2 => 0,
            _ => rng.random(),
        });
    }
    bytes
}

fn cut(rng: &mut Rng, bytes: &[u8]) -> Vec<u8> {
    let end = rng.random_range(1..=bytes.len());
    let start = rng.random_range(0..end.min(100));
    bytes[start..end].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_case_again() {
        for seed in 0..50 {
            assert_eq!(Case::from_seed(seed), Case::from_seed(seed), "seed {seed}");
        }
    }

    #[test]
    fn every_kind_of_stream_is_seen() {
        let streams: Vec<Stream> = (0..300).map(|seed| Case::from_seed(seed).stream).collect();
        let damaged = Damage::ALL.map(Stream::Damaged);
        for stream in [Stream::Legal, Stream::Noise, Stream::Cut]
            .into_iter()
            .chain(damaged)
        {
            assert!(streams.contains(&stream), "{stream:?}");
        }
    }
}
