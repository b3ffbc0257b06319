// SPDX-License-Identifier: MIT OR Apache-2.0
//! `MatchCandidate`: whether an earlier place may be followed from a step on. `N` is a number of sizes, `P`
//! is 1.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `place` | in | the [`HistoryPlace`] of a step |
//! | `found` | in | the [`MatchPlace`] that the match table had for it |
//! | `candidate` | out | a [`Candidate`] |
//! | `target[15:0]` | out | the place of its target |
//!
//! Latency 2 cycles. Throughput one step per cycle. The model is `coretrace_compress::History`.

use super::history_places::{HISTORY_PLACE_W, HistoryPlace, PLACE_BITS};
use super::match_place::{MATCH_PLACE_W, MatchPlace};
use super::match_sizes::match_sizes;
use super::outcome_words::WORD_PLACE_W;
use coretrace_abi::compressed::history::RING_MARGIN;
use coretrace_hdl_dataflow::{Bus, Word, all, clocked_block, layout, named};
use rust_hdl::prelude::*;

/// Bits of the distance of a place that is near. The two words from any other place on are complete.
pub(crate) const NEAR_W: usize = WORD_PLACE_W + 1;

layout! {
    /// A place that may be followed.
    pub struct Candidate {
        valid: 1,
        /// It is so near that the words from there on may not be in memory.
        is_near: 1,
        /// If it is near, how many outcomes came behind it.
        behind: NEAR_W,
        outcome: PLACE_BITS,
        target: PLACE_BITS,
        /// Its target is the newest one; none came behind it.
        is_newest: 1,
        is_next: 1,
    }
}

/// Bits of a [`Candidate`].
pub const CANDIDATE_W: usize = Candidate::WIDTH;

clocked_block! {
    /// See the module text.
    pub struct MatchCandidate;
    inputs CandidateInputs { place: Bus<HISTORY_PLACE_W>, found: Bus<MATCH_PLACE_W>, }
    lane_inputs {}
    outputs CandidateOutputs { candidate: Bus<CANDIDATE_W>, target: Bits<PLACE_BITS>, }
    lane_outputs {}
    pair_outputs {}
    kernel match_candidate;
}

#[named]
fn match_candidate<T: Word, const N: usize, const P: usize>(
    i: CandidateInputs<T::Port, N>,
) -> CandidateOutputs<T, N, P> {
    let sizes = match_sizes(N);
    let place = HistoryPlace::<T>::unpack(&i.place);
    let found = MatchPlace::<T>::unpack(&i.found);
    let outcomes = distance(place.end_outcome, found.outcome, sizes.outcome_bits).reg();
    let targets = distance(place.end_target, found.target, sizes.target_bits).reg();

    let margin = RING_MARGIN.ilog2();
    let above = outcomes.slice(margin, sizes.outcome_bits - margin);
    let is_last_row = above.not().is(0);
    let is_too_far = is_last_row.and(outcomes.slice(0, margin).any());
    let near = NEAR_W as u32;
    let is_near = outcomes.slice(near, sizes.outcome_bits - near).is(0);
    let candidate = Candidate {
        valid: all(&[found.valid, outcomes.any(), is_too_far.not()]),
        is_near,
        behind: outcomes
            .slice(0, near)
            .add_const(u64::from(u32::MAX) >> (32 - near)),
        outcome: found.outcome,
        target: found.target,
        is_newest: targets.is(1),
        is_next: targets.is(0),
    };
    CandidateOutputs {
        candidate: candidate.pack(),
        target: vec![found.target],
    }
}

/// How far a place is behind another one, in a ring.
#[named]
fn distance<T: Word>(end: T, place: T, bits: u32) -> T {
    // One sum: the complement is one less than the negative.
    let one = T::constant(1, 1);
    let (end, place) = (end.slice(0, bits), place.slice(0, bits));
    let sum = end.concat(one).add(place.not().concat(one));
    sum.slice(1, bits)
}
