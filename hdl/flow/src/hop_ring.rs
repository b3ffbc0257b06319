// SPDX-License-Identifier: MIT OR Apache-2.0
//! `HopRing`: hops in; the newest 64 of them out once a trigger has frozen them: a branch record in hardware.
//! The model is `HopRing` of `coretrace-sites`.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset`, `arm`, `freeze_after[31:0]`, `hop`, `at[SW-1:0]`, ... | in | see [`HopRecord`] |
//! | `entry_valid`, `entry`, `entry_ready` | | the oldest hop of the frozen ring that was not taken, as a [`BeatEntry`] |
//! | `frozen`, `froze`, `events[31:0]` | out | it does not record; for one cycle: a trigger froze it; triggers that are events, saturating |
//!
//! ```text
//! hop ─▶ HopRecord ─▶ 64 records ─▶ HopEntry ─▶ entry
//! ```
//!
//! What a frozen ring holds stays until `arm`, so that it may wait for a reader as long as it must. An `arm`
//! before all of it was taken ends it early.
//!
//! Latency 2 cycles from the hop of the trigger to `froze`. Throughput one hop per cycle in, one entry in two
//! cycles out.

use super::beat_entry::{BEAT_ENTRY_W, BeatEntry};
use super::hop_record::{EVENTS_W, HopRecord, RECORD_W, Record};
use super::walk_report::{HOP_W, INDIRECT_W};
use coretrace_abi::flow_stream::RING_HOPS;
use coretrace_hdl_dataflow::{Bus, Word, join, kernel_block};
use coretrace_hdl_parts::stream::SaturatingCounter;
use rust_hdl::prelude::*;

/// Address bits of the ring.
const PLACES_W: usize = RING_HOPS.ilog2() as usize;
// Bit 6 of a level: it is full.
const _: () = assert!(PLACES_W == 6);
/// Bits of the number of hops in it.
const LEVEL_W: usize = PLACES_W + 1;

#[derive(LogicBlock, Default)]
pub struct HopRing<const SW: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub arm: Signal<In, Bit>,
    pub freeze_after: Signal<In, Bits<32>>,
    pub hop: Signal<In, Bus<HOP_W>>,
    pub at: Signal<In, Bits<SW>>,
    pub base: Signal<In, Bits<SW>>,
    pub indirect: Signal<In, Bus<INDIRECT_W>>,
    pub atoms: Signal<In, Bits<32>>,
    pub entry_valid: Signal<Out, Bit>,
    pub entry: Signal<Out, Bus<BEAT_ENTRY_W>>,
    pub entry_ready: Signal<In, Bit>,
    pub frozen: Signal<Out, Bit>,
    pub froze: Signal<Out, Bit>,
    pub events: Signal<Out, Bits<32>>,
    record: HopRecord<SW, 1>,
    word: HopEntry<1>,
    records: RAM<Bus<RECORD_W>, PLACES_W>,
    counter: SaturatingCounter<EVENTS_W>,
    place: DFF<Bits<PLACES_W>>,
    /// Hops that it holds; once it is frozen, those that were not taken.
    level: DFF<Bits<LEVEL_W>>,
    /// Its last hop has been written; hops are taken, and the next one is the first.
    starts: DFF<Bit>,
    reading: DFF<Bit>,
    is_first: DFF<Bit>,
    read_place: DFF<Bits<PLACES_W>>,
    /// The memory puts that place out.
    loaded: DFF<Bit>,
    takes: Signal<Local, Bit>,
}

impl<const SW: usize> Logic for HopRing<SW> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, record, counter);
        dff_setup!(
            self, clock, place, level, starts, reading, is_first, read_place, loaded
        );
        self.record.reset.next = self.reset.val();
        self.record.arm.next = self.arm.val();
        self.record.freeze_after.next = self.freeze_after.val();
        self.record.hop.next = self.hop.val();
        self.record.at.next = self.at.val();
        self.record.base.next = self.base.val();
        self.record.indirect.next = self.indirect.val();
        self.record.atoms.next = self.atoms.val();
        self.frozen.next = self.record.frozen.val();
        self.froze.next = self.record.freezes.val();
        self.counter.reset.next = self.record.armed.val();
        self.counter.clear.next = false;
        self.counter.amount.next = self.record.events.val();
        self.events.next = self.counter.count.val();

        self.records.write_clock.next = self.clock.val();
        self.records.write_address.next = self.place.q.val();
        self.records.write_data.next = self.record.record.val();
        self.records.write_enable.next = self.record.writes.val();
        self.records.read_clock.next = self.clock.val();
        self.records.read_address.next = self.read_place.q.val();
        self.takes.next = self.loaded.q.val() & self.entry_ready.val();
        self.entry_valid.next = self.loaded.q.val();
        self.word.record.next = self.records.read_data.val();
        self.word.atoms.next = self.record.frozen_atoms.val();
        self.word.is_first.next = self.is_first.q.val();
        self.word.is_last.next = self.level.q.val() == 1;
        self.entry.next = self.word.entry.val();

        if self.record.writes.val() {
            self.place.d.next = self.place.q.val() + 1;
            if !self.level.q.val().get_bit(6) {
                self.level.d.next = self.level.q.val() + 1;
            }
        }
        self.starts.d.next = self.record.freezes.val();
        if self.starts.q.val() {
            self.read_place.d.next =
                self.place.q.val() - self.level.q.val().get_bits::<PLACES_W>(0);
            self.reading.d.next = true;
            self.is_first.d.next = true;
        }
        self.loaded.d.next = self.reading.q.val() & self.level.q.val().any() & !self.takes.val();
        if self.takes.val() {
            self.read_place.d.next = self.read_place.q.val() + 1;
            self.level.d.next = self.level.q.val() - 1;
            self.is_first.d.next = false;
        }
        if self.record.armed.val() {
            self.level.d.next = 0.into();
            self.starts.d.next = false;
            self.reading.d.next = false;
            self.loaded.d.next = false;
        }
    }
}

kernel_block! {
    /// A record of the ring as a [`BeatEntry`].
    pub struct HopEntry;
    inputs EntryInputs { record: Bus<RECORD_W>, atoms: Bits<32>, is_first: Bit, is_last: Bit, }
    lane_inputs {}
    outputs EntryOutputs { entry: Bus<BEAT_ENTRY_W>, }
    lane_outputs {}
    kernel hop_entry;
}

fn hop_entry<T: Word, const N: usize>(i: EntryInputs<T::Port, N>) -> EntryOutputs<T, N> {
    let record = Record::<T>::unpack(&i.record);
    let bit = |port: &T::Port| T::field(port, 0, 1);
    let none = T::constant(0, 1);
    let flags = [
        record.begins,
        record.is_taken,
        bit(&i.is_last),
        bit(&i.is_first),
    ];
    let entry = BeatEntry {
        is_end: none,
        is_hop: T::constant(1, 1),
        missed: none,
        flags: join(flags),
        site: record.site,
        target: record.branch,
        count: T::field(&i.atoms, 0, 32),
    };
    EntryOutputs {
        entry: entry.pack(),
    }
}
