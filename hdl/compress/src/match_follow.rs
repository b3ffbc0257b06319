// SPDX-License-Identifier: MIT OR Apache-2.0
//! `MatchFollow`: follows an earlier place as long as the same symbols come. `N` is the number of the preset, `P`
//! is 1.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clear` | in | nothing is followed |
//! | `step_in`, `place`, `expected[61:0]`, `confidence[1:0]`, `candidate` | in | a step and what belongs to it |
//! | `by_address[2:0]`, `by_history[2:0]` | in | the counters of its outcome |
//! | `window[31:0]`, `target[61:0]` | in | a cycle later: the outcomes and the target at the candidate |
//! | `further_window[31:0]`, `further_target[61:0]` | in | the outcomes and the target at `further_place` and `further_target_place` |
//! | `further_place[15:0]`, `further_target_place[15:0]` | out | the places behind what is known |
//! | `write_target`, `write_place[15:0]`, `write_word[61:0]` | out | a target to write into the ring |
//! | `step` | out | two cycles later: the step |
//! | `is_outcome`, `taken` | out | it has an outcome, which is this |
//! | `outcome_context[9:0]` | out | for an outcome: {grade and outcome of the match, counters} |
//! | `guess` | out | for a target: a [`TargetGuess`] |
//!
//! The only loop: is the symbol the expected one, and if not, the candidate is followed. So what is at a
//! candidate is read for each step. The distance of a place does not change while it is followed: outcomes of a
//! near place come from the newest ones, the newest target and the one that is not written yet have flags.
//!
//! Latency 2 cycles. Throughput one step per cycle, and none before a target. The model is
//! `coretrace_compress::History`.

use super::branch_bits::ADDRESS_W;
use super::expected_targets::CONFIDENCE_W;
use super::followed_place::{FollowedPlace, GRADE_W, outcome_at};
use super::hash::before;
use super::history_places::{HISTORY_PLACE_W, HistoryPlace, PLACE_BITS};
use super::history_steps::{HISTORY_STEP_W, HistoryStep};
use super::match_candidate::{CANDIDATE_W, Candidate, WINDOW_PLACE_W};
use super::outcome_counters::COUNTER_W;
use super::outcome_probabilities::CONTEXT_W;
use super::outcome_ring::WINDOW;
use coretrace_abi::compressed::history::{MATCH_AFTER, MATCH_MOST, PRESETS};
use coretrace_hdl_dataflow::{Bus, Word, clocked_block, layout, named, priority_mux};
use rust_hdl::prelude::*;

layout! {
    /// The candidates of a target, compared.
    pub struct TargetGuess {
        /// A return address, the target of a match, an expected target: there is one.
        has_return: 1,
        has_match: 1,
        confidence: CONFIDENCE_W,
        /// It is where the branch led.
        is_return_right: 1,
        is_match_right: 1,
        is_expected_right: 1,
        /// Two of them are equal, if there are both.
        match_is_return: 1,
        expected_is_return: 1,
        expected_is_match: 1,
        grade: GRADE_W as usize,
    }
}

/// Bits of a [`TargetGuess`].
pub const TARGET_GUESS_W: usize = TargetGuess::WIDTH;

clocked_block! {
    /// See the module text.
    pub struct MatchFollow;
    inputs FollowInputs {
        clear: Bit,
        step_in: Bus<HISTORY_STEP_W>,
        place: Bus<HISTORY_PLACE_W>,
        expected: Bus<ADDRESS_W>,
        confidence: Bits<CONFIDENCE_W>,
        candidate: Bus<CANDIDATE_W>,
        by_address: Bits<COUNTER_W>,
        by_history: Bits<COUNTER_W>,
        window: Bus<WINDOW>,
        target: Bus<ADDRESS_W>,
        further_window: Bus<WINDOW>,
        further_target: Bus<ADDRESS_W>,
    }
    lane_inputs {}
    outputs FollowOutputs {
        further_place: Bits<PLACE_BITS>,
        further_target_place: Bits<PLACE_BITS>,
        write_target: Bit,
        write_place: Bits<PLACE_BITS>,
        write_word: Bus<ADDRESS_W>,
        step: Bus<HISTORY_STEP_W>,
        is_outcome: Bit,
        taken: Bit,
        outcome_context: Bits<CONTEXT_W>,
        guess: Bus<TARGET_GUESS_W>,
    }
    lane_outputs {}
    pair_outputs {}
    kernel match_follow;
}

