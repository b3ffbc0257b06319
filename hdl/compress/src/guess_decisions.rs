// SPDX-License-Identifier: MIT OR Apache-2.0
//! `GuessDecisions`: what the probabilities of candidates decide, and what they learn.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `step_in`, `places[14:0]`, `exist[2:0]`, `right[2:0]` | in | as from [`GuessPlaces`](super::GuessPlaces) |
//! | `of_return[14:0]`, `of_match[14:0]`, `of_expected[14:0]` | in | the probabilities, as from [`GuessMemory`](super::GuessMemory) |
//! | `step`, `decisions` | out | the step, and the [`TargetDecisions`] of its target |
//! | `learn[2:0]`, `learn_places[14:0]`, `learnt_0[14:0]` to `learnt_2[14:0]` | out | the probabilities that learn |
//!
//! Candidates are tried in order until one is right. The last one is always expected, so that a record is in
//! front of a literal.
//!
//! Latency 1 cycle. Throughput one step per cycle. The model is `Targets` of `coretrace_compress`.

use super::guess_memory::GUESS_W;
use super::guess_places::{CANDIDATES, GUESS_PLACES_W};
use super::history_steps::{HISTORY_STEP_W, HistoryStep};
use super::probability::{expects, is_sure, learnt};
use coretrace_abi::compressed::history::{PROBABILITY_START, TARGET_RATE};
use coretrace_hdl_dataflow::{Bus, Word, clocked_block, join, layout, named};
use rust_hdl::prelude::*;

layout! {
    /// The decisions of a target, the first one lowest.
    pub struct TargetDecisions {
        exist: CANDIDATES,
        are_sure: CANDIDATES,
        are_right: CANDIDATES,
        /// No candidate was right.
        has_literal: 1,
    }
}

/// Bits of [`TargetDecisions`].
pub const TARGET_DECISIONS_W: usize = TargetDecisions::WIDTH;

clocked_block! {
    /// See the module text.
    pub struct GuessDecisions;
    inputs DecisionsInputs {
        step_in: Bus<HISTORY_STEP_W>,
        places: Bits<GUESS_PLACES_W>,
        exist: Bits<CANDIDATES>,
        right: Bits<CANDIDATES>,
        of_return: Bits<GUESS_W>,
        of_match: Bits<GUESS_W>,
        of_expected: Bits<GUESS_W>,
    }
    lane_inputs {}
    outputs DecisionsOutputs {
        step: Bus<HISTORY_STEP_W>,
        decisions: Bus<TARGET_DECISIONS_W>,
        learn: Bits<CANDIDATES>,
        learn_places: Bits<GUESS_PLACES_W>,
        learnt_0: Bits<GUESS_W>,
        learnt_1: Bits<GUESS_W>,
        learnt_2: Bits<GUESS_W>,
    }
    lane_outputs {}
    pair_outputs {}
    kernel guess_decisions;
}

/// A candidate.
struct Tried<T> {
    /// It is tried.
    exists: T,
    is_sure: T,
    is_right: T,
    learnt: T,
}

#[named]
fn guess_decisions<T: Word, const N: usize, const P: usize>(
    i: DecisionsInputs<T::Port, N>,
) -> DecisionsOutputs<T, N, P> {
    let step = HistoryStep::<T>::unpack(&i.step_in);
    let all_exist = T::field(&i.exist, 0, CANDIDATES as u32);
    let all_right = T::field(&i.right, 0, CANDIDATES as u32);
    let words = [&i.of_return, &i.of_match, &i.of_expected];
    let tried = [0, 1, 2].map(|number| {
        let at = number as u32;
        let word = T::field(words[number], 0, GUESS_W as u32);
        let start = T::constant(PROBABILITY_START.into(), GUESS_W as u32);
        let probability = word.xor(start);
        let only = T::constant(0, 1);
        let found = all_exist.slice(0, at + 1).and(all_right.slice(0, at + 1));
        let (exists, is_right) = (all_exist.bit(at), all_right.bit(at));
        let is_found_before = match at {
            0 => T::constant(0, 1),
            _ => found.slice(0, at).any(),
        };
        let is_last = match CANDIDATES as u32 - 1 - at {
            0 => T::constant(1, 1),
            behind => all_exist.slice(at + 1, behind).is(0),
        };
        let expects = expects(probability);
        let is_forced = is_last.and(expects.not());
        Tried {
            exists: exists.and(is_found_before.not()),
            is_sure: is_sure(probability).and(is_forced.not()),
            is_right: expects.or(is_last).eq(is_right),
            learnt: learnt(probability, is_right, &[TARGET_RATE], only).xor(start),
        }
    });
    let [first, second, third] = tried;
    let exist = join([first.exists, second.exists, third.exists]);
    // Without a candidate there is a decision that is wrong.
    let has_none = all_exist.is(0);
    let learns = step.is_target;
    let decisions = TargetDecisions {
        exist: exist.or(has_none.extend(CANDIDATES as u32)),
        are_sure: join([
            first.is_sure.and(has_none.not()),
            second.is_sure,
            third.is_sure,
        ]),
        are_right: join([
            first.is_right.and(has_none.not()),
            second.is_right,
            third.is_right,
        ]),
        has_literal: all_exist.and(all_right).is(0),
    };
    DecisionsOutputs {
        step: step.pack(),
        decisions: decisions.pack(),
        learn: [first.exists, second.exists, third.exists]
            .map(|exists| exists.and(learns))
            .to_vec(),
        learn_places: vec![T::field(&i.places, 0, GUESS_PLACES_W as u32)],
        learnt_0: vec![first.learnt],
        learnt_1: vec![second.learnt],
        learnt_2: vec![third.learnt],
    }
}
