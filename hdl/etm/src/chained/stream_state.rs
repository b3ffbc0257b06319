// SPDX-License-Identifier: MIT OR Apache-2.0
//! `StreamStateProcess`: the stream state, stepped once for every byte of a word.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `cfg` | in | [`DecoderConfig`] |
//! | `reset` | in | wait for an A-Sync |
//! | `lenient` | in | error policy: 0 resync, 1 lenient |
//! | `valid`, `discontinuity` | in | the word counts; bytes were lost before it |
//! | `state` | in | [`StreamState`] before the word |
//! | `row[N]` | in | [`HeaderRow`] of each byte |
//! | `octet[N]`, `keep[N]`, `hit[N]` | in | bytes, which of them count, which end an A-Sync |
//! | `after` | out | [`StreamState`] after the word |
//! | `role[N]` | out | [`Role`] of each byte |
//!
//! Combinational: `N` steps in a chain, the longest path of the chained decoder. The caller keeps
//! the state in a register. The software twin is `coretrace_etm::Parser`.

use crate::encodings;
use crate::layouts::{
    CONFIG_W, DecoderConfig, HeaderRow, ROLE_W, ROW_W, Role, STREAM_W, StreamState, form, mode,
    outcome, part,
};
use coretrace_hdl_dataflow::{Bus, Word, all, any, kernel_block, lowest_set, priority_mux};
use rust_hdl::prelude::*;

kernel_block! {
    /// The stream state process; see the module text.
    pub struct StreamStateProcess;
    inputs StreamInputs {
        cfg: Bus<CONFIG_W>,
        reset: Bit,
        lenient: Bit,
        valid: Bit,
        discontinuity: Bit,
        state: Bus<STREAM_W>,
    }
    lane_inputs { row: Bus<ROW_W>, octet: Bits<8>, keep: Bit, hit: Bit, }
    outputs StreamOutputs { after: Bus<STREAM_W>, }
    lane_outputs { role: Bus<ROLE_W>, }
    kernel stream_state;
}

fn modes<T: Word>(value: u64) -> T {
    T::constant(value, 3)
}

/// The part that comes first in a set: its number, stream mode and last index.
fn first_part<T: Word>(config: &DecoderConfig<T>, todo: T) -> (T, T, T) {
    let first = lowest_set(todo);
    let number = bit_number(first);
    let is = |part: u64| first.bit(part as u32);
    let sized = is(part::VMID).or(is(part::CID));
    let mode = priority_mux(
        &[
            (is(part::INFO), modes(mode::INFORMATION)),
            (sized, modes(mode::FIXED)),
        ],
        modes(mode::UNBOUNDED),
    );
    let last = is(part::VMID)
        .mux(config.vmid_last, T::constant(3, 2))
        .extend(4);
    (number, mode, last)
}

/// The number of the one bit that is set.
fn bit_number<T: Word>(one_hot: T) -> T {
    let bit = |mask: u64| one_hot.and_const(mask).any();
    T::constant(0, 1)
        .concat(bit(0xF0))
        .concat(bit(0xCC))
        .concat(bit(0xAA))
}

/// What one byte does: the state after it and its role.
struct Step<T> {
    next: StreamState<T>,
    role: Role<T>,
}

/// The state after a header byte.
fn after_header<T: Word>(
    state: &StreamState<T>,
    row: &HeaderRow<T>,
    octet: T,
    lenient: T,
) -> StreamState<T> {
    let failed = lenient.mux(modes(mode::HEADER), modes(mode::UNSYNC));
    StreamState {
        mode: row.error.mux(failed, row.mode),
        part: row.part,
        index: T::constant(0, 4),
        last: row.last,
        todo: row.todo,
        suspect: state.suspect.or(row.error),
        header: octet,
        form: row.form,
        is1: row.is1,
        exception: row.exception,
        plctl: row.plctl,
    }
}

