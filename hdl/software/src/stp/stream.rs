// SPDX-License-Identifier: MIT OR Apache-2.0
//! The stream state, stepped once for every nibble of a byte. The software twin is `coretrace_stm::Parser`
//! with what the decoder does about an ASYNC and an error.

use super::layouts::{COUNT_W, Role, StreamState, outcome, part};
use super::table::{Entry, entry, is_legal_version, only_row};
use crate::input::Input;
use coretrace_hdl_dataflow::{Word, all, any, join, named, priority_mux};
use coretrace_stm::{ASYNC_FS, Kind};

fn parts<T: Word>(value: u64) -> T {
    T::constant(value, 3)
}

fn outcomes<T: Word>(value: u64) -> T {
    T::constant(value, 3)
}

/// The state before a byte: nibbles may have been lost.
fn start<T: Word>(state: StreamState<T>, input: &Input<T>) -> StreamState<T> {
    let goes_on = input.lenient.and(state.is_synced);
    StreamState {
        is_synced: input.lost.mux(goes_on, state.is_synced),
        is_suspect: input.lost.mux(goes_on, state.is_suspect),
        part: state.part.mask(input.lost.not()),
        fs: state.fs.mask(input.lost.not()),
        ..state
    }
}

/// How a record ends with a nibble, if reading is synchronised and no ASYNC ends here.
fn outcome_of<T: Word>(state: &StreamState<T>, entry: &Entry<T>, nibble: T) -> T {
    let in_part = |value: u64| state.part.is(value);
    let is_last = state.left.is(1);
    let is_opcode = state.part.bit(2).or(in_part(part::SIZE)).not();
    let is_version = state.row.is(only_row(Kind::Version));
    let legal = (0..16).filter(|&data| is_legal_version(data));
    let is_legal_version = any(&legal.map(|data| nibble.is(data)).collect::<Vec<T>>());

    let ends_data = all(&[in_part(part::DATA), is_last, state.is_stamped.not()]);
    let ends_stamp = any(&[
        in_part(part::STAMP).and(is_last),
        in_part(part::SIZE).and(entry.outcome.is(outcome::PACKET)),
    ]);
    let is_bad = any(&[
        all(&[ends_data, is_version, is_legal_version.not()]),
        ends_stamp.and(state.has_coding.not()),
        in_part(part::ASYNC).and(nibble.is(0xF).not()),
        in_part(part::SIZE).and(entry.outcome.is(outcome::BAD_SEQUENCE)),
    ]);
    priority_mux(
        &[
            (is_bad, outcomes(outcome::BAD_SEQUENCE)),
            (ends_data.or(ends_stamp), outcomes(outcome::PACKET)),
        ],
        entry.outcome.mask(is_opcode),
    )
}

/// The state after a nibble, and what the nibble is.
#[named]
fn step<T: Word>(state: StreamState<T>, nibble: T, lenient: T) -> (StreamState<T>, Role<T>) {
    let in_part = |value: u64| state.part.is(value);
    let is_counted = state.part.bit(2);
    let is_size = in_part(part::SIZE);
    let is_opcode = is_counted.or(is_size).not();
    let entry = entry(state.part, nibble);
    let is_full = state.fs.is(ASYNC_FS.into());
    let hit = nibble.is(0).and(is_full);
    let reads = state.is_synced.and(hit.not());

    let ends = outcome_of(&state, &entry, nibble).mask(reads);
    let is_error = ends
        .is(outcome::RESERVED)
        .or(ends.is(outcome::BAD_SEQUENCE));
    let is_version = state.row.is(only_row(Kind::Version));
    let row = is_opcode.mux(entry.row, state.row);
    let leaves_data = in_part(part::DATA).and(state.left.is(1));
    let next_part = priority_mux(
        &[
            (any(&[ends.any(), reads.not()]), parts(part::OPCODE)),
            (is_counted.not(), entry.next),
            (leaves_data, parts(part::SIZE)),
        ],
        state.part,
    );
    let more_fs = is_full.mux(state.fs, state.fs.add_const(1));
    let sets_coding = all(&[ends.is(outcome::PACKET), in_part(part::DATA), is_version]);
    let next = StreamState {
        is_synced: hit.or(state.is_synced.and(is_error.not().or(lenient))),
        part: next_part,
        left: is_counted.mux(state.left.add_const((1 << COUNT_W) - 1), entry.left),
        row,
        is_stamped: is_opcode.mux(entry.is_stamped, state.is_stamped),
        fs: more_fs.mask(nibble.is(0xF)),
        has_coding: state.has_coding.or(sets_coding),
        is_suspect: is_error.mux(lenient, state.is_suspect).and(hit.not()),
    };
    let role = Role {
        nibble,
        outcome: hit.mux(outcomes(outcome::ASYNC), ends),
        row,
        is_suspect: state.is_suspect.and(hit.not()),
        begins: reads.and(in_part(part::OPCODE)),
        puts_data: reads.and(in_part(part::DATA)),
        puts_size: reads.and(is_size),
        puts_stamp: reads.and(in_part(part::STAMP)),
        size: entry.left,
    };
    (next, role)
}

/// What each nibble of a byte is.
#[named]
pub(super) fn roles<T: Word, const N: usize>(input: Input<T>, nibbles: [T; N]) -> [Role<T>; N] {
    let (held, next) = T::register(StreamState::WIDTH as u32, input.valid.stage());
    let before = StreamState::split(held);
    let mut state = start(before, &input);
    let roles = nibbles.map(|nibble| {
        let (after, role) = step(state, nibble, input.lenient);
        state = after;
        Role {
            outcome: role.outcome.mask(input.valid),
            begins: role.begins.and(input.valid),
            puts_data: role.puts_data.and(input.valid),
            puts_size: role.puts_size.and(input.valid),
            puts_stamp: role.puts_stamp.and(input.valid),
            ..role
        }
    });
    let after = input.valid.mux(join(state.pack()), held);
    T::set_next(next, after.mask(input.lives));
    roles
}
