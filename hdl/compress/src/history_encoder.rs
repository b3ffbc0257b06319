// SPDX-License-Identifier: MIT OR Apache-2.0
//! `HistoryEncoder`: branch events to the bits of an X encoder.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `start`, `start_address[61:0]` | in | forget everything: a block begins. No beat of an event before it comes out any more; no event comes with it. The address is not used |
//! | `event_valid`, `ready` | in, out | the event is taken if both are high |
//! | `pc[61:0]` | in | address of the branch, divided by 4 |
//! | `next_pc[61:0]` | in | address of the next instruction, divided by 4 |
//! | `kind[4:0]` | in | a `BranchKind` of `coretrace_abi` |
//! | `taken` | in | the branch was taken |
//! | `is_discontinuity` | in | it is no branch, but an interruption or a gap: `pc`, `kind` and `taken` are not used |
//! | `instructions[31:0]` | in | instructions since the event before, this one included |
//! | `beat_valid`, `beat_bits[63:0]`, `beat_count[6:0]` | out | bits of the block, the first one lowest; those above the count are 0 |
//! | `beat_last` | out | the event ends with this beat |
//! | `events[31:0]`, `rest[31:0]` | out | with the last beat of an event, what a control record behind it says: events since the last record, instructions since the last event that counts |
//!
//! The first block begins with a start, too.
//!
//! | parameter | what has 2^ so many of it |
//! |---|---|
//! | `A`, `H` | pairs of counters by address and by history |
//! | `B` | pairs of words of 16 outcomes |
//! | `T` | targets of the ring |
//! | `K` | entries of the match table, of `E` bits each |
//! | `X` | expected targets |
//! | `S` | return addresses |
//!
//! `R` is the number of the preset in `coretrace_abi::compressed::history::PRESETS`.
//!
//! Latency 23 cycles. Throughput one event per cycle. An indirect branch or exception that was taken takes two
//! cycles, three with a condition, and a discontinuity two. A control record has seven beats, a target up to four:
//! three decisions and a literal. A queue levels that out; while it fills up, `ready` is low. A start takes 512
//! cycles.

use super::beat::{BEAT_BITS, BEAT_COUNT_W};
use super::branch_bits::{ADDRESS_W, INSTRUCTIONS_W, KIND_W};
use super::decision_entry::DecisionEntries;
use super::decision_queue::DecisionQueue;
use super::history_match::HistoryMatch;
use super::history_places::HistoryPlaces;
use super::history_records::HistoryRecords;
use super::history_steps::HistorySteps;
use super::outcome_counters::{OutcomeCounters, PAIR_START};
use super::outcome_probabilities::OutcomeProbabilities;
use super::outcome_ring::PAIR_PLACE_W;
use super::return_addresses::ReturnAddresses;
use super::row_memory::ROW_W;
use super::sweep::Sweep;
use super::target_guesses::TargetGuesses;
use coretrace_abi::compressed::history::PRESETS;
use coretrace_hdl_dataflow::Bus;
use rust_hdl::prelude::*;

/// The encoder X0, which is too small for most programs.
pub type HistoryEncoderX0 = HistoryEncoder<0, 8, 9, 5, 6, 8, 17, 6, 3>;
/// The encoder X1.
pub type HistoryEncoderX1 = HistoryEncoder<1, 9, 10, 9, 9, 10, 24, 8, 4>;
/// The encoder X2.
pub type HistoryEncoderX2 = HistoryEncoder<2, 11, 12, 10, 10, 11, 26, 9, 4>;

#[derive(LogicBlock)]
pub struct HistoryEncoder<
    const R: usize,
    const A: usize,
    const H: usize,
    const B: usize,
    const T: usize,
    const K: usize,
    const E: usize,
    const X: usize,
    const S: usize,
