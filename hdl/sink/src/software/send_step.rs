// SPDX-License-Identifier: MIT OR Apache-2.0
//! `SendStep`: which beat of a software stream comes next.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `reset` | in | nothing is in hand |
//! | `flush` | in | for one cycle: end the packet soon |
//! | `room` | in | a beat may be sent |
//! | `head`, `head_valid` | in | the entry that comes next; only which records it has is read |
//! | `state` | in | [`SendState`]: what is left of the entry in hand, and where the packet is |
//! | `state_after` | out | the same after the cycle |
//! | `take` | out | the next entry is in hand after the cycle |
//! | `select` | out | [`UnitSelect`]: the beat of this cycle |
//!
//! A packet begins with a record. It ends when it is full, behind a flush, and after 512 cycles without a beat; the
//! last two only when no record is in hand. Combinational; `N` is 1.

use super::entry::{ENTRY_W, Entry};
use coretrace_abi::software_stream::MOST_RECORDS;
use coretrace_hdl_dataflow::{Bus, Word, all, any, kernel_block, layout, named};
use rust_hdl::prelude::*;

/// Bits of the number of records of a packet.
const RECORDS_W: usize = MOST_RECORDS.ilog2() as usize + 1;
/// Bits of the number of cycles without a beat after which a packet ends.
const REST_W: usize = 9;

layout! {
    /// What is left of an entry, and where the packet is.
    pub struct SendState {
        /// Records of the entry still to come.
        loss: 1,
        first: 1,
        second: 1,
        /// Two records of the entry end in its byte, and the first one was sent or comes next.
        is_pair: 1,
        /// The second beat of a record comes next.
        high: 1,
        /// A packet has begun and has no tail.
        is_open: 1,
        /// It ends soon.
        wants_end: 1,
        /// Records in it.
        records: RECORDS_W,
        /// Cycles without a beat.
        rest: REST_W,
    }
}

layout! {
    /// A beat.
    pub struct UnitSelect {
        /// There is one.
        valid: 1,
        /// It is a head, or a tail; otherwise it is of a record.
        head: 1,
        tail: 1,
        /// The second beat of the record.
        high: 1,
        /// The record: that of a loss, or the second one; otherwise the first one.
        loss: 1,
        second: 1,
        /// It is behind the first one of its byte, and so has no data.
        is_behind: 1,
    }
}

/// Bits of the state.
pub const SEND_STATE_W: usize = SendState::WIDTH;
/// Bits of a selection.
pub const SELECT_W: usize = UnitSelect::WIDTH;

kernel_block! {
    /// See the module text.
    pub struct SendStep;
    inputs StepInputs {
        reset: Bit,
        flush: Bit,
        room: Bit,
        head: Bus<ENTRY_W>,
        head_valid: Bit,
        state: Bus<SEND_STATE_W>,
    }
    lane_inputs {}
    outputs StepOutputs { state_after: Bus<SEND_STATE_W>, take: Bit, select: Bus<SELECT_W>, }
    lane_outputs {}
    kernel send_step;
}

#[named]
fn send_step<T: Word, const N: usize>(i: StepInputs<T::Port, N>) -> StepOutputs<T, N> {
    let bit = |port: &T::Port| T::field(port, 0, 1);
    let state = SendState::<T>::unpack(&i.state);
    let entry = Entry::<T>::unpack(&i.head);
    let go = bit(&i.reset).not();
    let sends = bit(&i.room).and(go);

    let has_record = any(&[state.loss, state.first, state.second]);
    let is_full = state.records.is(MOST_RECORDS as u64).and(state.high.not());
    let is_idle = has_record
        .not()
        .and(state.wants_end.or(state.rest.not().any().not()));
    let ends = state.is_open.and(is_full.or(is_idle));
    let tail = sends.and(ends);
    let head = all(&[sends, has_record, state.is_open.not()]);
    let record = all(&[sends, has_record, state.is_open, ends.not()]);
    let is_done = record.and(state.high);
    let take = all(&[go, has_record.not(), bit(&i.head_valid)]);

    let is_loss = state.loss;
    let is_first = state.first.and(is_loss.not());
    let is_second = any(&[state.loss, state.first]).not();
    let left = |has: T, is_now: T| has.and(is_done.and(is_now).not());
    let records = state.records.add_const(1);
    let unsent = any(&[tail, head, record]).not();
    let rested = state.rest.not().any().not();
    let rest = rested.mux(state.rest, state.rest.add_const(1));
    let after = SendState {
        loss: take.mux(entry.has_loss, left(state.loss, is_loss)),
        first: take.mux(entry.has_first, left(state.first, is_first)),
        second: take.mux(entry.has_second, left(state.second, is_second)),
        is_pair: take.mux(entry.has_first.and(entry.has_second), state.is_pair),
        high: record.mux(state.high.not(), state.high),
        is_open: head.or(state.is_open.and(tail.not())),
        wants_end: all(&[state.wants_end.or(bit(&i.flush)), state.is_open, tail.not()]),
        records: is_done
            .mux(records, state.records)
            .mask(head.or(tail).not()),
        rest: rest.mask(unsent.and(state.is_open)),
    };
    let select = UnitSelect {
        valid: unsent.not(),
        head,
        tail,
        high: state.high,
        loss: is_loss,
        second: is_second,
        is_behind: is_second.and(state.is_pair),
    };
    StepOutputs {
        state_after: after.map(|field| field.mask(go)).pack(),
        take: vec![take],
        select: select.pack(),
    }
}
