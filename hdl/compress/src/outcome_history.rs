// SPDX-License-Identifier: MIT OR Apache-2.0
//! `OutcomeHistory`: the newest outcomes of one kind, 64 * 2^B of them, as two windows of 32.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `valid`, `taken`, `outcome_place[15:0]` | in | an outcome and its place |
//! | `candidate_place[15:0]`, `further_place[15:0]` | in | where the windows begin |
//! | `window[31:0]`, `further_window[31:0]` | out | three cycles later: the outcomes from there on, the first one in bit 0 |
//!
//! Two copies of the ring: what is at a candidate, and what is further on at the place that is followed.
//!
//! Latency 3 cycles. Throughput one outcome and both windows per cycle.

use super::history_places::PLACE_BITS;
use super::outcome_ring::{OutcomeRing, ROW_PLACE_W, WINDOW};
use super::outcome_rows::OutcomeRows;
use coretrace_hdl_dataflow::Bus;
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
pub struct OutcomeHistory<const B: usize> {
    pub clock: Signal<In, Clock>,
    pub valid: Signal<In, Bit>,
    pub taken: Signal<In, Bit>,
    pub outcome_place: Signal<In, Bits<PLACE_BITS>>,
    pub candidate_place: Signal<In, Bits<PLACE_BITS>>,
    pub further_place: Signal<In, Bits<PLACE_BITS>>,
    pub window: Signal<Out, Bus<WINDOW>>,
    pub further_window: Signal<Out, Bus<WINDOW>>,
    rows: OutcomeRows<1, 1>,
    outcomes: OutcomeRing<B>,
    further_outcomes: OutcomeRing<B>,
}

impl<const B: usize> Logic for OutcomeHistory<B> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, rows, outcomes, further_outcomes);
        self.rows.valid.next = self.valid.val();
        self.rows.taken.next = self.taken.val();
        self.rows.place.next = self.outcome_place.val();
        self.outcomes.write.next = self.rows.write.val();
        self.outcomes.write_row.next = self.rows.write_half.val().get_bits::<B>(1);
        self.outcomes.write_odd.next = self.rows.write_half.val().get_bit(0);
        self.outcomes.write_word.next = self.rows.write_word.val();
        self.outcomes.row.next = self.candidate_place.val().get_bits::<B>(6);
        self.outcomes.place.next = self.candidate_place.val().get_bits::<ROW_PLACE_W>(0);
        self.further_outcomes.write.next = self.rows.write.val();
        self.further_outcomes.write_row.next = self.rows.write_half.val().get_bits::<B>(1);
        self.further_outcomes.write_odd.next = self.rows.write_half.val().get_bit(0);
        self.further_outcomes.write_word.next = self.rows.write_word.val();
        self.further_outcomes.row.next = self.further_place.val().get_bits::<B>(6);
        self.further_outcomes.place.next = self.further_place.val().get_bits::<ROW_PLACE_W>(0);
        self.window.next = self.outcomes.window.val();
        self.further_window.next = self.further_outcomes.window.val();
    }
}
