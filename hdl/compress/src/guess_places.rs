// SPDX-License-Identifier: MIT OR Apache-2.0
//! `GuessPlaces`: which candidates a target has, and which probabilities they have.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `step_in`, `guess` | in | a step, and the [`TargetGuess`] of its target |
//! | `step` | out | the step |
//! | `places[14:0]` | out | the places of the probabilities, of the return address lowest, then of the match |
//! | `exist[2:0]`, `right[2:0]` | out | there is such a candidate, and it is where the branch led |
//!
//! A candidate that is equal to one before it is left out.
//!
//! Latency 1 cycle. Throughput one step per cycle. The model is `coretrace_compress::History`.

use super::followed_place::GRADE_W;
use super::guess_memory::GUESS_PLACE_W;
use super::history_steps::{HISTORY_STEP_W, HistoryStep};
use super::target_guess::{TARGET_GUESS_W, TargetGuess};
use coretrace_hdl_dataflow::{Bus, Word, any, clocked_block, join, mux_tree, named};
use rust_hdl::prelude::*;

/// Candidates of a target.
pub const CANDIDATES: usize = 3;
/// Bits of the places of all their probabilities.
pub const GUESS_PLACES_W: usize = CANDIDATES * GUESS_PLACE_W;

/// How good the match of each grade is for a target; one without a match is 0.
const QUALITIES: [u64; 8] = [0, 2, 2, 2, 3, 3, 4, 4];
/// Bits of a quality, and those of one that is not 0.
const QUALITY_W: u32 = 3;
const MATCH_QUALITY_W: u32 = 2;

clocked_block! {
    /// See the module text.
    pub struct GuessPlaces;
    inputs PlacesInputs { step_in: Bus<HISTORY_STEP_W>, guess: Bus<TARGET_GUESS_W>, }
    lane_inputs {}
    outputs PlacesOutputs {
        step: Bus<HISTORY_STEP_W>,
        places: Bits<GUESS_PLACES_W>,
        exist: Bits<CANDIDATES>,
        right: Bits<CANDIDATES>,
    }
    lane_outputs {}
    pair_outputs {}
    kernel guess_places;
}

#[named]
fn guess_places<T: Word, const N: usize, const P: usize>(
    i: PlacesInputs<T::Port, N>,
) -> PlacesOutputs<T, N, P> {
    let step = HistoryStep::<T>::unpack(&i.step_in);
    let guess = TargetGuess::<T>::unpack(&i.guess);
    let has_expected = guess.confidence.any();
    let qualities = QUALITIES.map(|quality| T::constant(quality, QUALITY_W));
    let quality = mux_tree(&qualities, guess.grade, GRADE_W);

    let return_is_matched = guess.has_match.and(guess.match_is_return);
    let return_is_expected = has_expected.and(guess.expected_is_return);
    let match_is_expected = has_expected.and(guess.expected_is_match);
    let is_expected_left_out = any(&[
        guess.has_return.and(guess.expected_is_return),
        guess.has_match.and(guess.expected_is_match),
    ]);
    let has_match = guess
        .has_match
        .and(guess.has_return.and(guess.match_is_return).not());
    let has_expected = has_expected.and(is_expected_left_out.not());

    let of_return = join([quality, return_is_matched, return_is_expected]);
    let of_match = join([
        match_is_expected,
        guess.confidence,
        quality.slice(0, MATCH_QUALITY_W),
    ]);
    let of_expected = join([step.is_return, guess.confidence]).extend(GUESS_PLACE_W as u32);
    PlacesOutputs {
        step: step.pack(),
        places: vec![of_return, of_match, of_expected],
        exist: vec![guess.has_return, has_match, has_expected],
        right: vec![
            guess.is_return_right,
            guess.is_match_right,
            guess.is_expected_right,
        ],
    }
}
