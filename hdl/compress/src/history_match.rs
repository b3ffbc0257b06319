// SPDX-License-Identifier: MIT OR Apache-2.0
//! `HistoryMatch`: what is known of a step: an earlier place at which the same symbols came, and the target that is
//! expected.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clear`, `clear_row[8:0]` | in | nothing is followed, a row of the tables is empty |
//! | `step_in` to `entry` | in | as from [`HistoryPlaces`](super::HistoryPlaces) |
//! | `by_address[2:0]`, `by_history[2:0]` | in | three cycles later: the counters of its outcome |
//! | `step` to `guess` | out | as from [`MatchFollow`](super::MatchFollow) |
//!
//! The parameters are those of [`HistoryEncoder`](super::HistoryEncoder).
//!
//! Latency 6 cycles. Throughput one step per cycle, and none before a target.

use super::branch_bits::ADDRESS_W;
use super::expected_targets::ExpectedTargets;
use super::history_places::{HISTORY_PLACE_W, PLACE_BITS};
use super::history_steps::HISTORY_STEP_W;
use super::match_candidate::MatchCandidate;
use super::match_follow::{MatchFollow, TARGET_GUESS_W};
use super::match_place::MatchFound;
use super::outcome_counters::COUNTER_W;
use super::outcome_probabilities::CONTEXT_W;
use super::outcome_ring::{OutcomeRing, ROW_PLACE_W};
use super::outcome_rows::OutcomeRows;
use super::row_memory::{ROW_W, RowMemory};
use coretrace_hdl_dataflow::Bus;
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
pub struct HistoryMatch<
    const R: usize,
    const B: usize,
    const T: usize,
    const K: usize,
    const E: usize,
    const X: usize,
> {
    pub clock: Signal<In, Clock>,
    pub clear: Signal<In, Bit>,
    pub clear_row: Signal<In, Bits<ROW_W>>,
    pub step_in: Signal<In, Bus<HISTORY_STEP_W>>,
    pub place: Signal<In, Bus<HISTORY_PLACE_W>>,
    pub is_outcome_in: Signal<In, Bit>,
    pub taken_in: Signal<In, Bit>,
    pub comes: Signal<In, Bit>,
    pub outcome_place: Signal<In, Bits<PLACE_BITS>>,
    pub key: Signal<In, Bits<PLACE_BITS>>,
    pub entry: Signal<In, Bus<E>>,
    pub by_address: Signal<In, Bits<COUNTER_W>>,
    pub by_history: Signal<In, Bits<COUNTER_W>>,
    pub step: Signal<Out, Bus<HISTORY_STEP_W>>,
    pub is_outcome: Signal<Out, Bit>,
    pub taken: Signal<Out, Bit>,
    pub outcome_context: Signal<Out, Bits<CONTEXT_W>>,
    pub guess: Signal<Out, Bus<TARGET_GUESS_W>>,
    rows: OutcomeRows<1, 1>,
    match_table: RowMemory<K, E, 0>,
    match_found: MatchFound<R, E>,
    match_candidate: MatchCandidate<R, 1>,
    /// Two copies of each ring: what is at a candidate, and what is further on at the place that is followed.
    outcomes: OutcomeRing<B>,
    further_outcomes: OutcomeRing<B>,
    targets: RowMemory<T, ADDRESS_W, 0>,
    further_targets: RowMemory<T, ADDRESS_W, 0>,
    expected_targets: ExpectedTargets<X>,
    follow: MatchFollow<R, 1>,
    step_s2: DFF<Bus<HISTORY_STEP_W>>,
    step_s3: DFF<Bus<HISTORY_STEP_W>>,
    place_s2: DFF<Bus<HISTORY_PLACE_W>>,
    place_s3: DFF<Bus<HISTORY_PLACE_W>>,
    by_address_s5: DFF<Bits<COUNTER_W>>,
    by_history_s5: DFF<Bits<COUNTER_W>>,
}

