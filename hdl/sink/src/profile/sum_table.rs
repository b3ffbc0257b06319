// SPDX-License-Identifier: MIT OR Apache-2.0
//! `SumTable`: sums of 512 keys in block RAM.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high; it leaves the sums alone: flush the table first |
//! | `evt`, `counts` | in | [`Event`](super::events::Event); it is there |
//! | `flush`, `walk[8:0]` | in | instead of an event: empty this place |
//! | `entry_valid`, `entry` | out | [`SumEntry`](super::sum_step::SumEntry) that has left the table |
//!
//! Latency 4 cycles to the entry, 5 to the place. Throughput one event per cycle, whatever its key.

use super::SumStep;
use super::events::{EVENT_W, INDEX_W};
use super::sum_step::{STORED_W, SUM_ENTRY_W};
use coretrace_hdl_dataflow::{Bus, Word, kernel_block};
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
pub struct SumTable {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub evt: Signal<In, Bus<EVENT_W>>,
    pub counts: Signal<In, Bit>,
    pub flush: Signal<In, Bit>,
    pub walk: Signal<In, Bits<INDEX_W>>,
    pub entry_valid: Signal<Out, Bit>,
    pub entry: Signal<Out, Bus<SUM_ENTRY_W>>,
    place: EventPlace<1>,
    places: RAM<Bus<STORED_W>, INDEX_W>,
    step: SumStep<1, 1>,
}

kernel_block! {
    /// The place that an event, or a flush, is about.
    pub struct EventPlace;
    inputs PlaceInputs { evt: Bus<EVENT_W>, flush: Bit, walk: Bits<INDEX_W>, }
    lane_inputs {}
    outputs PlaceOutputs { place: Bits<INDEX_W>, }
    lane_outputs {}
    kernel event_place;
}

fn event_place<T: Word, const N: usize>(i: PlaceInputs<T::Port, N>) -> PlaceOutputs<T, N> {
    let bits = INDEX_W as u32;
    let index = T::field(&i.evt, (EVENT_W - INDEX_W) as u32, bits);
    let walk = T::field(&i.walk, 0, bits);
    PlaceOutputs {
        place: vec![T::field(&i.flush, 0, 1).mux(walk, index)],
    }
}

impl Logic for SumTable {
    #[hdl_gen]
    fn update(&mut self) {
        self.place.evt.next = self.evt.val();
        self.place.flush.next = self.flush.val();
        self.place.walk.next = self.walk.val();
        self.places.read_clock.next = self.clock.val();
        self.places.write_clock.next = self.clock.val();
        self.places.read_address.next = self.place.place.val();
        self.places.write_address.next = self.step.write_index.val();
        self.places.write_data.next = self.step.write_data.val();
        self.places.write_enable.next = self.step.write_valid.val();
        self.step.clock.next = self.clock.val();
        self.step.reset.next = self.reset.val();
        self.step.evt.next = self.evt.val();
        self.step.counts.next = self.counts.val();
        self.step.flush.next = self.flush.val();
        self.step.walk.next = self.walk.val();
        self.step.stored.next = self.places.read_data.val();
        self.entry_valid.next = self.step.entry_valid.val();
        self.entry.next = self.step.entry.val();
    }
}
