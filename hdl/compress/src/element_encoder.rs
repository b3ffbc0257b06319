// SPDX-License-Identifier: MIT OR Apache-2.0
//! `ElementEncoder`: elements of a trace unit, and bytes of the packets between them, to the bits of XE, without a
//! program image.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `start` | in | forget everything: a block begins. No beat of an element before it comes out any more; no element comes with it |
//! | `element_valid`, `ready` | in, out | the element is taken if both are high |
//! | `is_bytes` | in | it is no element, but bytes: `taken` and `has_address` are not used |
//! | `taken` | in | its atom is an E |
//! | `has_address` | in | an address follows the E; not used with an N |
//! | `address[61:0]` | in | that address, divided by 4; of bytes their number less 1 in bits 4:0, and from bit 5 on up to 7 bytes, with zeros above them |
//! | `beat_valid`, `beat_bits[63:0]`, `beat_count[6:0]` | out | bits of the block, the first one lowest; those above the count are 0 |
//! | `beat_last` | out | the element ends with this beat |
//! | `events[31:0]` | out | with the last beat of an element: elements since the last record, as a control record behind it says |
//!
//! The first block begins with a start, too. Sizes are those of `coretrace_abi::compressed::history::elements`.
//!
//! Latency 23 cycles. Throughput one element per cycle; one with an address takes two cycles, and so do bytes,
//! which are six slots of the queue in front of the records. An E is one slot of
//! the queue, or two if its atom is not the expected one, and an address up to three: a queue
//! levels that out; while it fills up, `ready` is low. A start takes 512 cycles. The model is
//! `coretrace_compress::Elements`.

use super::beat::{BEAT_BITS, BEAT_COUNT_W};
use super::branch_bits::{ADDRESS_W, INSTRUCTIONS_W};
use super::decision_entry::DecisionEntries;
use super::decision_queue::DecisionQueue;
use super::element_match::ElementMatch;
use super::element_places::ElementPlaces;
use super::element_steps::ElementSteps;
use super::history_records::HistoryRecords;
use super::outcome_counters::{OutcomeCounters, PAIR_START};
use super::outcome_probabilities::OutcomeProbabilities;
use super::outcome_ring::PAIR_PLACE_W;
use super::row_memory::ROW_W;
use super::sweep::Sweep;
use super::target_guesses::TargetGuesses;
use coretrace_abi::compressed::history::elements::{
    ADDRESS_COUNTER_BITS, ADDRESS_START, HISTORY_COUNTER_BITS, MATCHES, TABLE_BITS,
};
use coretrace_hdl_dataflow::Bus;
use rust_hdl::prelude::*;

/// Address bits of pairs of counters, by address and by history.
const BY_ADDRESS_A: usize = ADDRESS_COUNTER_BITS as usize - 1;
const BY_HISTORY_A: usize = HISTORY_COUNTER_BITS as usize - 1;
/// Where two counters of flags start.
const FLAG_PAIR_START: u64 = {
    assert!(ADDRESS_START == 0, "a pair has two of them");
    0
};
/// Address bits of pairs of words of outcomes, of the ring of addresses and of the match table.
const PAIRS_A: usize = MATCHES.outcome_bits as usize - PAIR_PLACE_W;
const TARGETS_A: usize = MATCHES.target_bits as usize;
const PLACES_A: usize = MATCHES.place_bits as usize;
/// Bits of an entry of the match table.
const ENTRY_W: usize = 1 + (MATCHES.outcome_bits + MATCHES.target_bits) as usize;
/// Address bits of expected addresses.
const TABLE_A: usize = TABLE_BITS as usize;

#[derive(LogicBlock, Default)]
pub struct ElementEncoder {
    pub clock: Signal<In, Clock>,
    pub start: Signal<In, Bit>,
    pub element_valid: Signal<In, Bit>,
    pub ready: Signal<Out, Bit>,
    pub is_bytes: Signal<In, Bit>,
    pub taken: Signal<In, Bit>,
    pub has_address: Signal<In, Bit>,
    pub address: Signal<In, Bus<ADDRESS_W>>,
    pub beat_valid: Signal<Out, Bit>,
    pub beat_bits: Signal<Out, Bus<BEAT_BITS>>,
    pub beat_count: Signal<Out, Bits<BEAT_COUNT_W>>,
    pub beat_last: Signal<Out, Bit>,
    pub events: Signal<Out, Bits<INSTRUCTIONS_W>>,
    steps: ElementSteps<1, 1>,
    places: ElementPlaces<1, ENTRY_W>,
    by_address: OutcomeCounters<BY_ADDRESS_A, PAIR_START>,
    by_history: OutcomeCounters<BY_HISTORY_A, PAIR_START>,
    of_addresses: OutcomeCounters<BY_HISTORY_A, FLAG_PAIR_START>,
    element_match: ElementMatch<PAIRS_A, TARGETS_A, PLACES_A, ENTRY_W, TABLE_A>,
    atoms: OutcomeProbabilities,
    flags: OutcomeProbabilities,
    guesses: TargetGuesses,
    entries: DecisionEntries<1, 1>,
    queue: DecisionQueue,
    records: HistoryRecords<1, 1>,
    sweep: Sweep<ROW_W>,
    /// The address of an element takes this cycle.
    waits: DFF<Bit>,
    is_ready: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
}

