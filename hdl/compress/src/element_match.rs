// SPDX-License-Identifier: MIT OR Apache-2.0
//! `ElementMatch`: what is known of a step of an element: an earlier place at which the same elements came, and the
//! address that is expected.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clear`, `clear_row[8:0]` | in | nothing is followed, a row of the tables is empty |
//! | `step_in` to `entry` | in | as from [`ElementPlaces`](super::ElementPlaces) |
//! | `by_address[2:0]`, `by_history[2:0]`, `of_addresses[2:0]` | in | three cycles later: the counters of its atom, and that of its flag |
//! | `step` to `guess` | out | as from [`ElementFollow`](super::ElementFollow) |
//!
//! 2^B are the pairs of words of 16 outcomes of each kind, 2^T the addresses of the ring, 2^K the entries of the match table,
//! of `E` bits each, 2^X the expected addresses.
//!
//! Latency 6 cycles. Throughput one step per cycle.

use super::candidate_search::CandidateSearch;
use super::element_follow::ElementFollow;
use super::history_places::{HISTORY_PLACE_W, PLACE_BITS};
use super::history_steps::HISTORY_STEP_W;
use super::match_sizes::ELEMENTS;
use super::outcome_counters::COUNTER_W;
use super::outcome_history::OutcomeHistory;
use super::outcome_probabilities::CONTEXT_W;
use super::row_memory::ROW_W;
use super::target_guess::TARGET_GUESS_W;
use super::target_history::TargetHistory;
use coretrace_hdl_dataflow::Bus;
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
pub struct ElementMatch<
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
    pub is_atom_in: Signal<In, Bit>,
    pub taken_in: Signal<In, Bit>,
    pub has_address_in: Signal<In, Bit>,
    pub comes: Signal<In, Bit>,
    pub outcome_place: Signal<In, Bits<PLACE_BITS>>,
    pub key: Signal<In, Bits<PLACE_BITS>>,
    pub entry: Signal<In, Bus<E>>,
    pub by_address: Signal<In, Bits<COUNTER_W>>,
    pub by_history: Signal<In, Bits<COUNTER_W>>,
    pub of_addresses: Signal<In, Bits<COUNTER_W>>,
    pub step: Signal<Out, Bus<HISTORY_STEP_W>>,
    pub is_atom: Signal<Out, Bit>,
    pub taken: Signal<Out, Bit>,
    pub has_flag: Signal<Out, Bit>,
    pub has_address: Signal<Out, Bit>,
    pub atom_context: Signal<Out, Bits<CONTEXT_W>>,
    pub flag_context: Signal<Out, Bits<CONTEXT_W>>,
    pub guess: Signal<Out, Bus<TARGET_GUESS_W>>,
    search: CandidateSearch<ELEMENTS, K, E, X>,
    atoms: OutcomeHistory<B>,
    flags: OutcomeHistory<B>,
    targets: TargetHistory<T>,
    follow: ElementFollow<1, 1>,
    by_address_s5: DFF<Bits<COUNTER_W>>,
    by_history_s5: DFF<Bits<COUNTER_W>>,
    of_addresses_s5: DFF<Bits<COUNTER_W>>,
}

impl<const B: usize, const T: usize, const K: usize, const E: usize, const X: usize> Logic
    for ElementMatch<B, T, K, E, X>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, search, atoms, flags, targets, follow);
        dff_setup!(self, clock, by_address_s5, by_history_s5, of_addresses_s5);
        self.by_address_s5.d.next = self.by_address.val();
        self.by_history_s5.d.next = self.by_history.val();
        self.of_addresses_s5.d.next = self.of_addresses.val();

        // Cycles 1 to 4: candidates.
        self.search.clear.next = self.clear.val();
        self.search.clear_row.next = self.clear_row.val();
        self.search.step_in.next = self.step_in.val();
        self.search.place_in.next = self.place.val();
        self.search.comes.next = self.comes.val();
        self.search.key.next = self.key.val();
        self.search.entry.next = self.entry.val();
        self.atoms.valid.next = self.is_atom_in.val();
        self.atoms.taken.next = self.taken_in.val();
        self.atoms.outcome_place.next = self.outcome_place.val();
        self.atoms.candidate_place.next = self.search.outcome.val();
        self.atoms.further_request.next = self.follow.further_request.val();
        self.atoms.further_number.next = self.follow.further_number.val();
        self.flags.valid.next = self.is_atom_in.val();
        self.flags.taken.next = self.has_address_in.val();
        self.flags.outcome_place.next = self.outcome_place.val();
        self.flags.candidate_place.next = self.search.outcome.val();
        self.flags.further_request.next = self.follow.further_request.val();
        self.flags.further_number.next = self.follow.further_number.val();

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
        self.follow.of_addresses.next = self.of_addresses_s5.q.val();
        self.follow.atoms.next = self.atoms.word.val();
        self.follow.atoms_behind.next = self.atoms.behind.val();
        self.follow.flags.next = self.flags.word.val();
        self.follow.flags_behind.next = self.flags.behind.val();
        // Both kinds are written at the same places.
        self.follow.further_valid.next = self.atoms.further_valid.val();
        self.follow.further_atoms.next = self.atoms.further_word.val();
        self.follow.further_flags.next = self.flags.further_word.val();
        self.follow.target.next = self.targets.target.val();
        self.follow.further_target.next = self.targets.further_target.val();

        self.step.next = self.follow.step.val();
        self.is_atom.next = self.follow.is_atom.val();
        self.taken.next = self.follow.taken.val();
        self.has_flag.next = self.follow.has_flag.val();
        self.has_address.next = self.follow.has_address.val();
        self.atom_context.next = self.follow.atom_context.val();
        self.flag_context.next = self.follow.flag_context.val();
        self.guess.next = self.follow.guess.val();
    }
}
