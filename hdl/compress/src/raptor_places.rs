// SPDX-License-Identifier: MIT OR Apache-2.0
//! `RaptorPlaces`: where an event looks up the tables of a T-raptor encoder. `N` are the address bits of
//! half of the counters, `P` those of a set of targets.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `start` | in | the histories begin again |
//! | `clears`, `row[N-1:0]` | in | there is no event, but the tables are cleared in this row |
//! | `valid`, `pc` to `instructions` | in | an event, as in [`RaptorEncoder`](super::RaptorEncoder) |
//! | `counter_place[N-1:0]`, `is_upper` | out | the counter of the outcome, in the lower or the upper half |
//! | `set[P-1:0]`, `tag[7:0]` | out | the set of targets, and the tag in it |
//! | `pops`, `pushes`, `behind[61:0]` | out | a return address is used; the event is a call, with this return address |
//! | `step` | out | a [`RaptorEvent`] |
//!
//! An encoder sees the outcomes, so both histories go ahead of all predictions.
//!
//! Latency 1 cycle. Throughput one event per cycle. The model is `coretrace_compress::Raptor`.

use super::branch_bits::{ADDRESS_W, INSTRUCTIONS_W, KIND_W, has};
use coretrace_abi::compressed::branch::BranchKind;
use coretrace_abi::compressed::raptor::PATH_BITS;
use coretrace_hdl_dataflow::{Bus, Word, all, clocked_block, layout, named};
use rust_hdl::prelude::*;

/// Bits of the tag of a target.
pub(crate) const TAG_W: usize = 8;
/// Where the history of the path has the set of targets.
const SET_LOW: u32 = 8;

layout! {
    /// What the tables and the records need of an event.
    pub struct RaptorEvent {
        valid: 1,
        /// No event: what has its place is cleared.
        clears: 1,
        /// A conditional branch, but no exception.
        is_conditional: 1,
        /// It counts in a record: it has a condition or is indirect.
        is_counted: 1,
        is_indirect: 1,
        /// An indirect branch that was taken.
        leads: 1,
        /// That, and it is a return.
        returns: 1,
        /// An exception or a discontinuity.
        is_exception: 1,
        taken: 1,
        next: ADDRESS_W,
        instructions: INSTRUCTIONS_W,
    }
}

/// Bits of a [`RaptorEvent`].
pub const RAPTOR_EVENT_W: usize = RaptorEvent::WIDTH;

clocked_block! {
    /// See the module text.
    pub struct RaptorPlaces;
    inputs PlacesInputs {
        start: Bit,
        clears: Bit,
        row: Bits<N>,
        valid: Bit,
        pc: Bus<ADDRESS_W>,
        next_pc: Bus<ADDRESS_W>,
        kind: Bits<KIND_W>,
        taken: Bit,
        is_discontinuity: Bit,
        instructions: Bits<INSTRUCTIONS_W>,
    }
    lane_inputs {}
    outputs PlacesOutputs {
        counter_place: Bits<N>,
        is_upper: Bit,
        set: Bits<P>,
        tag: Bits<TAG_W>,
        pops: Bit,
        pushes: Bit,
        behind: Bits<ADDRESS_W>,
        step: Bus<RAPTOR_EVENT_W>,
    }
    lane_outputs {}
    pair_outputs {}
    kernel places;
}

#[named]
fn places<T: Word, const N: usize, const P: usize>(
    i: PlacesInputs<T::Port, N>,
) -> PlacesOutputs<T, N, P> {
    let bit = |port: &T::Port| T::field(port, 0, 1);
    let (start, valid, taken) = (bit(&i.start), bit(&i.valid), bit(&i.taken));
    let (clears, row) = (bit(&i.clears), T::field(&i.row, 0, N as u32));
    let pc = T::field(&i.pc, 0, ADDRESS_W as u32);
    let kind = T::field(&i.kind, 0, KIND_W as u32);

    let is_exception = bit(&i.is_discontinuity).or(has(kind, BranchKind::EXCEPTION));
    let is_branch = valid.and(is_exception.not());
    let is_conditional = is_branch.and(has(kind, BranchKind::CONDITIONAL));
    let is_indirect = is_branch.and(has(kind, BranchKind::INDIRECT));
    let is_counted = is_conditional.or(is_indirect);
    let leads = is_indirect.and(taken);
    let returns = leads.and(has(kind, BranchKind::RETURN));

    // The low two bits of `pc` are the place of an instruction within 16 bytes.
    let line = pc.slice(2, PATH_BITS);
    let (history, history_next) = T::register(N as u32 + 1, 0);
    let outcomes = history.slice(0, N as u32).concat(taken);
    let learnt = is_conditional.mux(outcomes, history);
    T::set_next(history_next, learnt.mask(start.not()));

    let (path, path_next) = T::register(PATH_BITS, 0);
    let moved = path
        .slice(0, PATH_BITS - 2)
        .concat(T::constant(0, 2))
        .xor(line);
    let condition = is_conditional.and(taken).extend(PATH_BITS);
    let walked = is_counted.mux(moved.or(condition), path);
    T::set_next(path_next, walked.mask(start.not()));

    let event = RaptorEvent {
        valid,
        clears,
        is_conditional,
        is_counted,
        is_indirect,
        leads,
        returns,
        is_exception: valid.and(is_exception),
        taken,
        next: T::field(&i.next_pc, 0, ADDRESS_W as u32),
        instructions: T::field(&i.instructions, 0, INSTRUCTIONS_W as u32),
    };
    let counter = history.xor(pc.slice(2, N as u32 + 1));
    let set = path.slice(SET_LOW, P as u32).xor(line.slice(0, P as u32));
    PlacesOutputs {
        counter_place: vec![clears.mux(row, counter.slice(0, N as u32))],
        is_upper: vec![counter.bit(N as u32)],
        set: vec![clears.mux(row.slice(0, P as u32), set)],
        tag: vec![path.slice(0, TAG_W as u32).xor(pc.slice(8, TAG_W as u32))],
        pops: vec![returns],
        pushes: vec![all(&[is_branch, has(kind, BranchKind::LINK), taken])],
        behind: vec![pc.add_const(1)],
        step: event.pack(),
    }
}
