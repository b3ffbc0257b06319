// SPDX-License-Identifier: MIT OR Apache-2.0
//! `CandidateSearch`: what the tables know of a step: an earlier place that may be followed, and the target that is
//! expected.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clear`, `clear_row[8:0]` | in | a row of the tables is empty |
//! | `step_in`, `place_in`, `comes`, `key`, `entry` | in | as from [`HistoryPlaces`](super::HistoryPlaces) |
//! | `outcome[15:0]` | out | three cycles later: the place of the outcome that was found |
//! | `step`, `place`, `expected[61:0]`, `confidence[1:0]`, `candidate` | out | four cycles later: for [`MatchFollow`](super::MatchFollow) |
//! | `target[15:0]` | out | the place of the target of the candidate |
//!
//! `R` to `X` are those of [`HistoryMatch`](super::HistoryMatch).
//!
//! Latency 4 cycles. Throughput one step per cycle, and a target in every second one.

use super::branch_bits::ADDRESS_W;
use super::expected_memory::CONFIDENCE_W;
use super::expected_targets::ExpectedTargets;
use super::history_places::{HISTORY_PLACE_W, PLACE_BITS};
use super::history_steps::HISTORY_STEP_W;
use super::match_candidate::{CANDIDATE_W, MatchCandidate};
use super::match_place::MatchFound;
use super::row_memory::{ROW_W, RowMemory};
use coretrace_hdl_dataflow::Bus;
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
pub struct CandidateSearch<const R: usize, const K: usize, const E: usize, const X: usize> {
    pub clock: Signal<In, Clock>,
    pub clear: Signal<In, Bit>,
    pub clear_row: Signal<In, Bits<ROW_W>>,
    pub step_in: Signal<In, Bus<HISTORY_STEP_W>>,
    pub place_in: Signal<In, Bus<HISTORY_PLACE_W>>,
    pub comes: Signal<In, Bit>,
    pub key: Signal<In, Bits<PLACE_BITS>>,
    pub entry: Signal<In, Bus<E>>,
    pub outcome: Signal<Out, Bits<PLACE_BITS>>,
    pub step: Signal<Out, Bus<HISTORY_STEP_W>>,
    pub place: Signal<Out, Bus<HISTORY_PLACE_W>>,
    pub expected: Signal<Out, Bits<ADDRESS_W>>,
    pub confidence: Signal<Out, Bits<CONFIDENCE_W>>,
    pub candidate: Signal<Out, Bus<CANDIDATE_W>>,
    pub target: Signal<Out, Bits<PLACE_BITS>>,
    match_table: RowMemory<K, E, 0>,
    match_found: MatchFound<R, E>,
    match_candidate: MatchCandidate<R, 1>,
    expected_targets: ExpectedTargets<X>,
    step_s2: DFF<Bus<HISTORY_STEP_W>>,
    step_s3: DFF<Bus<HISTORY_STEP_W>>,
    place_s2: DFF<Bus<HISTORY_PLACE_W>>,
    place_s3: DFF<Bus<HISTORY_PLACE_W>>,
}

impl<const R: usize, const K: usize, const E: usize, const X: usize> Logic
    for CandidateSearch<R, K, E, X>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(
            self,
            clock,
            match_table,
            match_found,
            match_candidate,
            expected_targets
        );
        dff_setup!(self, clock, step_s2, step_s3, place_s2, place_s3);
        self.step_s2.d.next = self.step_in.val();
        self.place_s2.d.next = self.place_in.val();
        self.step_s3.d.next = self.step_s2.q.val();
        self.place_s3.d.next = self.place_s2.q.val();

        // Cycle 1: the match table is read and written.
        self.match_table.read_address.next = self.key.val().get_bits::<K>(0);
        self.match_table.write_address.next = self.key.val().get_bits::<K>(0);
        self.match_table.write_data.next = self.entry.val();
        self.match_table.write_enable.next = self.comes.val();
        self.match_table.clear.next = self.clear.val();
        self.match_table.clear_row.next = self.clear_row.val();

        // Cycle 3: what was found.
        self.match_found.entry.next = self.match_table.read_data.val();
        self.match_candidate.place.next = self.place_s3.q.val();
        self.match_candidate.found.next = self.match_found.found.val();
        self.expected_targets.step_in.next = self.step_s3.q.val();
        self.expected_targets.place_in.next = self.place_s3.q.val();
        self.expected_targets.clear.next = self.clear.val();
        self.expected_targets.clear_row.next = self.clear_row.val();

        self.outcome.next = self.match_found.outcome.val();
        self.step.next = self.expected_targets.step.val();
        self.place.next = self.expected_targets.place.val();
        self.expected.next = self.expected_targets.target.val();
        self.confidence.next = self.expected_targets.confidence.val();
        self.candidate.next = self.match_candidate.candidate.val();
        self.target.next = self.match_candidate.target.val();
    }
}
