// SPDX-License-Identifier: MIT OR Apache-2.0
//! `GroupSequencer`: counts the units of a row, of at most four words each, one per cycle.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `reset` | in | nothing is in hand |
//! | `room` | in | a unit may be sent |
//! | `head`, `head_valid` | in | the row that comes next; only its [`GroupPlan`] is read |
//! | `state` | in | [`UnitState`]: what is left of the row in hand |
//! | `state_after` | out | the same after the cycle |
//! | `take` | out | the next row is in hand after the cycle |
//! | `select` | out | [`UnitSelect`]: the unit of this cycle |
//!
//! A row is a group: a tag word and the words of all its records, in units of four. What reports a
//! loss before them is a unit of its own. Combinational.

use super::layouts::{GROUP_W, GroupPlan};
use coretrace_hdl_dataflow::{Bus, Word, all, kernel_block, layout};
use rust_hdl::prelude::*;

layout! {
    /// What is left of a row.
    pub struct UnitState {
        /// A row is in hand.
        some: 1,
        /// Units after the next one.
        more: 3,
        /// Number of the next unit of the group; modulo 4, so that a loss comes before number 0.
        number: 2,
        /// The next unit reports a loss.
        lost: 1,
    }
}

layout! {
    /// A unit.
    pub struct UnitSelect {
        /// There is one.
        valid: 1,
        /// Its number in the group.
        number: 2,
        /// It is the last one of the row.
        last: 1,
        /// It reports a loss.
        lost: 1,
    }
}

/// Bits of the state.
pub const STATE_W: usize = UnitState::WIDTH;
/// Bits of a selection.
pub const SELECT_W: usize = UnitSelect::WIDTH;

kernel_block! {
    /// The step from unit to unit; see the module text.
    pub struct GroupSequencer;
    inputs StepInputs {
        reset: Bit,
        room: Bit,
        head: Bus<GROUP_W>,
        head_valid: Bit,
        state: Bus<STATE_W>,
    }
    lane_inputs {}
    outputs StepOutputs { state_after: Bus<STATE_W>, take: Bit, select: Bus<SELECT_W>, }
    lane_outputs {}
    kernel group_sequencer;
}

fn group_sequencer<T: Word, const N: usize>(i: StepInputs<T::Port, N>) -> StepOutputs<T, N> {
    let bit = |port: &T::Port| T::field(port, 0, 1);
    let state = UnitState::<T>::unpack(&i.state);
    let head = GroupPlan::<T>::unpack(&i.head);
    let (room, go) = (bit(&i.room), bit(&i.reset).not());

    let is_last = state.more.any().not();
    let sends = room.and(state.some);
    let take = all(&[room, bit(&i.head_valid), state.some.not().or(is_last)]);
    let stays = state.some.and(room.and(is_last).not());
    let next = |head: T, after: T, state: T| take.mux(head, sends.mux(after, state));
    let first = head.lost.concat(head.lost);
    let after = UnitState {
        some: take.or(stays).and(go),
        more: next(head.more, state.more.add_const(7), state.more),
        number: next(first, state.number.add_const(1), state.number),
        lost: next(head.lost, T::constant(0, 1), state.lost),
    };
    let select = UnitSelect {
        valid: sends,
        number: state.number,
        last: is_last,
        lost: state.lost,
    };
    StepOutputs {
        state_after: after.pack(),
        take: vec![take.and(go)],
        select: select.pack(),
    }
}
