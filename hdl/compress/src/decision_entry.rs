// SPDX-License-Identifier: MIT OR Apache-2.0
//! `DecisionEntries`: decisions to entries of the queue in front of the records.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `step`, `decisions` | in | a step, and the [`TargetDecisions`](super::TargetDecisions) of its target |
//! | `is_sure`, `is_right` | in | a cycle later: the decision of its outcome |
//! | `is_flag_sure`, `is_flag_right` | in | and that of its flag, if it has one |
//! | `valid`, `entry[18:0]`, `value[61:0]` | out | a [`DecisionEntry`], and the value of the step |
//!
//! An outcome that was decided right shares the slot of its flag, so that an entry with a flag is one slot, or two
//! behind a wrong one.
//!
//! Latency 2 cycles. Throughput one step per cycle.

use super::branch_bits::ADDRESS_W;
use super::guess_decisions::{TARGET_DECISIONS_W, TargetDecisions};
use super::guess_places::CANDIDATES;
use super::hash::before;
use super::history_steps::{HISTORY_STEP_W, HistoryStep};
use coretrace_hdl_dataflow::{Bus, Word, clocked_block, join, layout, named};
use rust_hdl::prelude::*;

/// Slots of an entry: what becomes one beat each, in order.
///
/// | slot | of a control record | of any other entry |
/// |---|---|---|
/// | 0 | its first bits | a decision, or nothing |
/// | 1 | events | a decision |
/// | 2 | the low bits of events | a decision |
/// | 3 | instructions | the size of a literal alone |
/// | 4 | the low bits of instructions | a literal, or bytes |
pub(crate) const SLOTS: usize = 5;

layout! {
    /// What the records need of a step.
    pub struct DecisionEntry {
        is_control: 1,
        /// The control record is one of bytes, or its one slot has them.
        is_bytes: 1,
        slots: SLOTS,
        has_decisions: 1,
        /// A right decision is in front of the one slot of the entry, and its class.
        has_one_before: 1,
        is_one_before_sure: 1,
        are_sure: CANDIDATES,
        are_right: CANDIDATES,
        /// The value is a number of instructions behind an event.
        is_rest: 1,
        is_counted: 1,
        is_last: 1,
    }
}

/// Bits of a [`DecisionEntry`].
pub const DECISION_ENTRY_W: usize = DecisionEntry::WIDTH;

clocked_block! {
    /// See the module text.
    pub struct DecisionEntries;
    inputs EntriesInputs {
        step: Bus<HISTORY_STEP_W>,
        decisions: Bus<TARGET_DECISIONS_W>,
        is_sure: Bit,
        is_right: Bit,
        is_flag_sure: Bit,
        is_flag_right: Bit,
    }
    lane_inputs {}
    outputs EntriesOutputs {
        valid: Bit,
        entry: Bits<DECISION_ENTRY_W>,
        value: Bits<ADDRESS_W>,
    }
    lane_outputs {}
    pair_outputs {}
    kernel decision_entries;
}

#[named]
fn decision_entries<T: Word, const N: usize, const P: usize>(
    i: EntriesInputs<T::Port, N>,
) -> EntriesOutputs<T, N, P> {
    let step = HistoryStep::<T>::unpack(&i.step).map(before);
    let target = TargetDecisions::<T>::unpack(&i.decisions).map(before);
    let width = CANDIDATES as u32;
    let both = |outcome: &T::Port, flag: &T::Port| {
        let (outcome, flag) = (T::field(outcome, 0, 1), T::field(flag, 0, 1));
        join([outcome, flag]).extend(width)
    };
    let is_sure = both(&i.is_sure, &i.is_flag_sure);
    let is_right = both(&i.is_right, &i.is_flag_right);
    let has_one_before = step.has_flag.and(is_right.bit(0));
    let slots = |set: &[usize]| {
        let bits = set.iter().fold(0, |bits, slot| bits | 1 << slot);
        T::constant(bits, SLOTS as u32)
    };
    let no_header = T::constant(0, 1);
    let of_target = join([target.exist, no_header, target.has_literal]);
    let of_flag = has_one_before.mux(slots(&[1]), slots(&[0, 1]));
    let of_outcome = step.has_flag.mux(of_flag, slots(&[0]));
    let of_bytes = step.is_bytes.mux(slots(&[4]), of_outcome);
    let of_other = step.is_place.mux(slots(&[3, 4]), of_bytes);
    let of_branch = step.is_target.mux(of_target, of_other);
    let has_address = step.is_target.or(step.is_place);
    let entry = DecisionEntry {
        is_control: step.is_control,
        is_bytes: step.is_bytes,
        slots: step.is_control.mux(slots(&[0, 1, 2, 3, 4]), of_branch),
        has_decisions: step.is_outcome.or(step.is_target),
        has_one_before,
        is_one_before_sure: is_sure.bit(0),
        are_sure: step.is_target.mux(target.are_sure, is_sure),
        are_right: step.is_target.mux(target.are_right, is_right),
        is_rest: has_address.or(step.is_control).not(),
        is_counted: step.is_counted,
        is_last: step.is_last,
    };
    EntriesOutputs {
        valid: vec![step.valid],
        entry: entry.pack(),
        value: vec![step.value],
    }
}
