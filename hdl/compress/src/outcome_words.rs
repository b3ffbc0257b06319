// SPDX-License-Identifier: MIT OR Apache-2.0
//! `OutcomeWords`: outcomes one by one to words of the ring of outcomes.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `valid`, `taken`, `place[15:0]` | in | an outcome and its place in the ring; each is one behind the last |
//! | `write`, `write_number[11:0]`, `write_word[15:0]` | out | a word that is complete, the first outcome in bit 0 |
//!
//! Latency 1 cycle. Throughput one outcome per cycle.

use super::history_places::PLACE_BITS;
use coretrace_hdl_dataflow::{Word, clocked_block, named};
use rust_hdl::prelude::*;

/// Outcomes of a word.
pub const WORD: usize = 16;
/// Bits of the place of an outcome in its word.
pub const WORD_PLACE_W: usize = WORD.ilog2() as usize;
/// Bits of the number of a word.
pub const NUMBER_W: usize = PLACE_BITS - WORD_PLACE_W;

clocked_block! {
    /// See the module text. `N` and `P` are 1.
    pub struct OutcomeWords;
    inputs WordsInputs { valid: Bit, taken: Bit, place: Bits<PLACE_BITS>, }
    lane_inputs {}
    outputs WordsOutputs {
        write: Bit,
        write_number: Bits<NUMBER_W>,
        write_word: Bits<WORD>,
    }
    lane_outputs {}
    pair_outputs {}
    kernel outcome_words;
}

#[named]
fn outcome_words<T: Word, const N: usize, const P: usize>(
    i: WordsInputs<T::Port, N>,
) -> WordsOutputs<T, N, P> {
    let valid = T::field(&i.valid, 0, 1);
    let taken = T::field(&i.taken, 0, 1);
    let in_word = T::field(&i.place, 0, WORD_PLACE_W as u32);
    let (word, next) = T::register(WORD as u32, 0);
    let with = taken.concat(word.slice(1, WORD as u32 - 1));
    T::set_next(next, valid.mux(with, word));
    WordsOutputs {
        write: vec![valid.and(in_word.not().is(0))],
        write_number: vec![T::field(&i.place, WORD_PLACE_W as u32, NUMBER_W as u32)],
        write_word: vec![with],
    }
}
