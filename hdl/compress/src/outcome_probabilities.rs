// SPDX-License-Identifier: MIT OR Apache-2.0
//! `OutcomeProbabilities`: how probable it is that a branch is taken, in 1024 contexts.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `valid`, `outcome_context[9:0]`, `taken` | in | a conditional branch, what is known of it, its outcome |
//! | `is_sure`, `is_right` | out | three cycles later: the class of the decision, and whether it was right |
//! | `clear`, `clear_row[8:0]` | in | the probabilities of a row begin again; nothing else is written |
//!
//! A probability learns fast at first, and slowly from its fifth outcome on.
//!
//! Latency 3 cycles. Throughput one branch per cycle. The model is `Probability` of `coretrace_compress`.

use super::forwarded::forwarded;
use super::hash::before;
use super::probability::{PROBABILITY_W, expects, is_sure, learnt};
use super::row_memory::{ROW_W, RowMemory};
use coretrace_abi::compressed::history::{OUTCOME_RATE, PROBABILITY_START};
use coretrace_hdl_dataflow::{Bus, Word, clocked_block, named};
use rust_hdl::prelude::*;

/// Bits of a context: {grade and outcome of a match, counter by address, counter by history}.
pub const CONTEXT_W: usize = 10;
/// Bits of an age.
const AGE_W: u32 = OUTCOME_RATE.ilog2() + 1;
/// Bits of a probability with its age.
const WORD_W: usize = PROBABILITY_W as usize + AGE_W as usize;
/// Where a probability starts; its age is 0.
const WORD_START: u64 = PROBABILITY_START as u64;

#[derive(LogicBlock, Default)]
pub struct OutcomeProbabilities {
    pub clock: Signal<In, Clock>,
    pub valid: Signal<In, Bit>,
    pub outcome_context: Signal<In, Bits<CONTEXT_W>>,
    pub taken: Signal<In, Bit>,
    pub is_sure: Signal<Out, Bit>,
    pub is_right: Signal<Out, Bit>,
    pub clear: Signal<In, Bit>,
    pub clear_row: Signal<In, Bits<ROW_W>>,
    words: RowMemory<CONTEXT_W, WORD_W, WORD_START>,
    step: ProbabilityStep<CONTEXT_W, 1>,
}

impl Logic for OutcomeProbabilities {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, words, step);
        self.words.read_address.next = self.outcome_context.val();
        self.step.valid.next = self.valid.val();
        self.step.place.next = self.outcome_context.val();
        self.step.taken.next = self.taken.val();
        self.step.stored.next = self.words.read_data.val();
        self.words.write_enable.next = self.step.write_valid.val();
        self.words.write_address.next = self.step.write_place.val();
        self.words.write_data.next = self.step.write_word.val();
        self.words.clear.next = self.clear.val();
        self.words.clear_row.next = self.clear_row.val();
        self.is_sure.next = self.step.is_sure.val();
        self.is_right.next = self.step.is_right.val();
    }
}

clocked_block! {
    /// The pipeline around the memory, for `N` bits of a context.
    pub struct ProbabilityStep;
    inputs ProbabilityInputs { valid: Bit, place: Bits<N>, taken: Bit, stored: Bus<WORD_W>, }
    lane_inputs {}
    outputs ProbabilityOutputs {
        is_sure: Bit,
        is_right: Bit,
        write_valid: Bit,
        write_place: Bits<N>,
        write_word: Bus<WORD_W>,
    }
    lane_outputs {}
    pair_outputs {}
    kernel probability_step;
}

#[named]
fn probability_step<T: Word, const N: usize, const P: usize>(
    i: ProbabilityInputs<T::Port, N>,
) -> ProbabilityOutputs<T, N, P> {
    let valid = T::field(&i.valid, 0, 1);
    let place = T::field(&i.place, 0, N as u32);
    let taken = before(before(T::field(&i.taken, 0, 1)));
    let stored = T::field(&i.stored, 0, WORD_W as u32);
    let step = forwarded(valid, place, stored, |old| {
        let (value, age) = (old.slice(0, PROBABILITY_W), old.slice(PROBABILITY_W, AGE_W));
        let rates: Vec<u32> = (0..=OUTCOME_RATE)
            .map(|age| OUTCOME_RATE.min(age + 1))
            .collect();
        let moved = learnt(value, taken, &rates, age);
        let oldest = age.is(OUTCOME_RATE.into());
        oldest.mux(age, age.add_const(1)).concat(moved)
    });
    let value = step.old.slice(0, PROBABILITY_W);
    ProbabilityOutputs {
        is_sure: vec![is_sure(value)],
        is_right: vec![expects(value).eq(taken)],
        write_valid: vec![step.valid],
        write_place: vec![step.place],
        write_word: vec![step.new],
    }
}
