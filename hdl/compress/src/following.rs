// SPDX-License-Identifier: MIT OR Apache-2.0
//! Follows an earlier place as long as the same symbols come: the loop of [`MatchFollow`](super::MatchFollow) and of
//! [`ElementFollow`](super::ElementFollow).
//!
//! A symbol is one step, or, in an element with an address, a step of outcomes and the step of the target behind
//! it. It is complete with its last step: then the place is left or its length grows.

use super::followed_outcomes::{FollowedOutcomes, Move, OutcomePorts};
use super::followed_place::FollowedPlace;
use super::hash::before;
use super::history_places::{HistoryPlace, PLACE_BITS};
use super::history_steps::HistoryStep;
use super::match_candidate::Candidate;
use super::outcome_words::{NUMBER_W, WORD_PLACE_W};
use super::target_guess::TargetGuess;
use coretrace_abi::compressed::history::{MATCH_AFTER, MATCH_MOST, MatchSizes};
use coretrace_hdl_dataflow::{Word, mux_tree, named};

/// A step and what belongs to it; the targets and the words of outcomes come a cycle later.
pub(crate) struct FollowPorts<T> {
    pub clear: T,
    pub step: HistoryStep<T>,
    pub place: HistoryPlace<T>,
    pub expected: T,
    pub confidence: T,
    pub candidate: Candidate<T>,
    /// The target at the candidate, and that at the place of further targets.
    pub target: T,
    pub further_target: T,
    /// The word of outcomes that was asked for two cycles ago is there.
    pub further_valid: T,
}

/// What is known of a step, a cycle later.
pub(crate) struct Following<T> {
    pub step: HistoryStep<T>,
    /// For each kind of outcome: the grade of the match and its outcome above it; 0 without a match.
    pub found: Vec<T>,
    pub guess: TargetGuess<T>,
    /// The word of outcomes behind what is known, and whether it is asked for.
    pub further_number: T,
    pub further_request: T,
    /// The place of the target behind the one that is known.
    pub further_target_place: T,
    /// Where a target is written into the ring. Nothing needs a further one then: the next target is not the next
    /// step.
    pub write_place: T,
}

