// SPDX-License-Identifier: MIT OR Apache-2.0
//! `UnitStep`: takes a row apart into units of at most four words, one per cycle.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `reset` | in | nothing is in hand |
//! | `room` | in | a unit may be sent |
//! | `head`, `head_valid` | in | the row that comes next; only its [`RowPlan`] is read |
//! | `state` | in | [`UnitState`]: what is left of the row in hand |
//! | `state_after` | out | the same after the cycle |
//! | `take` | out | the next row is in hand after the cycle |
//! | `select` | out | [`UnitSelect`]: the unit of this cycle |
//!
//! A unit is a group: the tags of all lanes up to the first record that has words, and these words;
//! or the rest of a record of more than three. So a row takes as many cycles as it has records with
//! words, or one if it has none. Combinational.

use super::rows::{ROW_W, RowPlan};
use crate::dataflow::{Bus, Word, all, any, kernel_block, layout, lowest_set};
use rust_hdl::prelude::*;

layout! {
    /// What is left of a row: as [`RowPlan`], and whether the first half of what comes next was sent.
    pub struct UnitState {
        tags: 4,
        bears: 4,
        long: 4,
        lost: 1,
        start: 1,
        second: 1,
    }
}

layout! {
    /// What a unit is made of.
    pub struct UnitSelect {
        /// There is one.
        valid: 1,
        /// Lanes whose tags it has.
        tags: 4,
        /// The lane whose words it has, if any.
        lane: 4,
        /// It begins a group: there is a tag word.
        first: 1,
        /// It tells of a loss; of a start.
        lost: 1,
        start: 1,
    }
}

/// Bits of the state.
pub const STATE_W: usize = UnitState::WIDTH;
/// Bits of a selection.
pub const SELECT_W: usize = UnitSelect::WIDTH;

kernel_block! {
    /// The step from unit to unit; see the module text.
    pub struct UnitStep;
    inputs StepInputs {
        reset: Bit,
        room: Bit,
        head: Bus<ROW_W>,
        head_valid: Bit,
        state: Bus<STATE_W>,
    }
    lane_inputs {}
    outputs StepOutputs { state_after: Bus<STATE_W>, take: Bit, select: Bus<SELECT_W>, }
    lane_outputs {}
    kernel unit_step;
}

fn unit_step<T: Word, const N: usize>(i: StepInputs<T::Port, N>) -> StepOutputs<T, N> {
    let bit = |port: &T::Port| T::field(port, 0, 1);
    let state = UnitState::<T>::unpack(&i.state);
    let head = RowPlan::<T>::unpack(&i.head);
    let (zero, none) = (T::constant(0, 1), T::constant(0, 4));

    // The lanes up to the first one with words; all if there is none.
    let bearer = lowest_set(state.bears);
    let upto = bearer.or(bearer.add_const(0xF));
    let is_long = state.long.and(bearer).any();
    let in_lanes = state.start.or(state.lost).not();
    let halves = state
        .second
        .not()
        .and(state.start.or(in_lanes.and(is_long)));
    let ends_lane = in_lanes.and(halves.not());
    let left = UnitState {
        tags: in_lanes.mux(state.tags.and(upto.not()), state.tags),
        bears: ends_lane.mux(state.bears.and(bearer.not()), state.bears),
        long: state.long,
        lost: state.lost.and(state.start),
        start: state.start.and(halves),
        second: halves,
    };
    let is_empty = any(&[state.tags.any(), state.bears.any(), state.lost, state.start]).not();
    let is_last = any(&[left.tags.any(), left.bears.any(), left.lost, left.start]).not();
    let room = bit(&i.room);
    let take = all(&[room, bit(&i.head_valid), is_empty.or(is_last)]);
    let sends = room.and(is_empty.not());
    let go = bit(&i.reset).not();
    let next = |head: T, left: T, state: T| take.mux(head, sends.mux(left, state)).gated(go);
    let after = UnitState {
        tags: next(head.tags, left.tags, state.tags),
        bears: next(head.bears, left.bears, state.bears),
        long: next(head.long, left.long, state.long),
        lost: next(head.lost, left.lost, state.lost),
        start: next(head.start, left.start, state.start),
        second: next(zero, left.second, state.second),
    };
    let select = UnitSelect {
        valid: sends,
        tags: state.second.mux(none, state.tags.and(upto)).gated(in_lanes),
        lane: bearer.gated(in_lanes),
        first: state.second.not(),
        lost: state.lost.and(state.start.not()),
        start: state.start,
    };
    StepOutputs {
        state_after: after.pack(),
        take: vec![take.and(go)],
        select: select.pack(),
    }
}