fn step<T: Word>(
    config: &DecoderConfig<T>,
    lenient: T,
    state: StreamState<T>,
    row: &HeaderRow<T>,
    octet: T,
    hit: T,
) -> Step<T> {
    let in_mode = |value: u64| state.mode.is(value);
    let is_header = in_mode(mode::HEADER);
    let is_extension = in_mode(mode::EXTENSION);
    let in_payload = state.mode.bit(2);
    let more = octet.bit(7);
    let first = state.index.is(0);

    // An ETE's PE Reset and Transaction Failure: always two bytes, and packets of their own.
    let leads = state.part.is(part::LEAD);
    let special = all(&[
        encodings::is_ete_exception(config, octet),
        state.exception,
        leads,
        first,
    ]);

    let at_last = state.index.eq(state.last);
    let ends_part = priority_mux(
        &[
            (in_mode(mode::UNBOUNDED), more.not()),
            (
                in_mode(mode::BOUNDED),
                more.not().or(at_last).and(special.not()),
            ),
            (in_mode(mode::FIXED), at_last),
        ],
        in_mode(mode::INFORMATION),
    );

    // Two kinds of bytes add to the look-ahead: the first of PLCTL and the context information.
    let sections = octet.slice(0, 5).concat(T::constant(0, 3));
    let ids = more
        .and(config.has_cid)
        .concat(octet.bit(6).and(config.has_vmid))
        .concat(T::constant(0, 1));
    let todo = priority_mux(
        &[
            (all(&[state.plctl, leads, first]), sections),
            (in_mode(mode::INFORMATION), ids.extend(8)),
        ],
        state.todo,
    );
    let ends_packet = ends_part.and(todo.any().not());
    let (next_part, next_mode, next_last) = first_part(config, todo);
    let goes_on = ends_part.not();
    let next_index = state
        .index
        .is(15)
        .mux(state.index, state.index.add_const(1));
    let payload = StreamState {
        mode: priority_mux(
            &[(ends_packet, modes(mode::HEADER)), (goes_on, state.mode)],
            next_mode,
        ),
        part: goes_on.mux(state.part, next_part),
        index: next_index.mask(goes_on),
        last: goes_on.mux(state.last, next_last),
        todo: goes_on.mux(todo, todo.and(lowest_set(todo).not())),
        form: special.mux(T::constant(form::ZERO, 3), state.form),
        ..state
    };

    // Header 0x00: an extension, or zeros that only an A-Sync hit ends well.
    let zero = octet.is(0);
    let extends = encodings::is_extension(octet);
    let good_extension = is_extension.and(extends);
    let bad_sequence = any(&[
        all(&[is_extension, zero.or(extends).not()]),
        in_mode(mode::ASYNC).and(zero.not()),
    ]);
    let failed = lenient.mux(modes(mode::HEADER), modes(mode::UNSYNC));
    let waiting = StreamState {
        mode: priority_mux(
            &[
                (good_extension, modes(mode::HEADER)),
                (bad_sequence, failed),
                (is_extension, modes(mode::ASYNC)),
            ],
            state.mode,
        ),
        suspect: state.suspect.or(bad_sequence),
        ..state
    };

    let mut next = select(in_payload, &payload, &waiting);
    next = select(is_header, &after_header(&state, row, octet, lenient), &next);
    next.mode = hit.mux(modes(mode::HEADER), next.mode);
    next.suspect = next.suspect.and(hit.not());

    let reads = hit.not();
    let packet = any(&[
        is_header.and(row.single),
        in_payload.and(ends_packet),
        good_extension,
    ]);
    let outcomes = |value: u64| T::constant(value, 3);
    let role = Role {
        is_header: is_header.and(reads),
        is_extension: is_extension.and(reads),
        part: in_payload
            .and(reads)
            .mux(state.part, T::constant(part::NONE, 4)),
        index: state.index,
        ends_part,
        outcome: priority_mux(
            &[
                (hit, outcomes(outcome::ASYNC)),
                (is_header.and(row.error), outcomes(outcome::RESERVED)),
                (bad_sequence, outcomes(outcome::BAD_SEQUENCE)),
                (packet, outcomes(outcome::PACKET)),
            ],
            outcomes(outcome::NONE),
        ),
        trace_info: all(&[in_payload, ends_packet, state.plctl, reads]),
        header: is_header.mux(octet, state.header),
        form: is_header.mux(row.form, payload.form),
        is1: is_header.mux(row.is1, state.is1),
        suspect: state.suspect.and(reads),
    };
    Step { next, role }
}

/// `yes` where a bit is 1, else `no`, field by field.
fn select<T: Word>(bit: T, yes: &StreamState<T>, no: &StreamState<T>) -> StreamState<T> {
    StreamState {
        mode: bit.mux(yes.mode, no.mode),
        part: bit.mux(yes.part, no.part),
        index: bit.mux(yes.index, no.index),
        last: bit.mux(yes.last, no.last),
        todo: bit.mux(yes.todo, no.todo),
        suspect: bit.mux(yes.suspect, no.suspect),
        header: bit.mux(yes.header, no.header),
        form: bit.mux(yes.form, no.form),
        is1: bit.mux(yes.is1, no.is1),
        exception: bit.mux(yes.exception, no.exception),
        plctl: bit.mux(yes.plctl, no.plctl),
    }
}

/// The state at the start of a word: bytes may have been lost before it.
fn start<T: Word>(state: StreamState<T>, lost: T, lenient: T) -> StreamState<T> {
    let synced = state.mode.any();
    let go_on = lenient.and(synced);
    let restart = go_on.mux(modes(mode::HEADER), modes(mode::UNSYNC));
    StreamState {
        mode: lost.mux(restart, state.mode),
        suspect: lost.mux(go_on, state.suspect),
        ..state
    }
}

fn stream_state<T: Word, const N: usize>(i: StreamInputs<T::Port, N>) -> StreamOutputs<T, N> {
    let config = DecoderConfig::unpack(&i.cfg);
    let lenient = T::field(&i.lenient, 0, 1);
    let valid = T::field(&i.valid, 0, 1);
    let lost = valid.and(T::field(&i.discontinuity, 0, 1));
    let mut state = start(StreamState::unpack(&i.state), lost, lenient);
    let role = std::array::from_fn(|lane| {
        let row = HeaderRow::unpack(&i.row[lane]);
        let octet = T::field(&i.octet[lane], 0, 8);
        let hit = T::field(&i.hit[lane], 0, 1);
        let keep = T::field(&i.keep[lane], 0, 1).and(valid);
        let Step { next, role } = step(&config, lenient, state, &row, octet, hit);
        state = select(keep, &next, &state);
        Role {
            is_header: role.is_header.and(keep),
            is_extension: role.is_extension.and(keep),
            part: keep.mux(role.part, T::constant(part::NONE, 4)),
            outcome: role.outcome.mask(keep),
            trace_info: role.trace_info.and(keep),
            ..role
        }
        .pack()
    });
    let reset = T::field(&i.reset, 0, 1);
    state.mode = state.mode.mask(reset.not());
    state.suspect = state.suspect.and(reset.not());
    StreamOutputs {
        after: state.pack(),
        role,
    }
}
