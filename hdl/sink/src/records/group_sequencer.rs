// SPDX-License-Identifier: MIT OR Apache-2.0
//! `GroupSequencer`: counts the units of a row, of at most four words each, one per cycle.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `reset` | in | nothing is in hand |
//! | `room` | in | a unit may be sent |
//! | `head`, `head_valid` | in | the row that comes next; only its [`GroupPlan`] is read |
//! | `has_places` | in | the places of its tags come in front of its group; never without a group |
//! | `may_place` | in | constant: rows may have places |
//! | `state` | in | [`UnitState`]: what is left of the row in hand |
//! | `state_after` | out | the same after the cycle |
//! | `take` | out | the next row is in hand after the cycle |
//! | `select` | out | [`UnitSelect`]: the unit of this cycle |
//!
//! The units of a row, as far as it has them: a fill and a tail, which end the packet before it;
//! the four units of a head; a loss; places; its group. Combinational.

use super::layouts::{GROUP_W, GroupPlan};
use coretrace_hdl_dataflow::{Bus, Word, all, any, kernel_block, layout, named};
use rust_hdl::prelude::*;

layout! {
    /// What is left of a row.
    pub struct UnitState {
        /// A packet has begun and has no tail.
        open: 1,
        /// The next unit fills a beat; a tail, units of a head, a loss, places and a group are to come.
        fill: 1,
        tail: 1,
        /// As many ones as units, from bit 0 on: neither a sum nor a comparison is behind it.
        head: 4,
        lost: 1,
        places: 1,
        group: 1,
        /// Units of the group after its next one.
        more: 2,
        /// Number of the next unit of the group.
        number: 2,
        /// Units come after the next one. A register of its own, because FIFO and row wait for it.
        goes_on: 1,
    }
}

layout! {
    /// A unit.
    pub struct UnitSelect {
        /// There is one.
        valid: 1,
        /// What it is; otherwise it is of the group.
        fill: 1,
        tail: 1,
        head: 1,
        lost: 1,
        places: 1,
        /// Its number in the group, or in the head.
        number: 2,
        /// It is the last one of the group.
        ends_group: 1,
        /// It is the last one of the row.
        last: 1,
    }
}

/// Bits of the state.
pub const STATE_W: usize = UnitState::WIDTH;
/// Bits of a selection.
pub const SELECT_W: usize = UnitSelect::WIDTH;
/// Units of a head.
const HEAD_UNITS: u32 = 4;

kernel_block! {
    /// The step from unit to unit; see the module text.
    pub struct GroupSequencer;
    inputs StepInputs {
        reset: Bit,
        room: Bit,
        head: Bus<GROUP_W>,
        head_valid: Bit,
        has_places: Bit,
        may_place: Bit,
        state: Bus<STATE_W>,
    }
    lane_inputs {}
    outputs StepOutputs { state_after: Bus<STATE_W>, take: Bit, select: Bus<SELECT_W>, }
    lane_outputs {}
    kernel group_sequencer;
}

#[named]
fn group_sequencer<T: Word, const N: usize>(i: StepInputs<T::Port, N>) -> StepOutputs<T, N> {
    let bit = |port: &T::Port| T::field(port, 0, 1);
    let state = UnitState::<T>::unpack(&i.state);
    let state = UnitState {
        places: state.places.and(bit(&i.may_place)),
        ..state
    };
    let row = GroupPlan::<T>::unpack(&i.head);
    let (room, go) = (bit(&i.room), bit(&i.reset).not());
    let no = T::constant(0, 1);

    let has_head = state.head.bit(0);
    let is_fill = state.fill;
    let is_tail = state.tail.and(is_fill.not());
    let is_head = all(&[has_head, is_fill.not(), state.tail.not()]);
    let before_loss = any(&[state.fill, state.tail, has_head]);
    let is_lost = state.lost.and(before_loss.not());
    let before_places = before_loss.or(state.lost);
    let is_places = state.places.and(before_places.not());
    let is_group = all(&[state.group, state.places.not(), before_places.not()]);
    let ends_group = state.more.any().not();
    let some = any(&[before_places, state.places, state.group]);
    let sends = room.and(some);
    let take = all(&[room, bit(&i.head_valid), state.goes_on.not()]);

    let closes = state.open.and(any(&[row.starts, row.ends, row.begins]));
    let taken = UnitState {
        open: row.begins.or(state.open.and(closes.not())),
        fill: closes.or(row.starts),
        tail: closes,
        head: T::constant((1 << HEAD_UNITS) - 1, HEAD_UNITS).mask(row.begins),
        lost: row.lost,
        places: bit(&i.has_places),
        group: row.has_group,
        more: row.more,
        number: T::constant(0, 2),
        goes_on: no,
    };
    let sent = UnitState {
        open: state.open,
        fill: no,
        tail: state.tail.and(is_tail.not()),
        head: is_head.mux(state.head.slice(1, 3).extend(HEAD_UNITS), state.head),
        lost: state.lost.and(is_lost.not()),
        places: state.places.and(is_places.not()),
        group: state.group.and(is_group.and(ends_group).not()),
        more: is_group.mux(state.more.add_const(3), state.more),
        number: is_group.mux(state.number.add_const(1), state.number),
        goes_on: no,
    };
    let taken = UnitState {
        goes_on: goes_on(&taken),
        ..taken
    };
    let sent = UnitState {
        goes_on: goes_on(&sent),
        ..sent
    };
    let last = state.goes_on.not();
    let after = UnitState::mux(take, taken, UnitState::mux(sends, sent, state));
    let left = |units: u32| state.head.bit(units - 1);
    let odd = any(&[left(3).and(left(4).not()), left(2).not()]);
    let head_number = left(3).not().concat(odd);
    let select = UnitSelect {
        valid: sends,
        fill: is_fill,
        tail: is_tail,
        head: is_head,
        lost: is_lost,
        places: is_places,
        number: is_head.mux(head_number, state.number),
        ends_group,
        last,
    };
    StepOutputs {
        state_after: after.map(|field| field.mask(go)).pack(),
        take: vec![take.and(go)],
        select: select.pack(),
    }
}

/// Whether more than one unit is left.
#[named]
fn goes_on<T: Word>(state: &UnitState<T>) -> T {
    let has_head = state.head.bit(0);
    let several_heads = state.head.bit(1);
    let several_of_group = state.group.and(state.more.any());
    // One of each kind: two kinds are two units.
    let kinds = [
        &state.fill,
        &state.tail,
        &has_head,
        &state.lost,
        &state.places,
        &state.group,
    ];
    let pairs = kinds.iter().enumerate().flat_map(|(number, one)| {
        kinds[number + 1..]
            .iter()
            .map(move |other| one.and(**other))
    });
    let pairs: Vec<T> = pairs.chain([several_heads, several_of_group]).collect();
    any(&pairs)
}
