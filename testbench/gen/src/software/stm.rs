// SPDX-License-Identifier: MIT OR Apache-2.0
//! Streams of an STM.

use coretrace_stm::{Kind, OPCODES, Opcode, Packet, Stamp, emit};
use rand::RngExt;
use rand::seq::IndexedRandom;

use super::{DAMAGE, SYNC, value};
use crate::{Damage, Rng, damage};

/// A stream of so many packets behind its first ASYNC and VERSION: every opcode, timestamps of every size,
/// and now and then an ASYNC with its VERSION. `broken` is done to nibbles; `LostWord` takes four of them.
/// A last NULL fills the last byte.
pub fn stm_stream(rng: &mut Rng, packets: usize, broken: Option<Damage>) -> Vec<u8> {
    let mut nibbles = Vec::new();
    sync(rng, &mut nibbles);
    for _ in 0..packets {
        if rng.random_bool(SYNC) {
            sync(rng, &mut nibbles);
        }
        let opcode = OPCODES.choose(rng).expect("a row");
        match opcode.kind {
            Kind::Async | Kind::Version => sync(rng, &mut nibbles),
            _ => put(&packet(rng, *opcode), &mut nibbles),
        }
    }
    if let Some(kind) = broken {
        nibbles = damage(rng, &nibbles, kind, DAMAGE);
    }
    let byte = |two: &[u8]| two[0] & 0xF | two.get(1).unwrap_or(&0) << 4;
    nibbles.chunks(2).map(byte).collect()
}

/// An ASYNC and a VERSION of either coding.
fn sync(rng: &mut Rng, nibbles: &mut Vec<u8>) {
    for row in OPCODES {
        let mut packet = Packet::new(row);
        packet.data = rng.random_range(3..=4);
        if matches!(row.kind, Kind::Async | Kind::Version) {
            put(&packet, nibbles);
        }
    }
}

fn packet(rng: &mut Rng, opcode: Opcode) -> Packet {
    let mut packet = Packet::new(opcode);
    packet.data = value(rng) & low(opcode.data);
    if opcode.is_stamped {
        let nibbles = Stamp::nibbles_of(rng.random_range(0..=14)).expect("a size");
        let value = value(rng) & low(nibbles);
        packet.stamp = Stamp { nibbles, value };
    }
    packet
}

/// The bits of so many nibbles.
fn low(nibbles: u8) -> u64 {
    !u64::MAX.checked_shl(4 * u32::from(nibbles)).unwrap_or(0)
}

fn put(packet: &Packet, nibbles: &mut Vec<u8>) {
    let is_emitted = emit(packet, |nibble| nibbles.push(nibble));
    assert!(is_emitted, "a timestamp of a size that can be sent");
}
