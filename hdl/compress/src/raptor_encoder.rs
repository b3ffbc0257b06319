// SPDX-License-Identifier: MIT OR Apache-2.0
//! `RaptorEncoder`: branch events to the bits of a T-raptor encoder.
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
//! | `rest[31:0]` | out | instructions since the last record, the event of the beat included |
//! | `beat_overflows` | out | with that event they are 2^32 or more: a block ends in front of it |
//!
//! `R` is the number of the preset in `coretrace_abi::compressed::raptor::PRESETS`, 2^C are half of its counters, 2^S the
//! sets of its targets (any number if it has none).
//!
//! Latency 8 cycles. Throughput one event per cycle; an event that may send a target takes three: an indirect branch
//! that was taken, an exception, a discontinuity. A start takes 2^C + 1 cycles: 257 for M4.

use super::beat::{BEAT_BITS, BEAT_COUNT_W};
use super::branch_bits::{ADDRESS_W, INSTRUCTIONS_W, KIND_W};
use super::raptor_counter::RaptorCounter;
use super::raptor_places::RaptorPlaces;
use super::raptor_records::RaptorRecords;
use super::raptor_targets::RaptorTargets;
use super::return_addresses::ReturnAddresses;
use super::sweep::Sweep;
use super::target_way::TargetWay;
use coretrace_abi::compressed::raptor::{PRESETS, WAYS};
use coretrace_hdl_dataflow::Bus;
use coretrace_hdl_parts::stream::LutMemory;
use rust_hdl::prelude::*;

/// Address bits of the return addresses.
const RETURNS_A: usize = 3;

#[derive(LogicBlock)]
pub struct RaptorEncoder<const R: usize, const C: usize, const S: usize> {
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
    pub rest: Signal<Out, Bits<INSTRUCTIONS_W>>,
    pub beat_overflows: Signal<Out, Bit>,
    places: RaptorPlaces<C, S>,
    lower_counters: LutMemory<C, 2>,
    upper_counters: LutMemory<C, 2>,
    counter: RaptorCounter<1>,
    returns: ReturnAddresses<RETURNS_A>,
    way_0: TargetWay<S>,
    way_1: TargetWay<S>,
    older: LutMemory<S, 1>,
    targets: RaptorTargets<R, S>,
    records: RaptorRecords<R, 1>,
    /// The counter that is reset next.
    sweep: Sweep<C>,
    /// Cycles that are kept free behind an event.
    is_long: DFF<Bit>,
    was_long: DFF<Bit>,
    takes: Signal<Local, Bit>,
}

impl<const R: usize, const C: usize, const S: usize> Default for RaptorEncoder<R, C, S> {
    /// # Panics
    /// If the sizes are not those of the preset, which is a mistake at compile time.
    fn default() -> Self {
        let preset = &PRESETS[R];
        assert_eq!(preset.counters, 2 << C, "counters of {}", preset.name);
        assert!(
            [0, WAYS << S].contains(&preset.targets),
            "targets of {}",
            preset.name
        );
        assert!(
            [0, 1 << RETURNS_A].contains(&preset.returns),
            "returns of {}",
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
            rest: Default::default(),
            beat_overflows: Default::default(),
            places: Default::default(),
            lower_counters: Default::default(),
            upper_counters: Default::default(),
            counter: Default::default(),
            returns: Default::default(),
            way_0: Default::default(),
            way_1: Default::default(),
            older: Default::default(),
            targets: Default::default(),
            records: Default::default(),
            sweep: Default::default(),
            is_long: Default::default(),
            was_long: Default::default(),
            takes: Default::default(),
        }
    }
}

