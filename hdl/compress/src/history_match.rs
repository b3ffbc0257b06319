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

use super::candidate_search::CandidateSearch;
use super::history_places::{HISTORY_PLACE_W, PLACE_BITS};
use super::history_steps::HISTORY_STEP_W;
use super::match_follow::MatchFollow;
use super::outcome_counters::COUNTER_W;
use super::outcome_history::OutcomeHistory;
use super::outcome_probabilities::CONTEXT_W;
use super::row_memory::ROW_W;
use super::target_guess::TARGET_GUESS_W;
use super::target_history::TargetHistory;
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
    search: CandidateSearch<R, K, E, X>,
    outcomes: OutcomeHistory<B>,
    targets: TargetHistory<T>,
    follow: MatchFollow<R, 1>,
    by_address_s5: DFF<Bits<COUNTER_W>>,
    by_history_s5: DFF<Bits<COUNTER_W>>,
}

impl<const R: usize, const B: usize, const T: usize, const K: usize, const E: usize, const X: usize>
    Logic for HistoryMatch<R, B, T, K, E, X>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, search, outcomes, targets, follow);
        dff_setup!(self, clock, by_address_s5, by_history_s5);
        self.by_address_s5.d.next = self.by_address.val();
        self.by_history_s5.d.next = self.by_history.val();

        // Cycles 1 to 4: candidates.
        self.search.clear.next = self.clear.val();
        self.search.clear_row.next = self.clear_row.val();
        self.search.step_in.next = self.step_in.val();
        self.search.place_in.next = self.place.val();
        self.search.comes.next = self.comes.val();
        self.search.key.next = self.key.val();
        self.search.entry.next = self.entry.val();
        self.outcomes.valid.next = self.is_outcome_in.val();
        self.outcomes.taken.next = self.taken_in.val();
        self.outcomes.outcome_place.next = self.outcome_place.val();
        self.outcomes.candidate_place.next = self.search.outcome.val();
        self.outcomes.further_request.next = self.follow.further_request.val();
        self.outcomes.further_number.next = self.follow.further_number.val();

        // Cycles 5 and 6: the place that is followed.
        self.targets.candidate_place.next = self.search.target.val();
        self.targets.further_place.next = self.follow.further_target_place.val();
        self.targets.write_target.next = self.follow.write_target.val();
        self.targets.write_place.next = self.follow.write_place.val();
        self.targets.write_word.next = self.follow.write_word.val();
        self.follow.clear.next = self.clear.val();
        self.follow.step_in.next = self.search.step.val();
        self.follow.place.next = self.search.place.val();
        self.follow.expected.next = self.search.expected.val();
        self.follow.confidence.next = self.search.confidence.val();
        self.follow.candidate.next = self.search.candidate.val();
        self.follow.by_address.next = self.by_address_s5.q.val();
        self.follow.by_history.next = self.by_history_s5.q.val();
        self.follow.word.next = self.outcomes.word.val();
        self.follow.behind.next = self.outcomes.behind.val();
        self.follow.target.next = self.targets.target.val();
        self.follow.further_valid.next = self.outcomes.further_valid.val();
        self.follow.further_word.next = self.outcomes.further_word.val();
        self.follow.further_target.next = self.targets.further_target.val();

        self.step.next = self.follow.step.val();
        self.is_outcome.next = self.follow.is_outcome.val();
        self.taken.next = self.follow.taken.val();
        self.outcome_context.next = self.follow.outcome_context.val();
        self.guess.next = self.follow.guess.val();
    }
}