#[named]
fn match_follow<T: Word, const N: usize, const P: usize>(
    i: FollowInputs<T::Port, N>,
) -> FollowOutputs<T, N, P> {
    let sizes = PRESETS[N].matches;
    let (window_w, address_w) = (WINDOW as u32, ADDRESS_W as u32);
    let clear = T::field(&i.clear, 0, 1);
    let step_1 = HistoryStep::<T>::unpack(&i.step_in);
    let place_1 = HistoryPlace::<T>::unpack(&i.place);
    let expected_1 = T::field(&i.expected, 0, address_w);
    let confidence_1 = T::field(&i.confidence, 0, CONFIDENCE_W as u32);
    let candidate_1 = Candidate::<T>::unpack(&i.candidate);

    let (step, place, candidate) = (
        step_1.map(before),
        place_1.map(before),
        candidate_1.map(before),
    );
    let (follow, next) = FollowedPlace::<T>::registers();
    let (is_outcome, is_target) = (step.is_outcome, step.is_target);

    // Nothing moves in the cycle before a target.
    let is_match_right = before(follow.target.eq(step_1.value));
    let expected_outcome = follow.outcome();
    let is_same = is_outcome.mux(expected_outcome.eq(step.taken), is_match_right);
    let comes = is_outcome.or(is_target);
    let keeps = follow.exists.and(is_same);
    let loads = comes.and(keeps.not());

    // How long.
    let length = follow.length;
    let is_most = length.is(MATCH_MOST.into());
    let longer = is_most.mux(length, length.add_const(1));
    let is_found = comes.and(length.is(u64::from(MATCH_AFTER) - 1));
    let next_length = comes.mux(longer, length).mask(loads.not());
    let next_is_match = follow.is_match.or(is_found).and(loads.not());
    let next_exists = loads.mux(candidate.valid, follow.exists);

    // Outcomes.
    let newest = is_outcome.mux(
        follow.newest.slice(0, window_w - 1).concat(step.taken),
        follow.newest,
    );
    let near_outcome = loads.mux(
        outcome_at(newest, candidate.behind),
        outcome_at(newest, follow.behind),
    );
    let is_used_up = is_outcome.and(follow.used.not().is(0));
    let shifted = T::constant(0, 1).concat(follow.window.slice(1, window_w - 1));
    let further_window = T::field(&i.further_window, 0, window_w);
    let next_window = priority_mux(
        &[
            (loads, T::field(&i.window, 0, window_w)),
            (is_used_up, further_window),
            (is_outcome, shifted),
        ],
        follow.window,
    );
    let used = follow.used.add(is_outcome.extend(WINDOW_PLACE_W as u32));
    let next_used = used.mask(loads.not());
    let window = u64::from(window_w);
    let behind_window = before(candidate_1.outcome.add_const(window));
    let further = is_used_up.mux(follow.further.add_const(window), follow.further);
    let next_further = loads.mux(behind_window, further);

    // Targets.
    let newest_target = is_target.mux(step.value, follow.newest_target);
    let not_written = T::constant(0, address_w);
    let is_written = place.is_wrapped;
    let of = |is_newest: T, is_next: T, read: T| {
        let is_empty = is_next.and(is_written.not());
        priority_mux(&[(is_newest, newest_target), (is_empty, not_written)], read)
    };
    let at_candidate = of(
        candidate.is_newest,
        candidate.is_next,
        T::field(&i.target, 0, address_w),
    );
    let behind_target = of(
        follow.is_newest,
        follow.is_next,
        T::field(&i.further_target, 0, address_w),
    );
    let next_target = priority_mux(
        &[(loads, at_candidate), (is_target, behind_target)],
        follow.target,
    );
    let behind_candidate = before(candidate_1.target.add_const(1));
    let further_target = follow
        .further_target
        .add(is_target.extend(PLACE_BITS as u32));
    let next_further_target = loads.mux(behind_candidate, further_target);

    let behind = FollowedPlace {
        exists: next_exists.and(clear.not()),
        is_match: next_is_match.and(clear.not()),
        length: next_length,
        is_near: loads.mux(candidate.is_near, follow.is_near),
        behind: loads.mux(candidate.behind, follow.behind),
        near_outcome,
        window: next_window,
        used: next_used,
        further: next_further,
        newest,
        target: next_target,
        further_target: next_further_target,
        is_newest: loads.mux(candidate.is_newest, follow.is_newest),
        is_next: loads.mux(candidate.is_next, follow.is_next),
        newest_target,
    };
    for (held, word) in next.into_iter().zip(behind.pack()) {
        T::set_next(held, word);
    }

    let grade = follow.grade();
    let found = grade.concat(expected_outcome).mask(follow.is_match);
    let counter = |port: &T::Port| before(T::field(port, 0, COUNTER_W as u32));
    let context = [counter(&i.by_history), counter(&i.by_address), found];
    let top = place_1.top;
    let has_return = place.has_top.and(step.is_return);
    let guess = TargetGuess {
        has_return,
        has_match: follow.is_match,
        confidence: before(confidence_1),
        is_return_right: before(top.eq(step_1.value)),
        is_match_right,
        is_expected_right: before(expected_1.eq(step_1.value)),
        match_is_return: before(follow.target.eq(top)),
        expected_is_return: before(expected_1.eq(top)),
        expected_is_match: before(expected_1.eq(follow.target)),
        grade: grade.mask(follow.is_match),
    };
    let ring_place = |place: T, bits: u32| place.slice(0, bits).extend(PLACE_BITS as u32);
    let ones = (1 << PLACE_BITS) - 1;
    FollowOutputs {
        further_place: vec![ring_place(next_further, sizes.outcome_bits)],
        further_target_place: vec![ring_place(next_further_target, sizes.target_bits)],
        write_target: vec![step_1.is_target],
        write_place: vec![ring_place(
            place_1.end_target.add_const(ones),
            sizes.target_bits,
        )],
        write_word: vec![step_1.value],
        step: step.pack(),
        is_outcome: vec![is_outcome],
        taken: vec![step.taken],
        outcome_context: context.to_vec(),
        guess: guess.pack(),
    }
}
