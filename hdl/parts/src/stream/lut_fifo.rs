// SPDX-License-Identifier: MIT OR Apache-2.0
//! `LutFifo`: words of `W` bits in LUTs, 2^A places, one clock.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high: discard all words |
//! | `write_data[W-1:0]`, `write_valid` | in | a word; the writer must stop in time, see below |
//! | `m_axis_tdata[W-1:0]`, `m_axis_tvalid` | out | the oldest word |
//! | `m_axis_tready` | in | it is taken in this cycle |
//! | `half_full`, `fills_up` | out | at least half of the places were taken a cycle ago; three quarters |
//!
//! There is no TREADY at the input: a quarter of the places less two remains for words in flight
//! when the writer sees `fills_up`. Latency 2 cycles. Throughput one word per cycle.

use super::fifo_places::FifoPlaces;
use super::lut_ram::LutRam;
use coretrace_hdl_dataflow::Bus;
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
pub struct LutFifo<const W: usize, const A: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub write_data: Signal<In, Bus<W>>,
    pub write_valid: Signal<In, Bit>,
    pub m_axis_tdata: Signal<Out, Bus<W>>,
    pub m_axis_tvalid: Signal<Out, Bit>,
    pub m_axis_tready: Signal<In, Bit>,
    pub half_full: Signal<Out, Bit>,
    pub fills_up: Signal<Out, Bit>,
    places: FifoPlaces<A>,
    words: LutRam<Bus<W>, A>,
}

impl<const W: usize, const A: usize> Logic for LutFifo<W, A> {
    #[hdl_gen]
    fn update(&mut self) {
        self.places.clock.next = self.clock.val();
        self.places.reset.next = self.reset.val();
        self.places.write_valid.next = self.write_valid.val();
        self.places.m_axis_tready.next = self.m_axis_tready.val();
        self.words.write_clock.next = self.clock.val();
        self.words.read_clock.next = self.clock.val();
        self.words.write_address.next = self.places.write_place.val();
        self.words.write_data.next = self.write_data.val();
        self.words.write_enable.next = self.write_valid.val();
        self.words.read_address.next = self.places.read_place.val();
        self.m_axis_tdata.next = self.words.read_data.val();
        self.m_axis_tvalid.next = self.places.m_axis_tvalid.val();
        self.half_full.next = self.places.half_full.val();
        self.fills_up.next = self.places.fills_up.val();
    }
}