impl<const R: usize, const C: usize, const S: usize> Logic for RaptorEncoder<R, C, S> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(
            self,
            clock,
            places,
            lower_counters,
            upper_counters,
            returns,
            way_0,
            way_1,
            older,
            targets,
            records,
            sweep
        );
        dff_setup!(self, clock, is_long, was_long);
        self.ready.next =
            !self.sweep.is_sweeping.val() & !self.is_long.q.val() & !self.was_long.q.val();
        self.takes.next = self.event_valid.val()
            & !self.sweep.is_sweeping.val()
            & !self.is_long.q.val()
            & !self.was_long.q.val();
        self.is_long.d.next = self.takes.val()
            & (self.is_discontinuity.val()
                | self.kind.val().get_bit(4)
                | self.kind.val().get_bit(1) & self.taken.val());
        self.was_long.d.next = self.is_long.q.val();

        self.places.start.next = self.start.val();
        self.places.valid.next = self.takes.val();
        self.places.pc.next = self.pc.val();
        self.places.next_pc.next = self.next_pc.val();
        self.places.kind.next = self.kind.val();
        self.places.taken.next = self.taken.val();
        self.places.is_discontinuity.next = self.is_discontinuity.val();
        self.places.instructions.next = self.instructions.val();

        // A start clears a row of the counters and a set of targets in each cycle.
        self.sweep.start.next = self.start.val();
        self.places.clears.next = self.sweep.is_sweeping.val();
        self.places.row.next = self.sweep.row.val();

        // The outcome of a condition: a counter is read and written in the same cycle.
        self.lower_counters.read_address.next = self.places.counter_place.val();
        self.upper_counters.read_address.next = self.places.counter_place.val();
        self.counter.step.next = self.places.step.val();
        self.counter.is_upper.next = self.places.is_upper.val();
        self.counter.counter.next = self.lower_counters.read_data.val();
        if self.places.is_upper.val() {
            self.counter.counter.next = self.upper_counters.read_data.val();
        }
        self.lower_counters.write_address.next = self.places.counter_place.val();
        self.lower_counters.write_data.next = self.counter.learnt.val();
        self.lower_counters.write_enable.next = self.counter.write_lower.val();
        self.upper_counters.write_address.next = self.places.counter_place.val();
        self.upper_counters.write_data.next = self.counter.learnt.val();
        self.upper_counters.write_enable.next = self.counter.write_upper.val();

        // Where an indirect branch leads.
        self.returns.clear.next = self.start.val();
        self.returns.pop.next = self.places.pops.val();
        self.returns.push.next = self.places.pushes.val();
        self.returns.value.next = self.places.behind.val();
        self.way_0.set.next = self.places.set.val();
        self.way_0.write.next = self.targets.write_0.val();
        self.way_0.write_set.next = self.targets.write_set.val();
        self.way_0.write_tag.next = self.targets.write_tag.val();
        self.way_0.write_target.next = self.targets.write_target.val();
        self.way_1.set.next = self.places.set.val();
        self.way_1.write.next = self.targets.write_1.val();
        self.way_1.write_set.next = self.targets.write_set.val();
        self.way_1.write_tag.next = self.targets.write_tag.val();
        self.way_1.write_target.next = self.targets.write_target.val();
        // Way 0 is the older one once way 1 is written, and where both are cleared.
        self.older.read_address.next = self.places.set.val();
        self.older.write_address.next = self.targets.write_set.val();
        self.older.write_data.next = 0.into();
        if self.targets.write_0.val() & !self.targets.write_1.val() {
            self.older.write_data.next = 1.into();
        }
        self.older.write_enable.next = self.targets.write_0.val() | self.targets.write_1.val();

        self.targets.step.next = self.places.step.val();
        self.targets.set.next = self.places.set.val();
        self.targets.tag.next = self.places.tag.val();
        self.targets.is_surprise.next = self.counter.is_surprise.val();
        self.targets.top.next = self.returns.top.val();
        self.targets.has_top.next = self.returns.has_top.val();
        self.targets.older.next = self.older.read_data.val();
        self.targets.tag_0.next = self.way_0.tag.val();
        self.targets.tag_1.next = self.way_1.tag.val();
        self.targets.target_0.next = self.way_0.target.val();
        self.targets.target_1.next = self.way_1.target.val();

        // What is on its way at a start comes out while the tables are reset.
        self.records.start.next = self.sweep.is_sweeping.val();
        self.records.decision.next = self.targets.decision.val();
        self.beat_valid.next = self.records.beat_valid.val() & !self.sweep.is_sweeping.val();
        self.beat_bits.next = self.records.beat_bits.val();
        self.beat_count.next = self.records.beat_count.val();
        self.beat_last.next = self.records.beat_last.val();
        self.rest.next = self.records.rest.val();
        self.beat_overflows.next = self.records.overflows.val();
    }
}