> {
    pub clock: Signal<In, Clock>,
    pub start: Signal<In, Bit>,
    pub start_address: Signal<In, Bus<ADDRESS_W>>,
    pub event_valid: Signal<In, Bit>,
    pub ready: Signal<Out, Bit>,
    pub pc: Signal<In, Bus<ADDRESS_W>>,
    pub next_pc: Signal<In, Bus<ADDRESS_W>>,
    pub kind: Signal<In, Bits<KIND_W>>,
    pub taken: Signal<In, Bit>,
    pub is_discontinuity: Signal<In, Bit>,
    pub instructions: Signal<In, Bits<INSTRUCTIONS_W>>,
    pub beat_valid: Signal<Out, Bit>,
    pub beat_bits: Signal<Out, Bus<BEAT_BITS>>,
    pub beat_count: Signal<Out, Bits<BEAT_COUNT_W>>,
    pub beat_last: Signal<Out, Bit>,
    pub events: Signal<Out, Bits<INSTRUCTIONS_W>>,
    pub rest: Signal<Out, Bits<INSTRUCTIONS_W>>,
    steps: HistorySteps<1, 1>,
    returns: ReturnAddresses<S>,
    places: HistoryPlaces<R, E>,
    by_address: OutcomeCounters<A, PAIR_START>,
    by_history: OutcomeCounters<H, PAIR_START>,
    history_match: HistoryMatch<R, B, T, K, E, X>,
    probabilities: OutcomeProbabilities,
    guesses: TargetGuesses,
    entries: DecisionEntries<1, 1>,
    queue: DecisionQueue,
    records: HistoryRecords<1, 1>,
    sweep: Sweep<ROW_W>,
    /// Cycles that are kept free behind an event.
    waits_1: DFF<Bit>,
    waits_2: DFF<Bit>,
    is_ready: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    leads: Signal<Local, Bit>,
}

impl<
    const R: usize,
    const A: usize,
    const H: usize,
    const B: usize,
    const T: usize,
    const K: usize,
    const E: usize,
    const X: usize,
    const S: usize,
> Default for HistoryEncoder<R, A, H, B, T, K, E, X, S>
{
    /// # Panics
    /// If the sizes are not those of the preset, which is a mistake at compile time.
    fn default() -> Self {
        let preset = &PRESETS[R];
        let sizes_of_rings = preset.matches;
        let sizes = [A + 1, H + 1, B + PAIR_PLACE_W, T, K, E, X, 1 << S];
        let of_preset = [
            preset.address_counter_bits,
            preset.history_counter_bits,
            sizes_of_rings.outcome_bits,
            sizes_of_rings.target_bits,
            sizes_of_rings.place_bits,
            1 + sizes_of_rings.outcome_bits + sizes_of_rings.target_bits,
            preset.table_bits,
            preset.returns as u32,
        ];
        assert_eq!(
            sizes.map(|size| size as u32),
            of_preset,
            "sizes of {}",
            preset.name
        );
        Self {
            clock: Default::default(),
            start: Default::default(),
            start_address: Default::default(),
            event_valid: Default::default(),
            ready: Default::default(),
            pc: Default::default(),
            next_pc: Default::default(),
            kind: Default::default(),
            taken: Default::default(),
            is_discontinuity: Default::default(),
            instructions: Default::default(),
            beat_valid: Default::default(),
            beat_bits: Default::default(),
            beat_count: Default::default(),
            beat_last: Default::default(),
            events: Default::default(),
            rest: Default::default(),
            steps: Default::default(),
            returns: Default::default(),
            places: Default::default(),
            by_address: Default::default(),
            by_history: Default::default(),
            history_match: Default::default(),
            probabilities: Default::default(),
            guesses: Default::default(),
            entries: Default::default(),
            queue: Default::default(),
            records: Default::default(),
            sweep: Default::default(),
            waits_1: Default::default(),
            waits_2: Default::default(),
            is_ready: Default::default(),
            takes: Default::default(),
            leads: Default::default(),
        }
    }
}

impl<
    const R: usize,
    const A: usize,
    const H: usize,
    const B: usize,
    const T: usize,
    const K: usize,
    const E: usize,
    const X: usize,
    const S: usize,
