// SPDX-License-Identifier: MIT OR Apache-2.0
//! `ExpectedTargets`: a table of 2^A targets by the path to a branch, in block RAM.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `step_in`, `place_in` | in | a step and its place |
//! | `step`, `place`, `target[61:0]`, `confidence[1:0]` | out | two cycles later: both, and what was expected; confidence 0 is nothing |
//! | `clear`, `clear_row[8:0]` | in | a row is empty; nothing else is written |
//!
//! What is learnt of a target is written in the cycle in which its word is read, so the next target reads it.
//!
//! Latency 2 cycles. Throughput one step per cycle, and a target in every second one. The model is `Expected` of
//! `coretrace_compress`.

use super::branch_bits::ADDRESS_W;
use super::expected_memory::{CONFIDENCE_W, ExpectedMemory};
use super::history_places::{HISTORY_PLACE_W, HistoryPlace, PLACE_BITS};
use super::history_steps::{HISTORY_STEP_W, HistoryStep};
use super::row_memory::ROW_W;
use coretrace_hdl_dataflow::{Bus, Word, kernel_block, named};
use rust_hdl::prelude::*;

/// The greatest confidence.
const MOST: u64 = (1 << CONFIDENCE_W) - 1;

#[derive(LogicBlock, Default)]
pub struct ExpectedTargets<const A: usize> {
    pub clock: Signal<In, Clock>,
    pub step_in: Signal<In, Bus<HISTORY_STEP_W>>,
    pub place_in: Signal<In, Bus<HISTORY_PLACE_W>>,
    pub step: Signal<Out, Bus<HISTORY_STEP_W>>,
    pub place: Signal<Out, Bus<HISTORY_PLACE_W>>,
    pub target: Signal<Out, Bits<ADDRESS_W>>,
    pub confidence: Signal<Out, Bits<CONFIDENCE_W>>,
    pub clear: Signal<In, Bit>,
    pub clear_row: Signal<In, Bits<ROW_W>>,
    index: PathIndex<1>,
    words: ExpectedMemory<A>,
    learnt: ExpectedStep<1>,
    index_s1: DFF<Bits<A>>,
    step_s1: DFF<Bus<HISTORY_STEP_W>>,
    place_s1: DFF<Bus<HISTORY_PLACE_W>>,
    step_s2: DFF<Bus<HISTORY_STEP_W>>,
    place_s2: DFF<Bus<HISTORY_PLACE_W>>,
    target_s2: DFF<Bits<ADDRESS_W>>,
    confidence_s2: DFF<Bits<CONFIDENCE_W>>,
}

impl<const A: usize> Logic for ExpectedTargets<A> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, words);
        dff_setup!(
            self,
            clock,
            index_s1,
            step_s1,
            place_s1,
            step_s2,
            place_s2,
            target_s2,
            confidence_s2
        );
        self.index.place.next = self.place_in.val();
        self.words.read_address.next = self.index.by_path.val().get_bits::<A>(0);
        self.index_s1.d.next = self.index.by_path.val().get_bits::<A>(0);
        self.step_s1.d.next = self.step_in.val();
        self.place_s1.d.next = self.place_in.val();

        self.learnt.step.next = self.step_s1.q.val();
        self.learnt.target.next = self.words.target.val();
        self.learnt.confidence.next = self.words.confidence.val();
        self.words.write_address.next = self.index_s1.q.val();
        self.words.write_target.next = self.learnt.write_target.val();
        self.words.new_target.next = self.learnt.new_target.val();
        self.words.write_confidence.next = self.learnt.write_confidence.val();
        self.words.new_confidence.next = self.learnt.new_confidence.val();
        self.words.clear.next = self.clear.val();
        self.words.clear_row.next = self.clear_row.val();
        self.step_s2.d.next = self.step_s1.q.val();
        self.place_s2.d.next = self.place_s1.q.val();
        self.target_s2.d.next = self.words.target.val();
        self.confidence_s2.d.next = self.words.confidence.val();

        self.step.next = self.step_s2.q.val();
        self.place.next = self.place_s2.q.val();
        self.target.next = self.target_s2.q.val();
        self.confidence.next = self.confidence_s2.q.val();
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

kernel_block! {
    /// What a step teaches the word that was read for it. Combinational; `N` is 1.
    pub struct ExpectedStep;
    inputs ExpectedInputs {
        step: Bus<HISTORY_STEP_W>,
        target: Bits<ADDRESS_W>,
        confidence: Bits<CONFIDENCE_W>,
    }
    lane_inputs {}
    outputs ExpectedOutputs {
        write_target: Bit,
        new_target: Bits<ADDRESS_W>,
        write_confidence: Bit,
        new_confidence: Bits<CONFIDENCE_W>,
    }
    lane_outputs {}
    kernel expected_step;
}

#[named]
fn expected_step<T: Word, const N: usize>(i: ExpectedInputs<T::Port, N>) -> ExpectedOutputs<T, N> {
    let step = HistoryStep::<T>::unpack(&i.step);
    let target = T::field(&i.target, 0, ADDRESS_W as u32);
    let confidence = T::field(&i.confidence, 0, CONFIDENCE_W as u32);
    let is_right = target.eq_on_carry(step.value);
    let is_certain = confidence.is(MOST);
    let up = is_certain.mux(confidence, confidence.add_const(1));
    let one = T::constant(1, CONFIDENCE_W as u32);
    let is_kept = confidence.bit(1);
    let down = is_kept.mux(confidence.add_const(MOST), one);
    let learnt = is_right.and(confidence.any()).mux(up, down);
    let stays = is_right.or(is_kept);
    ExpectedOutputs {
        write_target: vec![step.is_target.and(stays.not())],
        new_target: vec![step.value],
        write_confidence: vec![step.is_target],
        new_confidence: vec![learnt],
    }
}
