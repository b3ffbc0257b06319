// SPDX-License-Identifier: MIT OR Apache-2.0
//! Faults at a trace port.

use std::ops::Range;

use coretrace_coresight::TraceId;
use coretrace_test_gen::Rng;
use rand::RngExt;

use crate::Port;

/// Bytes of a word of the port, and of a full sync.
const WORD: usize = 4;
/// The most words missing after the clock has stopped.
const STOP_WORDS: usize = 64;

/// One kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A bit of a word is inverted.
    BitFlip,
    /// A word is missing.
    DroppedWord,
    /// A word is repeated.
    DoubledWord,
    /// A word and the next one have changed places.
    SwappedWords,
    /// The clock stops, and 1 to 64 words are missing when it restarts.
    ClockStop,
    /// A full sync is missing.
    SyncRemoved,
    /// A bit of a full sync is inverted.
    SyncDamaged,
    /// An ID is announced as another one.
    IdChanged,
}

impl Fault {
    /// Every kind.
    pub const ALL: [Fault; 8] = [
        Fault::BitFlip,
        Fault::DroppedWord,
        Fault::DoubledWord,
        Fault::SwappedWords,
        Fault::ClockStop,
        Fault::SyncRemoved,
        Fault::SyncDamaged,
        Fault::IdChanged,
    ];

    /// Name for a table.
    pub const fn name(self) -> &'static str {
        match self {
            Fault::BitFlip => "bit flipped",
            Fault::DroppedWord => "word dropped",
            Fault::DoubledWord => "word doubled",
            Fault::SwappedWords => "words swapped",
            Fault::ClockStop => "clock stopped",
            Fault::SyncRemoved => "full sync removed",
            Fault::SyncDamaged => "full sync damaged",
            Fault::IdChanged => "ID changed",
        }
    }

    /// The places where it can occur: every word, full sync or ID.
    pub fn places<S>(self, port: &Port<S>) -> Vec<usize> {
        match self {
            Fault::SyncRemoved | Fault::SyncDamaged => port.syncs.clone(),
            Fault::IdChanged => port.ids.clone(),
            _ => (0..port.bytes.len()).step_by(WORD).collect(),
        }
    }

    /// The bytes of the port with a fault at each of the places (in ascending order), and the bytes
    /// that were hit. A place already hit by another fault is skipped.
    pub fn inject(
        self,
        rng: &mut Rng,
        port: &[u8],
        places: &[usize],
    ) -> (Vec<u8>, Vec<Range<usize>>) {
        let (mut out, mut hits) = (Vec::with_capacity(port.len()), Vec::new());
        let mut done = 0;
        for &place in places.iter().filter(|&&place| place < port.len()) {
            if place < done {
                continue;
            }
            let hit = place..(place + self.len(rng)).min(port.len());
            out.extend(&port[done..hit.start]);
            out.extend(self.instead(rng, &port[hit.clone()]));
            done = hit.end;
            hits.push(hit);
        }
        out.extend(&port[done..]);
        (out, hits)
    }

    /// The number of bytes it hits.
    fn len(self, rng: &mut Rng) -> usize {
        match self {
            Fault::SwappedWords => 2 * WORD,
            Fault::ClockStop => WORD * rng.random_range(1..=STOP_WORDS),
            Fault::IdChanged => 1,
            _ => WORD,
        }
    }

    /// The bytes that replace these bytes.
    fn instead(self, rng: &mut Rng, bytes: &[u8]) -> Vec<u8> {
        match self {
            Fault::BitFlip | Fault::SyncDamaged => {
                let mut bytes = bytes.to_vec();
                let place = rng.random_range(0..bytes.len());
                bytes[place] ^= 1 << rng.random_range(0..8);
                bytes
            }
            Fault::DroppedWord | Fault::ClockStop | Fault::SyncRemoved => Vec::new(),
            Fault::DoubledWord => bytes.repeat(2),
            Fault::SwappedWords => {
                let (first, second) = bytes.split_at(WORD);
                [second, first].concat()
            }
            Fault::IdChanged => {
                let change = rng.random_range(1..=TraceId::UNKNOWN.value());
                vec![bytes[0] ^ change << 1]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_test_gen::rng;

    #[test]
    fn a_fault_changes_the_bytes_that_it_says_and_no_others() {
        for seed in 0..20 {
            for fault in Fault::ALL {
                let mut rng = rng(seed);
                let port = Port::new(&mut rng, 2);
                let places = fault.places(&port);
                let place = places[rng.random_range(0..places.len())];
                let (bytes, hits) = fault.inject(&mut rng, &port.bytes, &[place]);
                let [hit] = &hits[..] else {
                    panic!("seed {seed}, {fault:?}: {hits:?}");
                };
                let behind = &port.bytes[hit.end..];
                assert_eq!(bytes[..hit.start], port.bytes[..hit.start], "seed {seed}");
                assert!(
                    bytes[hit.start..].ends_with(behind),
                    "seed {seed}, {fault:?}"
                );
                assert_ne!(hit.start, hit.end, "seed {seed}, {fault:?}");
            }
        }
    }
}
