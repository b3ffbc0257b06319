// SPDX-License-Identifier: MIT OR Apache-2.0
//! `ExpectedTargets`: a table of 2^A targets by the path to a branch, in block RAM.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `step_in`, `place_in` | in | a step and its place |
//! | `step`, `place`, `target[61:0]`, `confidence[1:0]` | out | two cycles later: both, and what was expected; confidence 0 is nothing |
//! | `clear`, `clear_row[8:0]` | in | a row is empty; nothing else is written |
//!
//! Latency 2 cycles. Throughput one step per cycle, and a target in every second one. The model is `Expected` of
//! `coretrace_compress`.

use super::branch_bits::ADDRESS_W;
use super::hash::before;
use super::history_places::{HISTORY_PLACE_W, HistoryPlace, PLACE_BITS};
use super::history_steps::{HISTORY_STEP_W, HistoryStep};
use super::row_memory::{ROW_W, RowMemory};
use coretrace_hdl_dataflow::{Bus, Word, clocked_block, join, kernel_block, named};
use rust_hdl::prelude::*;

/// Bits of a confidence.
pub const CONFIDENCE_W: usize = 2;
/// Bits of a target with its confidence.
const WORD_W: usize = ADDRESS_W + CONFIDENCE_W;
/// The greatest confidence.
const MOST: u64 = (1 << CONFIDENCE_W) - 1;

#[derive(LogicBlock, Default)]
pub struct ExpectedTargets<const A: usize> {
    pub clock: Signal<In, Clock>,
    pub step_in: Signal<In, Bus<HISTORY_STEP_W>>,
    pub place_in: Signal<In, Bus<HISTORY_PLACE_W>>,
    pub step: Signal<Out, Bus<HISTORY_STEP_W>>,
    pub place: Signal<Out, Bus<HISTORY_PLACE_W>>,
    pub target: Signal<Out, Bus<ADDRESS_W>>,
    pub confidence: Signal<Out, Bits<CONFIDENCE_W>>,
    pub clear: Signal<In, Bit>,
    pub clear_row: Signal<In, Bits<ROW_W>>,
    index: PathIndex<1>,
    words: RowMemory<A, WORD_W, 0>,
    table_step: ExpectedStep<A, 1>,
}

impl<const A: usize> Logic for ExpectedTargets<A> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, words, table_step);
        self.index.place.next = self.place_in.val();
        self.words.read_address.next = self.index.by_path.val().get_bits::<A>(0);
        self.table_step.clear.next = self.clear.val();
        self.table_step.step_in.next = self.step_in.val();
        self.table_step.place_in.next = self.place_in.val();
        self.table_step.stored.next = self.words.read_data.val();
        self.words.write_enable.next = self.table_step.write_valid.val();
        self.words.write_address.next = self.table_step.write_place.val();
        self.words.write_data.next = self.table_step.write_word.val();
        self.words.clear.next = self.clear.val();
        self.words.clear_row.next = self.clear_row.val();
        self.step.next = self.table_step.step.val();
        self.place.next = self.table_step.place.val();
        self.target.next = self.table_step.target.val();
        self.confidence.next = self.table_step.confidence.val();
    }
}

kernel_block! {
    /// The place of the table within a [`HistoryPlace`].
    pub struct PathIndex;
    inputs IndexInputs { place: Bus<HISTORY_PLACE_W>, }
    lane_inputs {}
    outputs IndexOutputs { by_path: Bits<PLACE_BITS>, }
    lane_outputs {}
    kernel path_index;
}

fn path_index<T: Word, const N: usize>(i: IndexInputs<T::Port, N>) -> IndexOutputs<T, N> {
    let place = HistoryPlace::<T>::unpack(&i.place);
    IndexOutputs {
        by_path: vec![place.by_path],
    }
}

clocked_block! {
    /// The pipeline around the memory, for `N` bits of a place of the table.
    ///
    /// Read, compare, write: the target before is not in the memory yet when a target is read, all others are.
    pub struct ExpectedStep;
    inputs ExpectedInputs {
        clear: Bit,
        step_in: Bus<HISTORY_STEP_W>,
        place_in: Bus<HISTORY_PLACE_W>,
        stored: Bus<WORD_W>,
    }
    lane_inputs {}
    outputs ExpectedOutputs {
        step: Bus<HISTORY_STEP_W>,
        place: Bus<HISTORY_PLACE_W>,
        target: Bus<ADDRESS_W>,
        confidence: Bits<CONFIDENCE_W>,
        write_valid: Bit,
        write_place: Bits<N>,
        write_word: Bus<WORD_W>,
    }
    lane_outputs {}
    pair_outputs {}
    kernel expected_step;
}

#[named]
fn expected_step<T: Word, const N: usize, const P: usize>(
    i: ExpectedInputs<T::Port, N>,
) -> ExpectedOutputs<T, N, P> {
    let step = HistoryStep::<T>::unpack(&i.step_in);
    let place = HistoryPlace::<T>::unpack(&i.place_in);
    let stored = T::field(&i.stored, 0, WORD_W as u32);
    let by_path = place.by_path.slice(0, N as u32);

    // Whether this target is at the place of the last one.
    let (last_place, last_place_next) = T::register(N as u32, 0);
    T::set_next(last_place_next, step.is_target.mux(by_path, last_place));
    let (has_last, has_last_next) = T::register(1, 0);
    let clear = T::field(&i.clear, 0, 1);
    T::set_next(has_last_next, has_last.or(step.is_target).and(clear.not()));
    let is_same = before(has_last.and(by_path.eq_on_carry(last_place)));
    let (last, last_next) = T::register(WORD_W as u32, 0);

    let (step_2, place_2) = (step.map(before), place.map(before));
    let word = is_same.mux(last, stored);
    let (step_3, word_3) = (step_2.map(before), before(word));
    let by_path_3 = before(before(by_path));
    let (target, confidence) = split(word_3);
    let came = step_3.value;
    let is_right = target.eq_on_carry(came);
    let is_certain = confidence.is(MOST);
    let up = is_certain.mux(confidence, confidence.add_const(1));
    let one = T::constant(1, CONFIDENCE_W as u32);
    let is_kept = confidence.bit(1);
    let down = is_kept.mux(confidence.add_const(MOST), one);
    let learnt = is_right.and(confidence.any()).mux(up, down);
    let stays = is_right.or(is_kept);
    let new = join([stays.mux(target, came), learnt]);
    T::set_next(last_next, step_3.is_target.mux(new, last));

    let (target, confidence) = split(word);
    ExpectedOutputs {
        step: step_2.pack(),
        place: place_2.pack(),
        target: vec![target],
        confidence: vec![confidence],
        write_valid: vec![step_3.is_target],
        write_place: vec![by_path_3],
        write_word: vec![new],
    }
}

/// A target and its confidence.
fn split<T: Word>(word: T) -> (T, T) {
    (
        word.slice(0, ADDRESS_W as u32),
        word.slice(ADDRESS_W as u32, CONFIDENCE_W as u32),
    )
}
