// SPDX-License-Identifier: MIT OR Apache-2.0
//! What each nibble of a word is, once the place before its byte is known.

use super::super::layouts::{ROW_W, outcome, part};
use super::super::table::{Entry, opcode_entry, size_entry};
use super::place::{AT_W, Place, Spot, after, at};
use crate::words::Byte;
use coretrace_hdl_dataflow::{Table, Word, any, layout, named};
use coretrace_stm::OPCODES;
use std::sync::LazyLock;

layout! {
    /// What a nibble does at a part of a packet.
    struct Step {
        /// The part of the nibble behind it; of a field, the earlier nibbles only.
        next: AT_W,
        /// A timestamp follows the field that the nibble begins.
        has_size: 1,
        /// It completes an opcode.
        opens: 1,
        /// How a packet ends with it, if reading is synchronised and a timestamp has a coding.
        outcome: 3,
    }
}

layout! {
    /// What a nibble is.
    pub struct Role {
        /// The nibble.
        nibble: 4,
        /// How a packet ends with it, read or not. An ASYNC may be a broken one.
        outcome: 3,
        /// The last opcode that is complete.
        row: ROW_W,
        /// That opcode has a timestamp.
        is_stamped: 1,
        /// It belongs to the data.
        puts_data: 1,
        /// It is the size of a timestamp.
        puts_size: 1,
        /// It belongs to the value of a timestamp.
        puts_stamp: 1,
    }
}

/// The entry for a nibble of an opcode.
fn opcode(place: u64, nibble: u8) -> Entry<u64> {
    let (before, nibbles) = [(0, 1), (0xF, 2), (0xF0, 3)][place as usize];
    opcode_entry(before, nibble.into(), nibbles)
}

fn step(place: u64, nibble: u8) -> Step<u64> {
    let (next, has_size) = match after(Spot::At(place), nibble) {
        Spot::At(at) => (at, 0),
        Spot::Field(_, has_size) => (at::FIELD, has_size.into()),
    };
    let bare = |outcome: u64| Step {
        next,
        has_size,
        opens: 0,
        outcome,
    };
    match place {
        at::OPCODE | at::OPCODE_F | at::OPCODE_F0 => {
            let entry = opcode(place, nibble);
            let is_begun = matches!(entry.next, part::OPCODE_F | part::OPCODE_F0);
            let is_reserved = entry.outcome == outcome::RESERVED;
            Step {
                opens: (!is_begun && !is_reserved).into(),
                ..bare(entry.outcome)
            }
        }
        at::SIZE => bare(size_entry(nibble).outcome),
        at::ASYNC => bare(match nibble {
            0 => outcome::ASYNC,
            0xF => outcome::NONE,
            _ => outcome::BAD_SEQUENCE,
        }),
        at::LAST => bare(outcome::PACKET),
        _ => bare(outcome::NONE),
    }
}

/// By the part, then the nibble.
static STEPS: LazyLock<Table> =
    LazyLock::new(|| Step::table(|index| step(index as u64 / 16 % 8, index as u8 % 16)));

/// The opcode that a nibble completes, by the low two bits of the part of an opcode, then the nibble.
static ROWS: LazyLock<Table> = LazyLock::new(|| {
    Table::new(ROW_W as u32, |index| match index as u64 / 16 % 4 {
        place @ at::OPCODE..=at::OPCODE_F0 => opcode(place, index as u8 % 16).row,
        _ => 0,
    })
});

/// The opcodes with a timestamp.
static STAMPED: LazyLock<Table> = LazyLock::new(|| {
    Table::new(1, |row| {
        OPCODES.get(row).is_some_and(|it| it.is_stamped).into()
    })
});

fn parts<T: Word>(value: u64) -> T {
    T::constant(value, AT_W as u32)
}

/// A nibble at its part of a packet.
struct Nibble<T> {
    nibble: T,
    at: T,
    /// In a field: a timestamp follows it.
    has_size: T,
    step: Step<T>,
    /// The opcode that it completes, if it does.
    row: T,
}

/// Both nibbles of a byte. One register.
#[named]
fn nibbles<T: Word>(place: &Place<T>, byte: &Byte<T>) -> [Nibble<T>; 2] {
    let now = place.at.stage();
    let (octet, keep) = (byte.octet.at_stage(now), byte.keep.at_stage(now));
    let entry = |at: T, nibble: T| Step::split(at.concat(nibble).extend(8).rom(&STEPS));
    let skips = place.skip.any();
    let first_at = skips.mux(parts(at::FIELD), place.at);
    let first = entry(first_at, octet.slice(0, 4));
    let before_size = place.at.is(at::SIZE);
    let last = before_size.mux(parts(at::LAST_DATA), parts(at::LAST));
    let is_whole = before_size.or(place.at.is(at::OPCODE));
    let ends = place.skip.is(1).and(is_whole);
    let in_field = ends.mux(last, parts(at::FIELD));
    let second_at = skips.mux(in_field, first.next);
    let second = entry(second_at, octet.slice(4, 4));
    let has_size = before_size.or(place.at.is(at::LAST_DATA));
    let second_has_size = skips.mux(has_size, first.has_size);
    let found = |low: u32, at: T, has_size: T, step: Step<T>| Nibble {
        nibble: octet.slice(low, 4).reg(),
        at: at.reg(),
        has_size: has_size.reg(),
        row: at
            .slice(0, 2)
            .concat(octet.slice(low, 4))
            .extend(8)
            .rom(&ROWS)
            .reg(),
        step: Step {
            outcome: step.outcome.mask(keep),
            opens: step.opens.and(keep),
            ..step
        }
        .map(T::reg),
    };
    [
        found(0, first_at, has_size, first),
        found(4, second_at, second_has_size, second),
    ]
}

/// The roles of both nibbles of each byte. They take two registers.
#[named]
pub fn roles<T: Word>(places: &[Place<T>], bytes: &[Byte<T>]) -> Vec<[Role<T>; 2]> {
    let all = places.iter().zip(bytes);
    let all: Vec<[Nibble<T>; 2]> = all.map(|(place, byte)| nibbles(place, byte)).collect();
    let now = all[0][0].nibble.stage();
    let (held, next) = T::register(ROW_W as u32, now);
    let mut row = held;
    let mut roles = Vec::new();
    for (both, byte) in all.iter().zip(bytes) {
        let keep = byte.keep.at_stage(now);
        roles.push(both.each_ref().map(|it| {
            row = it.step.opens.mux(it.row, row);
            role(it, row, keep)
        }));
    }
    T::set_next(next, row);
    roles
}

#[named]
fn role<T: Word>(of: &Nibble<T>, row: T, keep: T) -> Role<T> {
    let is_at = |part: u64| of.at.is(part);
    let before_size = is_at(at::LAST_DATA).or(is_at(at::FIELD).and(of.has_size));
    let in_field = any(&[is_at(at::FIELD), is_at(at::LAST), is_at(at::LAST_DATA)]);
    let puts = keep.and(in_field);
    let may_stamp = puts.and(before_size.not()).reg();
    let row = row.reg();
    let is_stamped = row.extend(8).rom(&STAMPED);
    Role {
        nibble: of.nibble.reg(),
        outcome: of.step.outcome.reg(),
        row,
        is_stamped,
        puts_data: puts.reg().and(may_stamp.and(is_stamped).not()),
        puts_size: keep.and(is_at(at::SIZE)).reg(),
        puts_stamp: may_stamp.and(is_stamped),
    }
}
