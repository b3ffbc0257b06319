// SPDX-License-Identifier: MIT OR Apache-2.0
//! `PairEntries`: entries of two walkers in, entries of both out.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high |
//! | `valid[2]`, `entries[2]`, `ready[2]`, `done[2]` | | of each walker, see [`IndirectSums`](super::IndirectSums) |
//! | `entry_valid`, `entry`, `entry_ready` | | a [`BeatEntry`](super::BeatEntry) of one of them, in turns where both have one |
//! | `all_done` | out | for one cycle: all entries of the read-out have come, of both |
//!
//! Latency 0 cycles. Throughput one entry per cycle.

use super::beat_entry::BEAT_ENTRY_W;
use coretrace_hdl_dataflow::Bus;
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
pub struct PairEntries {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub valid: [Signal<In, Bit>; 2],
    pub entries: [Signal<In, Bus<BEAT_ENTRY_W>>; 2],
    pub ready: [Signal<Out, Bit>; 2],
    pub done: [Signal<In, Bit>; 2],
    pub entry_valid: Signal<Out, Bit>,
    pub entry: Signal<Out, Bus<BEAT_ENTRY_W>>,
    pub entry_ready: Signal<In, Bit>,
    pub all_done: Signal<Out, Bit>,
    /// The last entry was of walker 1.
    last: DFF<Bit>,
    /// Those of each walker have come.
    ended_0: DFF<Bit>,
    ended_1: DFF<Bit>,
    is_1: Signal<Local, Bit>,
    all: Signal<Local, Bit>,
}

impl Logic for PairEntries {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, last, ended_0, ended_1);
        self.is_1.next = self.valid[1].val() & (!self.valid[0].val() | !self.last.q.val());
        self.entry_valid.next = self.valid[0].val() | self.valid[1].val();
        self.entry.next = self.entries[0].val();
        if self.is_1.val() {
            self.entry.next = self.entries[1].val();
        }
        self.ready[0].next = self.entry_ready.val() & !self.is_1.val();
        self.ready[1].next = self.entry_ready.val() & self.is_1.val();
        if self.entry_ready.val() {
            self.last.d.next = self.is_1.val();
        }
        self.all.next = self.ended_0.q.val() & self.ended_1.q.val();
        self.all_done.next = self.all.val();
        if self.all.val() {
            self.ended_0.d.next = false;
            self.ended_1.d.next = false;
        }
        if self.done[0].val() {
            self.ended_0.d.next = true;
        }
        if self.done[1].val() {
            self.ended_1.d.next = true;
        }
        if self.reset.val() {
            self.last.d.next = false;
            self.ended_0.d.next = false;
            self.ended_1.d.next = false;
        }
    }
}