/// The outcomes are those of a step a cycle later.
#[named]
pub(crate) fn follow<T: Word>(
    sizes: MatchSizes,
    ports: FollowPorts<T>,
    outcomes: &[OutcomePorts<T>],
) -> Following<T> {
    let clear = ports.clear;
    let (step_1, place_1, candidate_1) = (ports.step, ports.place, ports.candidate);
    let (step, place, candidate) = (
        step_1.map(before),
        place_1.map(before),
        candidate_1.map(before),
    );
    let (follow, next) = FollowedPlace::<T>::registers();
    let followed: Vec<FollowedOutcomes<T>> = outcomes
        .iter()
        .map(|_| FollowedOutcomes::registers())
        .collect();
    let (is_outcome, is_target) = (step.is_outcome, step.is_target);

    // The target does not move in the cycle before a target.
    let is_match_right = before(follow.target.eq_on_carry(step_1.value));
    let expected: Vec<T> = followed
        .iter()
        .map(|kind| kind.expected(follow.is_near))
        .collect();
    let are_same = expected
        .iter()
        .zip(outcomes)
        .map(|(expected, kind)| expected.eq(kind.came))
        .reduce(T::and)
        .expect("outcomes");
    let is_target_same = is_match_right.and(follow.differs.not());
    let is_same = is_outcome.mux(are_same, is_target_same);
    let is_complete = is_outcome.and(step.has_address.not()).or(is_target);
    let keeps = follow.exists.and(is_same);
    let loads = is_complete.and(keeps.not());

    // How long.
    let length = follow.length;
    let is_most = length.is(MATCH_MOST.into());
    let longer = is_most.mux(length, length.add_const(1));
    let is_found = is_complete.and(length.is(u64::from(MATCH_AFTER) - 1));
    let next_length = is_complete.mux(longer, length).mask(loads.not());
    let next_is_match = follow.is_match.or(is_found).and(loads.not());
    let next_exists = loads.mux(candidate.valid, follow.exists);

    // Outcomes.
    let is_used_up = is_outcome.and(follow.in_word.not().is(0));
    // A word is asked for when the one in front of it is in use: 16 outcomes are time enough.
    let fills = follow.wants.and(ports.further_valid);
    let to = Move {
        loads,
        candidate_behind: candidate.behind,
        is_outcome,
        is_used_up,
        fills,
        behind: follow.behind,
    };
    for (kind, &ports) in followed.into_iter().zip(outcomes) {
        kind.go(ports, &to);
    }
    let word_place = WORD_PLACE_W as u32;
    let in_word = follow.in_word.add(is_outcome.extend(word_place));
    let next_in_word = loads.mux(candidate.outcome.slice(0, word_place), in_word);
    let number = candidate_1.outcome.slice(word_place, NUMBER_W as u32);
    let further = follow.further.add(fills.extend(NUMBER_W as u32));
    let next_further = loads.mux(before(number.add_const(2)), further);
    let wants = is_used_up.or(follow.wants.and(fills.not()));
    let next_wants = wants.and(loads.not());

    // Targets.
    let newest_target = is_target.mux(step.value, follow.newest_target);
    let is_newest = loads.mux(candidate.is_newest, follow.is_newest);
    let is_next = loads.mux(candidate.is_next, follow.is_next);
    let which = is_newest.concat(is_newest.mux(is_target, loads));
    let sources = [
        ports.further_target,
        ports.target,
        follow.newest_target,
        step.value,
    ];
    let moved = mux_tree(&sources, which, 2);
    let is_written = place.is_wrapped.or(is_newest).or(is_next.not());
    let not_written = T::constant(0, moved.width());
    let moves = loads.or(is_target);
    let next_target = moves.mux(is_written.mux(moved, not_written), follow.target);
    let behind_candidate = before(candidate_1.target.add_const(1));
    let further_target = follow
        .further_target
        .add(is_target.extend(PLACE_BITS as u32));
    let next_further_target = loads.mux(behind_candidate, further_target);

    let behind = FollowedPlace {
        exists: next_exists.and(clear.not()),
        is_match: next_is_match.and(clear.not()),
        length: next_length,
        differs: is_outcome.and(are_same.not()),
        is_near: loads.mux(candidate.is_near, follow.is_near),
        behind: loads.mux(candidate.behind, follow.behind),
        in_word: next_in_word,
        further: next_further,
        wants: next_wants,
        target: next_target,
        further_target: next_further_target,
        is_newest,
        is_next,
        newest_target,
    };
    for (held, word) in next.into_iter().zip(behind.pack()) {
        T::set_next(held, word);
    }

    let grade = follow.grade();
    let top = place_1.top;
    let guess = TargetGuess {
        has_return: place.has_top.and(step.is_return),
        has_match: follow.is_match,
        confidence: before(ports.confidence),
        is_return_right: before(top.eq_on_carry(step_1.value)),
        is_match_right,
        is_expected_right: before(ports.expected.eq_on_carry(step_1.value)),
        match_is_return: before(follow.target.eq_on_carry(top)),
        expected_is_return: before(ports.expected.eq_on_carry(top)),
        expected_is_match: before(ports.expected.eq_on_carry(follow.target)),
        grade: grade.mask(follow.is_match),
    };
    let ring_place = |place: T, bits: u32| place.slice(0, bits).extend(PLACE_BITS as u32);
    let ones = (1 << PLACE_BITS) - 1;
    let newest_place = place_1.end_target.add_const(ones);
    Following {
        step,
        found: expected
            .into_iter()
            .map(|outcome| grade.concat(outcome).mask(follow.is_match))
            .collect(),
        guess,
        further_number: next_further,
        further_request: next_wants,
        further_target_place: ring_place(next_further_target, sizes.target_bits),
        write_place: ring_place(newest_place, sizes.target_bits),
    }
}
