// SPDX-License-Identifier: MIT OR Apache-2.0
//! `ElementFollow`: follows an earlier place as long as the same elements come: [`MatchFollow`](super::MatchFollow) for
//! atoms, the flags whether an address follows, and addresses. `N` and `P` are 1.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clear` | in | nothing is followed |
//! | `step_in`, `place`, `expected[61:0]`, `confidence[1:0]`, `candidate` | in | a step and what belongs to it |
//! | `by_address[2:0]`, `by_history[2:0]`, `of_addresses[2:0]` | in | the counters of its atom, and that of its flag |
//! | `atoms[15:0]`, `atoms_behind[15:0]`, `flags[15:0]`, `flags_behind[15:0]`, `target[61:0]` | in | a cycle later: what is at the candidate |
//! | `further_request`, `further_number[11:0]`, `further_target_place[15:0]` | out | what is behind what is known: words of outcomes, which are asked for until they are there, and a target |
//! | `further_valid`, `further_atoms[15:0]`, `further_flags[15:0]`, `further_target[61:0]` | in | a cycle later: the words are there, the words, and the target |
//! | `write_target`, `write_place[15:0]`, `write_word[61:0]` | out | an address to write into the ring; the further one is not read |
//! | `step` | out | two cycles later: the step |
//! | `is_atom`, `taken` | out | it has an atom, which is this |
//! | `has_flag`, `has_address` | out | the atom is an E, and an address follows |
//! | `atom_context[9:0]` | out | {grade and atom of the match, counters} |
//! | `flag_context[9:0]` | out | {grade and flag of the match, counter} |
//! | `guess` | out | for an address: a [`TargetGuess`](super::TargetGuess) |
//!
//! Latency 2 cycles. Throughput one step per cycle. The model is `coretrace_compress::Elements`.

use super::branch_bits::ADDRESS_W;
use super::expected_memory::CONFIDENCE_W;
use super::followed_outcomes::OutcomePorts;
use super::following::{FollowPorts, follow};
use super::hash::before;
use super::history_places::{HISTORY_PLACE_W, HistoryPlace, PLACE_BITS};
use super::history_steps::{HISTORY_STEP_W, HistoryStep};
use super::match_candidate::{CANDIDATE_W, Candidate};
use super::match_sizes::{ELEMENTS, match_sizes};
use super::outcome_counters::COUNTER_W;
use super::outcome_probabilities::CONTEXT_W;
use super::outcome_words::{NUMBER_W, WORD};
use super::target_guess::TARGET_GUESS_W;
use coretrace_hdl_dataflow::{Bus, Word, clocked_block, named};
use rust_hdl::prelude::*;

clocked_block! {
    /// See the module text.
    pub struct ElementFollow;
    inputs FollowInputs {
        clear: Bit,
        step_in: Bus<HISTORY_STEP_W>,
        place: Bus<HISTORY_PLACE_W>,
        expected: Bits<ADDRESS_W>,
        confidence: Bits<CONFIDENCE_W>,
        candidate: Bus<CANDIDATE_W>,
        by_address: Bits<COUNTER_W>,
        by_history: Bits<COUNTER_W>,
        of_addresses: Bits<COUNTER_W>,
        atoms: Bits<WORD>,
        atoms_behind: Bits<WORD>,
        flags: Bits<WORD>,
        flags_behind: Bits<WORD>,
        target: Bits<ADDRESS_W>,
        further_valid: Bit,
        further_atoms: Bits<WORD>,
        further_flags: Bits<WORD>,
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
        is_atom: Bit,
        taken: Bit,
        has_flag: Bit,
        has_address: Bit,
        atom_context: Bits<CONTEXT_W>,
        flag_context: Bits<CONTEXT_W>,
        guess: Bus<TARGET_GUESS_W>,
    }
    lane_outputs {}
    pair_outputs {}
    kernel element_follow;
}

#[named]
fn element_follow<T: Word, const N: usize, const P: usize>(
    i: FollowInputs<T::Port, N>,
) -> FollowOutputs<T, N, P> {
    let word = |port: &T::Port| T::field(port, 0, WORD as u32);
    let address = |port: &T::Port| T::field(port, 0, ADDRESS_W as u32);
    let step = HistoryStep::<T>::unpack(&i.step_in);
    let ports = FollowPorts {
        clear: T::field(&i.clear, 0, 1),
        step,
        place: HistoryPlace::<T>::unpack(&i.place),
        expected: address(&i.expected),
        confidence: T::field(&i.confidence, 0, CONFIDENCE_W as u32),
        candidate: Candidate::<T>::unpack(&i.candidate),
        target: address(&i.target),
        further_target: address(&i.further_target),
        further_valid: T::field(&i.further_valid, 0, 1),
    };
    let atoms = OutcomePorts {
        came: before(step.taken),
        word: word(&i.atoms),
        behind: word(&i.atoms_behind),
        further: word(&i.further_atoms),
    };
    let flags = OutcomePorts {
        came: before(step.has_address),
        word: word(&i.flags),
        behind: word(&i.flags_behind),
        further: word(&i.further_flags),
    };
    let follows = follow(match_sizes(ELEMENTS), ports, &[atoms, flags]);
    let counter = |port: &T::Port| before(T::field(port, 0, COUNTER_W as u32));
    let atom_found = follows.found[0];
    let flag_found = follows.found[1];
    let flag_context = flag_found.concat(counter(&i.of_addresses));
    let behind = follows.step;
    FollowOutputs {
        further_request: vec![follows.further_request],
        further_number: vec![follows.further_number],
        further_target_place: vec![follows.further_target_place],
        write_target: vec![step.is_target],
        write_place: vec![follows.write_place],
        write_word: vec![step.value],
        step: behind.pack(),
        is_atom: vec![behind.is_outcome],
        taken: vec![behind.taken],
        has_flag: vec![behind.has_flag],
        has_address: vec![behind.has_address],
        atom_context: vec![counter(&i.by_history), counter(&i.by_address), atom_found],
        flag_context: vec![flag_context.extend(CONTEXT_W as u32)],
        guess: follows.guess.pack(),
    }
}
