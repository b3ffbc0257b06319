// SPDX-License-Identifier: MIT OR Apache-2.0
//! `HistorySteps`: events to steps, of which each has one outcome or one target.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clear` | in | no instruction is counted |
//! | `valid`, `pc` to `instructions` | in | an event, as in [`HistoryEncoder`](super::HistoryEncoder) |
//! | `step` | out | a [`HistoryStep`] |
//! | `pops`, `pushes`, `behind[61:0]` | out | the step uses a return address; it is a call, with this return address |
//!
//! | event | cycle 1 | cycle 2 | cycle 3 |
//! |---|---|---|---|
//! | a branch that leads nowhere | outcome, or neither | | |
//! | an indirect branch that was taken | | target | |
//! | with a condition | outcome | | target |
//! | a discontinuity | control | place | |
//!
//! So no step is in the cycle before that of a target.
//!
//! Latency 2 cycles. Throughput one event per cycle; the next event waits for the last step.

use super::branch_bits::{ADDRESS_W, INSTRUCTIONS_W, KIND_W, has};
use super::hash::before;
use coretrace_abi::compressed::branch::BranchKind;
use coretrace_hdl_dataflow::{Bus, Word, all, any, clocked_block, layout, named};
use rust_hdl::prelude::*;

/// Bits of the address of a branch that tables look at.
pub(crate) const PLACE_W: usize = 24;

layout! {
    /// A part of an event that makes an entry of the queue of decisions.
    pub struct HistoryStep {
        valid: 1,
        is_outcome: 1,
        is_target: 1,
        /// A control record begins.
        is_control: 1,
        /// Where execution goes on behind it.
        is_place: 1,
        /// The control record is one of bytes, or the value is these bytes.
        is_bytes: 1,
        /// The event ends.
        is_last: 1,
        /// It ends, and it counts in a record.
        is_counted: 1,
        taken: 1,
        /// An outcome of an element whose address is the next step.
        has_address: 1,
        /// An outcome of an element that says whether an address follows.
        has_flag: 1,
        is_return: 1,
        place: PLACE_W,
        /// A target, a place or bytes; else instructions since the last event that counts.
        value: ADDRESS_W,
    }
}

/// Bits of a [`HistoryStep`].
pub const HISTORY_STEP_W: usize = HistoryStep::WIDTH;

clocked_block! {
    /// See the module text.
    pub struct HistorySteps;
    inputs StepsInputs {
        clear: Bit,
        valid: Bit,
        pc: Bus<ADDRESS_W>,
        next_pc: Bus<ADDRESS_W>,
        kind: Bits<KIND_W>,
        taken: Bit,
        is_discontinuity: Bit,
        instructions: Bits<INSTRUCTIONS_W>,
    }
    lane_inputs {}
    outputs StepsOutputs {
        step: Bus<HISTORY_STEP_W>,
        pops: Bit,
        pushes: Bit,
        behind: Bits<ADDRESS_W>,
    }
    lane_outputs {}
    pair_outputs {}
    kernel steps;
}

#[named]
fn steps<T: Word, const N: usize, const P: usize>(
    i: StepsInputs<T::Port, N>,
) -> StepsOutputs<T, N, P> {
    let clear = T::field(&i.clear, 0, 1);
    let valid = T::field(&i.valid, 0, 1).and(clear.not());
    let held = |port: &T::Port, width: usize| held(valid, T::field(port, 0, width as u32));
    let pc = held(&i.pc, ADDRESS_W);
    let next = held(&i.next_pc, ADDRESS_W);
    let kind = held(&i.kind, KIND_W);
    let taken = held(&i.taken, 1);
    let is_discontinuity = held(&i.is_discontinuity, 1);
    let amount = held(&i.instructions, INSTRUCTIONS_W);

    let first = before(valid);
    let is_branch = is_discontinuity.not();
    let is_conditional = is_branch.and(has(kind, BranchKind::CONDITIONAL));
    let leads_anywhere =
        is_branch.and(has(kind, BranchKind::INDIRECT).or(has(kind, BranchKind::EXCEPTION)));
    let leads = leads_anywhere.and(taken);
    let counts = is_conditional.or(leads_anywhere);

    // The next event comes behind the last cycle of this one.
    let second = before(first.and(leads.or(is_discontinuity)));
    let third = before(second.and(is_conditional));
    let is_target = leads.and(is_conditional.mux(third, second));
    let is_place = second.and(is_discontinuity);
    let is_alone = all(&[first, is_branch, leads.not()]);
    let is_outcome = first.and(is_conditional);
    let is_control = first.and(is_discontinuity);
    let is_last = any(&[is_alone, is_target, is_place]);

    let (sum, sum_next) = T::register(INSTRUCTIONS_W as u32, 0);
    let rest = sum.add(amount).mask(counts.not());
    let goes_on = clear.or(is_discontinuity).not();
    T::set_next(sum_next, clear.or(first).mux(rest.mask(goes_on), sum));

    let value = is_target
        .or(is_place)
        .mux(next, rest.extend(ADDRESS_W as u32));
    let is_return = has(kind, BranchKind::RETURN);
    let step = HistoryStep {
        valid: any(&[is_outcome, is_control, is_last]),
        is_outcome,
        is_target,
        is_control,
        is_place,
        is_bytes: T::constant(0, 1),
        is_last,
        is_counted: is_last.and(counts),
        taken,
        has_address: T::constant(0, 1),
        has_flag: T::constant(0, 1),
        is_return,
        place: pc.slice(0, PLACE_W as u32),
        value,
    };
    let is_call = all(&[is_branch, has(kind, BranchKind::LINK), taken]);
    StepsOutputs {
        step: step.pack(),
        pops: vec![is_target.and(is_return)],
        pushes: vec![is_last.and(is_call)],
        behind: vec![pc.add_const(1)],
    }
}

/// A word that stays until the next one is valid.
#[named]
pub(crate) fn held<T: Word>(valid: T, word: T) -> T {
    let (held, next) = T::register(word.width(), 0);
    T::set_next(next, valid.mux(word, held));
    held
}
