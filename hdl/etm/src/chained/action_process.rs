// SPDX-License-Identifier: MIT OR Apache-2.0
//! `ActionProcess`: carries out the action codes of a word and reports every lane.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `reset` | in | forget everything |
//! | `state` | in | [`TraceState`] before the word |
//! | `action[N]`, `octet[N]` | in | [`Action`] and byte of each lane |
//! | `after` | out | [`TraceState`] after the word |
//! | `result[N]` | out | [`LaneResult`] of each lane |
//! | `wide[N]` | out | [`PairResult`] of the pair that each lane is in |
//!
//! Combinational: `N` steps in a chain, each one or two multiplexers deep. A value takes effect
//! with its last byte, so a packet that is cut short leaves nothing half written.

use crate::layouts::{
    ACTION_W, Action, LANE_RESULT_W, LaneResult, PAIR_RESULT_W, PairResult, TRACE_W, TraceState,
    form,
};
use coretrace_hdl_dataflow::{Bus, Word, any, join, kernel_block, priority_mux};
use rust_hdl::prelude::*;
use std::array::from_fn;

kernel_block! {
    /// The action process; see the module text.
    pub struct ActionProcess;
    inputs ProcessInputs { reset: Bit, state: Bus<TRACE_W>, }
    lane_inputs { action: Bus<ACTION_W>, octet: Bits<8>, }
    outputs ProcessOutputs { after: Bus<TRACE_W>, }
    lane_outputs { result: Bus<LANE_RESULT_W>, wide: Bus<PAIR_RESULT_W>, }
    kernel action_process;
}

/// Replaces the piece of `width` bits that `index` names (where `put` is 1) in each piece of `old`.
fn put_piece<T: Word>(old: T, put: T, index: T, piece: T) -> T {
    let width = piece.width();
    let pieces: Vec<T> = (0..old.width().div_ceil(width))
        .map(|number| {
            let low = number * width;
            let bits = width.min(old.width() - low);
            let here = put.and(index.is(number.into()));
            here.mux(piece.slice(0, bits), old.slice(low, bits))
        })
        .collect();
    join(pieces)
}

/// The lead after this byte: bytes 0 to 7, and byte 8.
fn lead<T: Word>(state: &TraceState<T>, action: &Action<T>, octet: T) -> (T, T) {
    let index = action.index.slice(0, 3);
    let low = put_piece(
        state.lead_low,
        action.put_lead.and(action.index.bit(3).not()),
        index,
        octet,
    );
    let is_ninth = action.put_lead.and(action.index.is(8));
    (low, is_ninth.mux(octet, state.lead_high))
}

/// The lower half of a long address.
fn long_low<T: Word>(lead: T, is1: T) -> T {
    let zero = |width| T::constant(0, width);
    let is1_bits = join([zero(1), lead.slice(0, 7), lead.slice(8, 8)]);
    let is0_bits = join([zero(2), lead.slice(0, 7), lead.slice(8, 7)]);
    join([is1.mux(is1_bits, is0_bits), lead.slice(16, 16)])
}

/// A short address over the newest one. `long` says whether it has a second byte.
fn short<T: Word>(newest: T, lead: T, is1: T, long: T) -> T {
    let zero = |width| T::constant(0, width);
    let second = |low, width| long.mux(lead.slice(8, 8), newest.slice(low, width));
    let is1_bits = join([zero(1), lead.slice(0, 7), second(8, 8), newest.slice(16, 1)]);
    let is0_bits = join([zero(2), lead.slice(0, 7), second(9, 8)]);
    join([is1.mux(is1_bits, is0_bits), newest.slice(17, 47)])
}

/// The address registers after this byte, newest first: IS bit and value.
fn addresses<T: Word>(state: &TraceState<T>, action: &Action<T>, lead: T) -> [(T, T); 3] {
    let old = [
        (state.is1_0, state.address_0),
        (state.is1_1, state.address_1),
        (state.is1_2, state.address_2),
    ];
    let is = |value: u64| action.form.is(value);
    let push = any(&[
        form::MATCH,
        form::SHORT,
        form::LONG32,
        form::LONG64,
        form::ZERO,
    ]
    .map(is));
    let newest = old[0].1;
    let low = long_low(lead, action.is1);
    let named = |pick_field: fn((T, T)) -> T| {
        let value = |index: usize| pick_field(old[index]);
        action
            .header
            .bit(1)
            .mux(value(2), action.header.bit(0).mux(value(1), value(0)))
    };
    let value = priority_mux(
        &[
            (is(form::MATCH), named(|register| register.1)),
            (
                is(form::SHORT),
                short(newest, lead, action.is1, action.index.bit(0)),
            ),
            (is(form::LONG32), join([low, newest.slice(32, 32)])),
            (is(form::LONG64), join([low, lead.slice(32, 32)])),
        ],
        T::constant(0, 64),
    );
    let is1 = priority_mux(
        &[
            (is(form::MATCH), named(|register| register.0)),
            (is(form::ZERO), T::constant(0, 1)),
        ],
        action.is1,
    );
    let keep = action.trace_info.not();
    let shifted = [(is1, value), old[0], old[1]];
    std::array::from_fn(|index| {
        let ((is1, value), (old_is1, old_value)) = (shifted[index], old[index]);
        (
            push.mux(is1, old_is1).mask(keep),
            push.mux(value, old_value).mask(keep),
        )
    })
}

