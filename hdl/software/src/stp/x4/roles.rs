// SPDX-License-Identifier: MIT OR Apache-2.0
//! What each nibble of a word is, once the place before its byte is known.

use super::super::layouts::outcome;
use super::super::table::{Entry, is_legal_version, opcode_entry, size_entry};
use super::layouts::CODE_W;
use super::place::{AT_W, Place, Spot, after, at};
use crate::words::Byte;
use coretrace_hdl_dataflow::{Table, Word, all, any, layout, named};
use std::sync::LazyLock;

/// The outcome of a legal VERSION, which is a packet.
pub const VERSION: u64 = 5;

layout! {
    /// What a nibble is.
    pub struct Role {
        /// The nibble.
        nibble: 4,
        /// A packet ends with it, read or not.
        ends: 1,
        /// How, or [`VERSION`]. An ASYNC may be a broken one.
        outcome: 3,
        /// It completes no opcode.
        is_inner: 1,
        /// Which one it completes; else that of a NULL, which changes nothing.
        code: CODE_W,
        /// A timestamp ends, if a packet does.
        is_stamped: 1,
        /// It is the size of a timestamp.
        is_size: 1,
        /// The nibble, if it is one; else 0.
        size: 4,
        /// It is the last one of the data before a timestamp.
        ends_data: 1,
        /// A packet ends in the word before it.
        is_behind_end: 1,
        /// A packet ends in the word with it or behind it.
        is_before_end: 1,
    }
}

/// The entry for a nibble of an opcode.
fn opcode(place: u64, nibble: u8) -> Entry<u64> {
    let (before, nibbles) = match place {
        at::OPCODE => (0, 1),
        at::OPCODE_F => (0xF, 2),
        _ => (0xF0, 3),
    };
    opcode_entry(before, nibble.into(), nibbles)
}

/// How a packet ends with a nibble of a part, if it does.
fn outcome_of(place: u64, nibble: u8) -> Option<u64> {
    let outcome = match place {
        at::OPCODE | at::OPCODE_F | at::OPCODE_F0 => opcode(place, nibble).outcome,
        at::SIZE => size_entry(nibble).outcome,
        at::ASYNC if nibble == 0 => outcome::ASYNC,
        at::ASYNC if nibble == 0xF => outcome::NONE,
        at::ASYNC => outcome::BAD_SEQUENCE,
        at::VERSION if is_legal_version(nibble.into()) => VERSION,
        at::VERSION => outcome::BAD_SEQUENCE,
        at::LAST => outcome::PACKET,
        _ => outcome::NONE,
    };
    (outcome != outcome::NONE).then_some(outcome)
}

/// The part of the nibble behind another one, by the part of that one, then the nibble. An earlier nibble of a field
/// is as its last one, but no packet ends with it.
static NEXT: LazyLock<Table> = LazyLock::new(|| {
    Table::new(AT_W as u32, |index| {
        match after(Spot::At(index as u64 / 16 % 8), index as u8 % 16) {
            Spot::At(at) => at,
            Spot::Field(..) => at::LAST,
        }
    })
});

/// How a packet ends with a nibble, by its part, then the nibble. One that ends no packet has the outcome of another
/// one, of the same parity if there is one: so the table is small.
static OUTCOMES: LazyLock<Table> = LazyLock::new(|| {
    Table::new(3, |index| {
        let (place, nibble) = (index as u64 / 16 % 8, index as u8 % 16);
        let even = (0..16)
            .map(|other| nibble ^ other)
            .filter(|it| it % 2 == nibble % 2);
        let others = even.chain(0..16);
        others
            .filter_map(|it| outcome_of(place, it))
            .next()
            .unwrap_or(outcome::NONE)
    })
});

fn parts<T: Word>(value: u64) -> T {
    T::constant(value, AT_W as u32)
}

/// A nibble at its part of a packet.
struct Nibble<T> {
    nibble: T,
    keep: T,
    at: T,
    /// The nibble behind it begins a packet.
    ends: T,
    /// It completes no opcode.
    is_inner: T,
}

/// Both nibbles of a byte, by the places before and behind it. One register.
#[named]
fn nibbles<T: Word>(
    place: &Place<T>,
    behind: &Place<T>,
    byte: &Byte<T>,
    is_behind_zero: T,
) -> [Nibble<T>; 2] {
    let now = place.low.stage();
    let (octet, keep) = (byte.octet.at_stage(now), byte.keep.at_stage(now));
    let skips = place.skips;
    let is_f0 = place
        .at()
        .is(at::OPCODE_F)
        .and(is_behind_zero.at_stage(now));
    let first = is_f0.mux(parts(at::OPCODE_F0), place.at());
    let first = skips.mux(parts(at::LAST), first);
    let ends_data = place.skips_one().and(place.low.is(at::SIZE));
    let in_field = ends_data.mux(parts(at::LAST_DATA), parts(at::LAST));
    let next = first.concat(octet.slice(0, 4)).extend(8).rom(&NEXT);
    let second = skips.mux(in_field, next);
    let found = |low: u32, at: T, behind: T, is_due: T| {
        let is_opcode =
            |at: T| any(&[at::OPCODE, at::OPCODE_F, at::OPCODE_F0].map(|part| at.is(part)));
        let begins = behind.is(at::OPCODE).and(is_due);
        let goes_on = all(&[is_due, is_opcode(behind), begins.not()]);
        let opens = is_opcode(at).and(goes_on.not());
        Nibble {
            nibble: octet.slice(low, 4).reg(),
            keep: keep.reg(),
            at: at.reg(),
            ends: keep.and(begins).reg(),
            is_inner: opens.and(keep).not().reg(),
        }
    };
    let always = T::constant(1, 1);
    [
        found(0, first, second, always),
        found(4, second, behind.at(), behind.skips.not()),
    ]
}

/// The roles of the nibbles; `places` has those before each byte, and the one behind the word. They take two
/// registers.
#[named]
pub fn roles<T: Word>(places: &[Place<T>], bytes: &[Byte<T>], behind_zeros: &[T]) -> Vec<Role<T>> {
    let all = places.windows(2).zip(bytes).zip(behind_zeros);
    let all: Vec<Nibble<T>> = all
        .flat_map(|((places, byte), &zero)| nibbles(&places[0], &places[1], byte, zero))
        .collect();
    let now = all[0].nibble.stage();
    let (held, next) = T::register(1, now);
    let nothing = T::constant(0, 1);
    let mut is_stamped = held;
    let ends: Vec<T> = all.iter().map(|it| it.ends).collect();
    let roles = all.iter().enumerate().map(|(place, it)| {
        let outcome = it.at.concat(it.nibble).extend(8).rom(&OUTCOMES);
        let is_size = it.keep.and(it.at.is(at::SIZE));
        is_stamped = is_size.or(is_stamped.and(it.is_inner));
        Role {
            nibble: it.nibble,
            ends: it.ends,
            outcome: outcome.mask(it.ends),
            is_inner: it.is_inner,
            code: it.is_inner.mux(
                T::constant(0, CODE_W as u32),
                it.at.slice(0, 2).concat(it.nibble),
            ),
            is_stamped,
            is_size,
            size: it.nibble.mask(is_size),
            ends_data: it.keep.and(it.at.is(at::LAST_DATA)),
            is_behind_end: ends[..place].iter().copied().fold(nothing, T::or),
            is_before_end: any(&ends[place..]),
        }
        .map(T::reg)
    });
    let roles = roles.collect();
    T::set_next(next, is_stamped);
    roles
}