impl<const R: usize, const B: usize, const T: usize, const K: usize, const E: usize, const X: usize>
    Logic for HistoryMatch<R, B, T, K, E, X>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(
            self,
            clock,
            rows,
            match_table,
            match_found,
            match_candidate,
            outcomes,
            further_outcomes,
            targets,
            further_targets,
            expected_targets,
            follow
        );
        dff_setup!(
            self,
            clock,
            step_s2,
            step_s3,
            place_s2,
            place_s3,
            by_address_s5,
            by_history_s5
        );
        self.step_s2.d.next = self.step_in.val();
        self.place_s2.d.next = self.place.val();
        self.step_s3.d.next = self.step_s2.q.val();
        self.place_s3.d.next = self.place_s2.q.val();
        self.by_address_s5.d.next = self.by_address.val();
        self.by_history_s5.d.next = self.by_history.val();

        // Cycle 1: the match table is read and written.
        self.match_table.read_address.next = self.key.val().get_bits::<K>(0);
        self.match_table.write_address.next = self.key.val().get_bits::<K>(0);
        self.match_table.write_data.next = self.entry.val();
        self.match_table.write_enable.next = self.comes.val();
        self.match_table.clear.next = self.clear.val();
        self.match_table.clear_row.next = self.clear_row.val();
        self.rows.valid.next = self.is_outcome_in.val();
        self.rows.taken.next = self.taken_in.val();
        self.rows.place.next = self.outcome_place.val();

        // Cycle 3: what was found.
        self.match_found.entry.next = self.match_table.read_data.val();
        self.match_candidate.place.next = self.place_s3.q.val();
        self.match_candidate.found.next = self.match_found.found.val();
        self.outcomes.write.next = self.rows.write.val();
        self.outcomes.write_row.next = self.rows.write_half.val().get_bits::<B>(1);
        self.outcomes.write_odd.next = self.rows.write_half.val().get_bit(0);
        self.outcomes.write_word.next = self.rows.write_word.val();
        self.outcomes.row.next = self.match_found.outcome.val().get_bits::<B>(6);
        self.outcomes.place.next = self.match_found.outcome.val().get_bits::<ROW_PLACE_W>(0);
        self.further_outcomes.write.next = self.rows.write.val();
        self.further_outcomes.write_row.next = self.rows.write_half.val().get_bits::<B>(1);
        self.further_outcomes.write_odd.next = self.rows.write_half.val().get_bit(0);
        self.further_outcomes.write_word.next = self.rows.write_word.val();
        self.further_outcomes.row.next = self.follow.further_place.val().get_bits::<B>(6);
        self.further_outcomes.place.next =
            self.follow.further_place.val().get_bits::<ROW_PLACE_W>(0);
        self.expected_targets.step_in.next = self.step_s3.q.val();
        self.expected_targets.place_in.next = self.place_s3.q.val();
        self.expected_targets.clear.next = self.clear.val();
        self.expected_targets.clear_row.next = self.clear_row.val();

        // Cycles 5 and 6: the place that is followed.
        self.targets.read_address.next = self.match_candidate.target.val().get_bits::<T>(0);
        self.targets.write_address.next = self.follow.write_place.val().get_bits::<T>(0);
        self.targets.write_data.next = self.follow.write_word.val();
        self.targets.write_enable.next = self.follow.write_target.val();
        self.targets.clear.next = false;
        self.targets.clear_row.next = 0.into();
        self.further_targets.read_address.next =
            self.follow.further_target_place.val().get_bits::<T>(0);
        self.further_targets.write_address.next = self.follow.write_place.val().get_bits::<T>(0);
        self.further_targets.write_data.next = self.follow.write_word.val();
        self.further_targets.write_enable.next = self.follow.write_target.val();
        self.further_targets.clear.next = false;
        self.further_targets.clear_row.next = 0.into();
        self.follow.clear.next = self.clear.val();
        self.follow.step_in.next = self.expected_targets.step.val();
        self.follow.place.next = self.expected_targets.place.val();
        self.follow.expected.next = self.expected_targets.target.val();
        self.follow.confidence.next = self.expected_targets.confidence.val();
        self.follow.candidate.next = self.match_candidate.candidate.val();
        self.follow.by_address.next = self.by_address_s5.q.val();
        self.follow.by_history.next = self.by_history_s5.q.val();
        self.follow.window.next = self.outcomes.window.val();
        self.follow.target.next = self.targets.read_data.val();
        self.follow.further_window.next = self.further_outcomes.window.val();
        self.follow.further_target.next = self.further_targets.read_data.val();

        self.step.next = self.follow.step.val();
        self.is_outcome.next = self.follow.is_outcome.val();
        self.taken.next = self.follow.taken.val();
        self.outcome_context.next = self.follow.outcome_context.val();
        self.guess.next = self.follow.guess.val();
    }
}