/// The timestamp after this byte: as many groups of 7 bits as were read.
fn timestamp<T: Word>(state: &TraceState<T>, action: &Action<T>, lead_low: T, lead_high: T) -> T {
    let complete = action.form.is(form::TIMESTAMP);
    let is_read = |group: u32| {
        action
            .index
            .lt(T::constant(group.into(), 4))
            .not()
            .and(complete)
    };
    let mut groups: Vec<T> = (0..8)
        .map(|group: u32| {
            let read = if group == 0 { complete } else { is_read(group) };
            read.mux(
                lead_low.slice(8 * group, 7),
                state.timestamp.slice(7 * group, 7),
            )
        })
        .collect();
    let all = action.index.is(8).and(complete);
    groups.push(all.mux(lead_high, state.timestamp.slice(56, 8)));
    join(groups).mask(action.trace_info.not())
}

/// A VMID or context ID: the staged bytes and the last one, zeros above.
fn identifier<T: Word>(stage: T, index: T, octet: T) -> T {
    let bytes: Vec<T> = (0..4)
        .map(|number: u32| {
            let is_last = index.is(number.into());
            if number == 3 {
                return octet.mask(is_last);
            }
            let before = T::constant(number.into(), 4).lt(index);
            priority_mux(
                &[(is_last, octet), (before, stage.slice(8 * number, 8))],
                T::constant(0, 8),
            )
        })
        .collect();
    join(bytes)
}

/// The continuation field after this byte. Its first byte clears the rest of it.
fn field<T: Word>(old: T, action: &Action<T>, octet: T) -> T {
    let starts = action.put_field.and(action.index.is(0));
    put_piece(
        old.mask(starts.not()),
        action.put_field,
        action.index,
        octet.slice(0, 7),
    )
}

/// The state after one byte.
fn step<T: Word>(state: &TraceState<T>, action: &Action<T>, octet: T) -> TraceState<T> {
    let (lead_low, lead_high) = lead(state, action, octet);
    let [(is1_0, address_0), (is1_1, address_1), (is1_2, address_2)] =
        addresses(state, action, lead_low);
    let keep = action.trace_info.not();
    let id = identifier(state.stage, action.index, octet);
    TraceState {
        is1_0,
        address_0,
        is1_1,
        address_1,
        is1_2,
        address_2,
        timestamp: timestamp(state, action, lead_low, lead_high),
        info: action.set_info.mux(octet, state.info).mask(keep),
        vmid: action.set_vmid.mux(id, state.vmid).mask(keep),
        cid: action.set_cid.mux(id, state.cid).mask(keep),
        lead_low,
        lead_high,
        stage: put_piece(state.stage, action.put_stage, action.index, octet),
        field: field(state.field, action, octet),
    }
}

fn lane_result<T: Word>(state: &TraceState<T>, action: &Action<T>, octet: T) -> LaneResult<T> {
    LaneResult {
        outcome: action.outcome,
        suspect: action.suspect,
        header: action.header,
        octet,
        field_ends: action.field_ends,
        field_is_short: action.index.is(0),
        is1: state.is1_0,
        address: state.address_0,
    }
}

fn pair_result<T: Word>(state: &TraceState<T>) -> PairResult<T> {
    PairResult {
        timestamp: state.timestamp,
        info: state.info,
        vmid: state.vmid,
        cid: state.cid,
        lead_low: state.lead_low,
        lead_high: state.lead_high,
        field: state.field,
    }
}

fn action_process<T: Word, const N: usize>(i: ProcessInputs<T::Port, N>) -> ProcessOutputs<T, N> {
    let mut state = TraceState::unpack(&i.state);
    let states: [TraceState<T>; N] = from_fn(|lane| {
        let action = Action::unpack(&i.action[lane]);
        state = step(&state, &action, T::field(&i.octet[lane], 0, 8));
        state
    });
    let run = T::field(&i.reset, 0, 1).not();
    let after = state.pack().into_iter().map(|field| field.mask(run));
    ProcessOutputs {
        after: after.collect(),
        result: from_fn(|lane| {
            let octet = T::field(&i.octet[lane], 0, 8);
            lane_result(&states[lane], &Action::unpack(&i.action[lane]), octet).pack()
        }),
        wide: from_fn(|lane| {
            let (first, second) = (lane & !1, (lane | 1).min(N - 1));
            // A field of two or more bytes that ends in the second lane is older than that.
            let action = Action::<T>::unpack(&i.action[first]);
            let longer = action.field_ends.and(action.index.any());
            let field = longer.mux(states[first].field, states[second].field);
            let result = PairResult {
                field,
                ..pair_result(&states[second])
            };
            result.pack()
        }),
    }
}