> Logic for HistoryEncoder<R, A, H, B, T, K, E, X, S>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(
            self,
            clock,
            steps,
            returns,
            places,
            by_address,
            by_history,
            history_match,
            probabilities,
            guesses,
            entries,
            queue,
            records,
            sweep
        );
        dff_setup!(self, clock, waits_1, waits_2);
        self.is_ready.next = !self.sweep.is_sweeping.val()
            & !self.waits_1.q.val()
            & !self.waits_2.q.val()
            & !self.queue.fills_up.val();
        self.ready.next = self.is_ready.val();
        self.takes.next = self.event_valid.val() & self.is_ready.val();
        self.leads.next = (self.kind.val().get_bit(1) | self.kind.val().get_bit(4))
            & self.taken.val()
            & !self.is_discontinuity.val();
        self.waits_2.d.next = self.takes.val() & self.leads.val() & self.kind.val().get_bit(0);
        self.waits_1.d.next = self.waits_2.q.val()
            | self.takes.val() & (self.is_discontinuity.val() | self.leads.val());

        // A start clears a row of all tables in each cycle.
        self.sweep.start.next = self.start.val();

        self.steps.clear.next = self.sweep.is_sweeping.val();
        self.steps.valid.next = self.takes.val();
        self.steps.pc.next = self.pc.val();
        self.steps.next_pc.next = self.next_pc.val();
        self.steps.kind.next = self.kind.val();
        self.steps.taken.next = self.taken.val();
        self.steps.is_discontinuity.next = self.is_discontinuity.val();
        self.steps.instructions.next = self.instructions.val();
        self.returns.clear.next = self.sweep.is_sweeping.val();
        self.returns.pop.next = self.steps.pops.val();
        self.returns.push.next = self.steps.pushes.val();
        self.returns.value.next = self.steps.behind.val();
        self.places.clear.next = self.sweep.is_sweeping.val();
        self.places.step_in.next = self.steps.step.val();
        self.places.top.next = self.returns.top.val();
        self.places.has_top.next = self.returns.has_top.val();

        // Stage 1: the counters.
        self.by_address.valid.next = self.places.is_outcome.val();
        self.by_address.pair.next = self.places.by_address.val().get_bits::<A>(1);
        self.by_address.is_high.next = self.places.by_address.val().get_bit(0);
        self.by_address.taken.next = self.places.taken.val();
        self.by_address.clear.next = self.sweep.is_sweeping.val();
        self.by_address.clear_row.next = self.sweep.row.val();
        self.by_history.valid.next = self.places.is_outcome.val();
        self.by_history.pair.next = self.places.by_history.val().get_bits::<H>(1);
        self.by_history.is_high.next = self.places.by_history.val().get_bit(0);
        self.by_history.taken.next = self.places.taken.val();
        self.by_history.clear.next = self.sweep.is_sweeping.val();
        self.by_history.clear_row.next = self.sweep.row.val();

        self.history_match.clear.next = self.sweep.is_sweeping.val();
        self.history_match.clear_row.next = self.sweep.row.val();
        self.history_match.step_in.next = self.places.step.val();
        self.history_match.place.next = self.places.place.val();
        self.history_match.is_outcome_in.next = self.places.is_outcome.val();
        self.history_match.taken_in.next = self.places.taken.val();
        self.history_match.comes.next = self.places.comes.val();
        self.history_match.outcome_place.next = self.places.outcome_place.val();
        self.history_match.key.next = self.places.key.val();
        self.history_match.entry.next = self.places.entry.val();
        self.history_match.by_address.next = self.by_address.counter.val();
        self.history_match.by_history.next = self.by_history.counter.val();

        // Stages 7 to 10: decisions.
        self.probabilities.valid.next = self.history_match.is_outcome.val();
        self.probabilities.outcome_context.next = self.history_match.outcome_context.val();
        self.probabilities.taken.next = self.history_match.taken.val();
        self.probabilities.clear.next = self.sweep.is_sweeping.val();
        self.probabilities.clear_row.next = self.sweep.row.val();
        self.guesses.step_in.next = self.history_match.step.val();
        self.guesses.guess.next = self.history_match.guess.val();
        self.guesses.clear.next = self.sweep.is_sweeping.val();
        self.guesses.clear_place.next = self.sweep.row.val().get_bits::<5>(0);
        self.entries.step.next = self.guesses.step.val();
        self.entries.decisions.next = self.guesses.decisions.val();
        self.entries.is_sure.next = self.probabilities.is_sure.val();
        self.entries.is_right.next = self.probabilities.is_right.val();
        self.entries.is_flag_sure.next = false;
        self.entries.is_flag_right.next = false;

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
        self.rest.next = self.records.rest.val();
    }
}
