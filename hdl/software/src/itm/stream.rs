// SPDX-License-Identifier: MIT OR Apache-2.0
//! The stream state, stepped once for every byte. The software twin is `coretrace_itm::Parser` with what the
//! decoder does about a sync and an error.

use super::layouts::{LEN_W, Role, StreamState, outcome, part};
use super::table::{Entry, entry};
use crate::input::Input;
use coretrace_hdl_dataflow::{Word, all, any, join, named, priority_mux};
use coretrace_itm::{SYNC_END, SYNC_ZEROS};

/// The state before a byte: bytes may have been lost.
fn start<T: Word>(state: StreamState<T>, input: &Input<T>) -> StreamState<T> {
    let goes_on = input.lenient.and(state.is_synced);
    StreamState {
        is_synced: input.lost.mux(goes_on, state.is_synced),
        is_suspect: input.lost.mux(goes_on, state.is_suspect),
        part: state.part.mask(input.lost.not()),
        zeros: state.zeros.mask(input.lost.not()),
        ..state
    }
}

/// How a record ends with a byte, if reading is synchronised and no sync ends here.
fn outcome_of<T: Word>(state: &StreamState<T>, entry: &Entry<T>, octet: T) -> T {
    let in_part = |value: u64| state.part.is(value);
    let is_last = state.left.is(1);
    let goes_on = octet.bit(7);
    let is_packet = any(&[
        in_part(part::FIXED).and(is_last),
        in_part(part::CONTINUED).and(goes_on.not()),
    ]);
    let is_bad = any(&[
        all(&[in_part(part::CONTINUED), goes_on, is_last]),
        in_part(part::SYNC).and(octet.any()),
    ]);
    let outcomes = |value: u64| T::constant(value, 3);
    priority_mux(
        &[
            (is_bad, outcomes(outcome::BAD_SEQUENCE)),
            (is_packet, outcomes(outcome::PACKET)),
        ],
        entry.outcome.mask(in_part(part::HEADER)),
    )
}

/// The state after a byte, and what the byte is.
#[named]
fn step<T: Word>(state: StreamState<T>, octet: T, lenient: T) -> (StreamState<T>, Role<T>) {
    let is_header = state.part.is(part::HEADER);
    let entry = entry(octet);
    let is_full = state.zeros.is(SYNC_ZEROS);
    let hit = octet.is(SYNC_END.into()).and(is_full);
    let reads = state.is_synced.and(hit.not());

    let ends = outcome_of(&state, &entry, octet).mask(reads);
    let is_error = ends
        .is(outcome::RESERVED)
        .or(ends.is(outcome::BAD_SEQUENCE));
    let more_zeros = is_full.mux(state.zeros, state.zeros.add_const(1));
    let next_part = is_header.mux(entry.next, state.part);
    let next = StreamState {
        is_synced: hit.or(state.is_synced.and(is_error.not().or(lenient))),
        part: next_part.mask(reads.and(ends.any().not())),
        left: is_header.mux(entry.left, state.left.add_const((1 << LEN_W) - 1)),
        zeros: more_zeros.mask(octet.is(0)),
        is_suspect: is_error.mux(lenient, state.is_suspect).and(hit.not()),
    };
    let is_payload = state
        .part
        .is(part::FIXED)
        .or(state.part.is(part::CONTINUED));
    let role = Role {
        octet,
        outcome: hit.mux(T::constant(outcome::SYNC, 3), ends),
        is_suspect: state.is_suspect.and(hit.not()),
        begins: reads.and(is_header),
        puts: reads.and(is_payload),
    };
    (next, role)
}

/// What each byte is.
#[named]
pub(super) fn role<T: Word>(input: Input<T>, octet: T) -> Role<T> {
    let (held, next) = T::register(StreamState::WIDTH as u32, input.valid.stage());
    let before = start(StreamState::split(held), &input);
    let (after, role) = step(before, octet, input.lenient);
    let after = input.valid.mux(join(after.pack()), held);
    T::set_next(next, after.mask(input.lives));
    Role {
        outcome: role.outcome.mask(input.valid),
        begins: role.begins.and(input.valid),
        puts: role.puts.and(input.valid),
        ..role
    }
}