impl Logic for ElementEncoder {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(
            self,
            clock,
            steps,
            places,
            by_address,
            by_history,
            of_addresses,
            element_match,
            atoms,
            flags,
            guesses,
            entries,
            queue,
            records,
            sweep
        );
        dff_setup!(self, clock, waits);
        self.is_ready.next =
            !self.sweep.is_sweeping.val() & !self.waits.q.val() & !self.queue.fills_up.val();
        self.ready.next = self.is_ready.val();
        self.takes.next = self.element_valid.val() & self.is_ready.val();
        self.waits.d.next =
            self.takes.val() & (self.is_bytes.val() | self.taken.val() & self.has_address.val());

        // A start clears a row of all tables in each cycle.
        self.sweep.start.next = self.start.val();

        self.steps.clear.next = self.sweep.is_sweeping.val();
        self.steps.valid.next = self.takes.val();
        self.steps.is_bytes.next = self.is_bytes.val();
        self.steps.taken.next = self.taken.val();
        self.steps.has_address.next = self.has_address.val();
        self.steps.address.next = self.address.val();
        self.places.clear.next = self.sweep.is_sweeping.val();
        self.places.step_in.next = self.steps.step.val();

        // Stage 1: the counters.
        self.by_address.valid.next = self.places.is_atom.val();
        self.by_address.pair.next = self.places.by_address.val().get_bits::<BY_ADDRESS_A>(1);
        self.by_address.is_high.next = self.places.by_address.val().get_bit(0);
        self.by_address.taken.next = self.places.taken.val();
        self.by_address.clear.next = self.sweep.is_sweeping.val();
        self.by_address.clear_row.next = self.sweep.row.val();
        self.by_history.valid.next = self.places.is_atom.val();
        self.by_history.pair.next = self.places.by_history.val().get_bits::<BY_HISTORY_A>(1);
        self.by_history.is_high.next = self.places.by_history.val().get_bit(0);
        self.by_history.taken.next = self.places.taken.val();
        self.by_history.clear.next = self.sweep.is_sweeping.val();
        self.by_history.clear_row.next = self.sweep.row.val();
        self.of_addresses.valid.next = self.places.has_flag.val();
        self.of_addresses.pair.next = self.places.by_history.val().get_bits::<BY_HISTORY_A>(1);
        self.of_addresses.is_high.next = self.places.by_history.val().get_bit(0);
        self.of_addresses.taken.next = self.places.has_address.val();
        self.of_addresses.clear.next = self.sweep.is_sweeping.val();
        self.of_addresses.clear_row.next = self.sweep.row.val();

        self.element_match.clear.next = self.sweep.is_sweeping.val();
        self.element_match.clear_row.next = self.sweep.row.val();
        self.element_match.step_in.next = self.places.step.val();
        self.element_match.place.next = self.places.place.val();
        self.element_match.is_atom_in.next = self.places.is_atom.val();
        self.element_match.taken_in.next = self.places.taken.val();
        self.element_match.has_address_in.next = self.places.has_address.val();
        self.element_match.comes.next = self.places.comes.val();
        self.element_match.outcome_place.next = self.places.outcome_place.val();
        self.element_match.key.next = self.places.key.val();
        self.element_match.entry.next = self.places.entry.val();
        self.element_match.by_address.next = self.by_address.counter.val();
        self.element_match.by_history.next = self.by_history.counter.val();
        self.element_match.of_addresses.next = self.of_addresses.counter.val();

        // Stages 7 to 10: decisions.
        self.atoms.valid.next = self.element_match.is_atom.val();
        self.atoms.outcome_context.next = self.element_match.atom_context.val();
        self.atoms.taken.next = self.element_match.taken.val();
        self.atoms.clear.next = self.sweep.is_sweeping.val();
        self.atoms.clear_row.next = self.sweep.row.val();
        self.flags.valid.next = self.element_match.has_flag.val();
        self.flags.outcome_context.next = self.element_match.flag_context.val();
        self.flags.taken.next = self.element_match.has_address.val();
        self.flags.clear.next = self.sweep.is_sweeping.val();
        self.flags.clear_row.next = self.sweep.row.val();
        self.guesses.step_in.next = self.element_match.step.val();
        self.guesses.guess.next = self.element_match.guess.val();
        self.guesses.clear.next = self.sweep.is_sweeping.val();
        self.guesses.clear_place.next = self.sweep.row.val().get_bits::<5>(0);
        self.entries.step.next = self.guesses.step.val();
        self.entries.decisions.next = self.guesses.decisions.val();
        self.entries.is_sure.next = self.atoms.is_sure.val();
        self.entries.is_right.next = self.atoms.is_right.val();
        self.entries.is_flag_sure.next = self.flags.is_sure.val();
        self.entries.is_flag_right.next = self.flags.is_right.val();

        // What is on its way at a start comes out while the tables are cleared.
        self.queue.clear.next = self.sweep.is_sweeping.val();
        self.queue.valid.next = self.entries.valid.val() & !self.sweep.is_sweeping.val();
        self.queue.entry.next = self.entries.entry.val();
        self.queue.value.next = self.entries.value.val();
        self.records.clear.next = self.sweep.is_sweeping.val();
        self.records.slot.next = self.queue.slot.val();
        self.beat_valid.next = self.records.beat_valid.val() & !self.sweep.is_sweeping.val();
        self.beat_bits.next = self.records.beat_bits.val();
        self.beat_count.next = self.records.beat_count.val();
        self.beat_last.next = self.records.beat_last.val();
        self.events.next = self.records.events.val();
    }
}
