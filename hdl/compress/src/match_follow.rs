// SPDX-License-Identifier: MIT OR Apache-2.0
//! `MatchFollow`: follows an earlier place as long as the same symbols come. `N` is a number of sizes, `P`
//! is 1.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clear` | in | nothing is followed |
//! | `step_in`, `place`, `expected[61:0]`, `confidence[1:0]`, `candidate` | in | a step and what belongs to it |
//! | `by_address[2:0]`, `by_history[2:0]` | in | the counters of its outcome |
//! | `word[15:0]`, `behind[15:0]`, `target[61:0]` | in | a cycle later: the outcomes and the target at the candidate |
//! | `further_request`, `further_number[11:0]`, `further_target_place[15:0]` | out | what is behind what is known: a word of outcomes, which is asked for until it is there, and a target |
//! | `further_valid`, `further_word[15:0]`, `further_target[61:0]` | in | a cycle later: the word is there, the word, and the target |
//! | `write_target`, `write_place[15:0]`, `write_word[61:0]` | out | a target to write into the ring; the further one is not read |
//! | `step` | out | two cycles later: the step |
//! | `is_outcome`, `taken` | out | it has an outcome, which is this |
//! | `outcome_context[9:0]` | out | for an outcome: {grade and outcome of the match, counters} |
//! | `guess` | out | for a target: a [`TargetGuess`](super::TargetGuess) |
//!
//! The only loop: is the symbol the expected one, and if not, the candidate is followed. So what is at a
//! candidate is read for each step. The distance of a place does not change while it is followed: outcomes of a
//! near place come from the newest ones, the newest target and the one that is not written yet have flags.
//!
//! Latency 2 cycles. Throughput one step per cycle, and none before a target. The model is
//! `coretrace_compress::History`.

use super::branch_bits::ADDRESS_W;
use super::expected_memory::CONFIDENCE_W;
use super::followed_outcomes::OutcomePorts;
use super::following::{FollowPorts, follow};
use super::hash::before;
use super::history_places::{HISTORY_PLACE_W, HistoryPlace, PLACE_BITS};
use super::history_steps::{HISTORY_STEP_W, HistoryStep};
use super::match_candidate::{CANDIDATE_W, Candidate};
use super::match_sizes::match_sizes;
use super::outcome_counters::COUNTER_W;
use super::outcome_probabilities::CONTEXT_W;
use super::outcome_words::{NUMBER_W, WORD};
use super::target_guess::TARGET_GUESS_W;
use coretrace_hdl_dataflow::{Bus, Word, clocked_block, named};
use rust_hdl::prelude::*;

clocked_block! {
    /// See the module text.
    pub struct MatchFollow;
    inputs FollowInputs {
        clear: Bit,
        step_in: Bus<HISTORY_STEP_W>,
        place: Bus<HISTORY_PLACE_W>,
        expected: Bits<ADDRESS_W>,
        confidence: Bits<CONFIDENCE_W>,
        candidate: Bus<CANDIDATE_W>,
        by_address: Bits<COUNTER_W>,
        by_history: Bits<COUNTER_W>,
        word: Bits<WORD>,
        behind: Bits<WORD>,
        target: Bits<ADDRESS_W>,
        further_valid: Bit,
        further_word: Bits<WORD>,
        further_target: Bits<ADDRESS_W>,
    }
    lane_inputs {}
    outputs FollowOutputs {
        further_request: Bit,
        further_number: Bits<NUMBER_W>,
        further_target_place: Bits<PLACE_BITS>,
        write_target: Bit,
        write_place: Bits<PLACE_BITS>,
        write_word: Bits<ADDRESS_W>,
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
    let address_w = ADDRESS_W as u32;
    let word = |port: &T::Port| T::field(port, 0, WORD as u32);
    let step = HistoryStep::<T>::unpack(&i.step_in);
    let ports = FollowPorts {
        clear: T::field(&i.clear, 0, 1),
        step,
        place: HistoryPlace::<T>::unpack(&i.place),
        expected: T::field(&i.expected, 0, address_w),
        confidence: T::field(&i.confidence, 0, CONFIDENCE_W as u32),
        candidate: Candidate::<T>::unpack(&i.candidate),
        target: T::field(&i.target, 0, address_w),
        further_target: T::field(&i.further_target, 0, address_w),
        further_valid: T::field(&i.further_valid, 0, 1),
    };
    let outcomes = OutcomePorts {
        came: before(step.taken),
        word: word(&i.word),
        behind: word(&i.behind),
        further: word(&i.further_word),
    };
    let follows = follow(match_sizes(N), ports, &[outcomes]);
    let counter = |port: &T::Port| before(T::field(port, 0, COUNTER_W as u32));
    let counters = [counter(&i.by_history), counter(&i.by_address)];
    FollowOutputs {
        further_request: vec![follows.further_request],
        further_number: vec![follows.further_number],
        further_target_place: vec![follows.further_target_place],
        write_target: vec![step.is_target],
        write_place: vec![follows.write_place],
        write_word: vec![step.value],
        step: follows.step.pack(),
        is_outcome: vec![follows.step.is_outcome],
        taken: vec![follows.step.taken],
        outcome_context: counters.into_iter().chain(follows.found).collect(),
        guess: follows.guess.pack(),
    }
}
