// SPDX-License-Identifier: MIT OR Apache-2.0
//! `RaptorTargets`: whether an event was predicted, and what a set of targets learns. `N` is the number of
//! the preset, `P` the address bits of a set.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `step`, `set[P-1:0]`, `tag[7:0]` | in | as from [`RaptorPlaces`](super::RaptorPlaces) |
//! | `is_surprise` | in | the outcome of a condition is another than predicted |
//! | `top[61:0]`, `has_top` | in | the newest return address |
//! | `tags[2]`, `targets[2]` | in | what the ways of the set have: `{tag, valid}`, and a target |
//! | `older` | in | the way that was used longer ago |
//! | `decision` | out | a [`RaptorDecision`] |
//! | `write_0`, `write_1`, `write_set[P-1:0]`, `write_tag[8:0]`, `write_target[61:0]` | out | a way of the set is new, and the other one is older now; both are cleared by a step that clears |
//!
//! A return leads to the newest return address, if there is one; what else is indirect, to the target
//! of the way that has the tag.
//!
//! Latency 2 cycles. Throughput one event per cycle; the set of an indirect branch that was taken must not
//! be read again in the next 2 cycles. The model is `coretrace_compress::TargetPredictor`.

use super::branch_bits::{ADDRESS_W, INSTRUCTIONS_W};
use super::raptor_places::{RAPTOR_EVENT_W, RaptorEvent, TAG_W};
use coretrace_abi::compressed::raptor::{PRESETS, WAYS};
use coretrace_hdl_dataflow::{Bus, Word, all, any, clocked_block, layout, named};
use rust_hdl::prelude::*;

/// Bits of a tag and of whether it is valid.
pub(crate) const WAY_TAG_W: usize = TAG_W + 1;

layout! {
    /// What becomes of an event.
    pub struct RaptorDecision {
        valid: 1,
        /// It counts in a record.
        is_counted: 1,
        /// It makes a record of a branch; of an indirect one, and of one that was taken.
        is_record: 1,
        is_indirect: 1,
        taken: 1,
        /// It makes the record of an exception.
        is_exception: 1,
        /// The record has a target.
        has_target: 1,
        next: ADDRESS_W,
        instructions: INSTRUCTIONS_W,
    }
}

/// Bits of a [`RaptorDecision`].
pub const RAPTOR_DECISION_W: usize = RaptorDecision::WIDTH;

clocked_block! {
    /// See the module text.
    pub struct RaptorTargets;
    inputs TargetsInputs {
        step: Bus<RAPTOR_EVENT_W>,
        set: Bits<P>,
        tag: Bits<TAG_W>,
        is_surprise: Bit,
        top: Bits<ADDRESS_W>,
        has_top: Bit,
        older: Bits<1>,
        tag_0: Bits<WAY_TAG_W>,
        tag_1: Bits<WAY_TAG_W>,
        target_0: Bits<ADDRESS_W>,
        target_1: Bits<ADDRESS_W>,
    }
    lane_inputs {}
    outputs TargetsOutputs {
        decision: Bus<RAPTOR_DECISION_W>,
        write_0: Bit,
        write_1: Bit,
        write_set: Bits<P>,
        write_tag: Bits<WAY_TAG_W>,
        write_target: Bits<ADDRESS_W>,
    }
    lane_outputs {}
    pair_outputs {}
    kernel targets;
}

/// What is known of a way.
struct Way<T> {
    is_valid: T,
    has_tag: T,
    is_right: T,
}

#[named]
fn targets<T: Word, const N: usize, const P: usize>(
    i: TargetsInputs<T::Port, N>,
) -> TargetsOutputs<T, N, P> {
    let preset = PRESETS[N];
    let address = |port: &T::Port| T::field(port, 0, ADDRESS_W as u32);
    let event = RaptorEvent::<T>::unpack(&i.step);
    let tag = T::field(&i.tag, 0, TAG_W as u32);
    let exists = T::constant(u64::from(preset.targets > 0), 1);
    let way = |tag_port: &T::Port, target: &T::Port| {
        let has_tag = T::field(tag_port, 0, WAY_TAG_W as u32).eq_on_carry(tag.concat(exists));
        Way {
            is_valid: T::field(tag_port, 0, 1).and(exists).reg(),
            has_tag: has_tag.and(exists).reg(),
            is_right: address(target).eq_on_carry(event.next).reg(),
        }
    };
    let ways: [Way<T>; WAYS] = [way(&i.tag_0, &i.target_0), way(&i.tag_1, &i.target_1)];
    let stack = T::constant(u64::from(preset.returns > 0), 1);
    let from_stack = all(&[event.returns, T::field(&i.has_top, 0, 1), stack]).reg();
    let is_return_right = address(&i.top).eq_on_carry(event.next).reg();

    let [first, second] = &ways;
    let is_hit = first.has_tag.or(second.has_tag);
    let of_table = first
        .has_tag
        .mux(first.is_right, second.has_tag.and(second.is_right));
    let is_right = from_stack.mux(is_return_right, of_table);
    let goes_elsewhere = event.leads.and(is_right.not());
    let is_record = goes_elsewhere.or(T::field(&i.is_surprise, 0, 1));

    let keeps = from_stack.and(is_hit.or(is_return_right));
    let writes = all(&[event.leads, keeps.not(), exists]);
    let is_full = first.is_valid.and(second.is_valid);
    let free = is_full.mux(T::field(&i.older, 0, 1), first.is_valid);
    let number = is_hit.mux(first.has_tag.not(), free);

    let decision = RaptorDecision {
        valid: event.valid,
        is_counted: event.is_counted,
        is_record,
        is_indirect: event.is_indirect,
        taken: event.taken,
        is_exception: event.is_exception,
        has_target: any(&[is_record.and(event.leads), event.is_exception]),
        next: event.next,
        instructions: event.instructions,
    };
    TargetsOutputs {
        decision: decision.pack(),
        write_0: vec![writes.and(number.not()).or(event.clears)],
        write_1: vec![writes.and(number).or(event.clears)],
        write_set: vec![T::field(&i.set, 0, P as u32)],
        write_tag: vec![event.clears.not(), tag],
        write_target: vec![event.next],
    }
}
