// SPDX-License-Identifier: MIT OR Apache-2.0
//! Streams of an ITM with its DWT.

use coretrace_itm::{HEADERS, Kind, Packet, emit};
use rand::RngExt;
use rand::seq::{IndexedRandom, IteratorRandom};

use super::{DAMAGE, SYNC, value};
use crate::{Damage, Rng, damage};

/// A stream of so many packets behind its first sync: every header that the manual has, payloads of every
/// length, and now and then a sync, which may have more zeros than it needs.
pub fn itm_stream(rng: &mut Rng, packets: usize, broken: Option<Damage>) -> Vec<u8> {
    let mut bytes = Vec::new();
    sync(rng, &mut bytes);
    for _ in 0..packets {
        if rng.random_bool(SYNC) {
            sync(rng, &mut bytes);
        }
        let packet = packet(rng);
        emit(&packet, |byte| bytes.push(byte));
    }
    match broken {
        Some(kind) => damage(rng, &bytes, kind, DAMAGE),
        None => bytes,
    }
}

/// The kinds of packets with a value.
const KINDS: [Kind; 7] = [
    Kind::Overflow,
    Kind::LocalTimestamp,
    Kind::GlobalTimestamp1,
    Kind::GlobalTimestamp2,
    Kind::Extension,
    Kind::Software,
    Kind::Hardware,
];

fn sync(rng: &mut Rng, bytes: &mut Vec<u8>) {
    if rng.random_bool(0.2) {
        bytes.extend(vec![0; rng.random_range(0..12)]);
    }
    emit(&Packet::new(Kind::Sync, 0), |byte| bytes.push(byte));
}

/// A packet of any kind but a sync, with as many bits of a value as fit.
fn packet(rng: &mut Rng) -> Packet {
    let value = value(rng) >> rng.random_range(0..64);
    let kind = *KINDS.choose(rng).expect("a kind");
    let of_kind = (0..=u8::MAX).filter(|&header| HEADERS[usize::from(header)].kind == kind);
    let header = of_kind.choose(rng).expect("a header");
    let shifted = (0..=64).map(|bits| value.checked_shr(bits).unwrap_or(0));
    let mut fits = shifted.filter_map(|value| Packet::of_value(header, value));
    fits.next().expect("a value that fits")
}
