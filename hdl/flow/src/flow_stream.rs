// SPDX-License-Identifier: MIT OR Apache-2.0
//! `FlowStream`: hops and sums in, the flow stream of `coretrace_abi::flow_stream` out.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high: what waits is discarded |
//! | `hop`, `hop_at[SW-1:0]`, ..., `atoms[31:0]`, `skipped[31:0]` | in | as [`WalkReport`](super::WalkReport) puts them out |
//! | `dropped_atoms[31:0]` | in | of the FIFO, see [`ItemFifo`](super::ItemFifo) |
//! | `windowed` | in | only what is between triggers is counted; steady |
//! | `threshold[21:0]` | in | of the trace unit: no count of cycles is less |
//! | `sum...`, `cycles_valid`, `sums_done` | in | see [`SiteSums`](super::SiteSums); a site without an event has no beat |
//! | `sums_begin`, `sums_room` | out | for it |
//! | `entry_valid`, `entry`, `entry_ready`, `entries_done` | | see [`FlowUnit`](super::FlowUnit) |
//! | `loses` | out | for one cycle: a hop at which the place is lost |
//! | `ended` | out | for one cycle: the END of a read-out goes into the stream |
//! | `m_axis_tdata[127:0]`, `m_axis_tvalid`, `m_axis_tready`, `m_axis_tlast` | | AXI4-Stream; a packet ends behind each beat that is no SITE, no CYCLES, no INDIRECT and no HOP, and behind 256 beats |
//!
//! ```text
//! hop ─▶ MarkQueue ─▶ BeatQueue ─▶
//! ```
//!
//! While nobody reads the stream, sums and entries wait where they are, and 48 hops with losses wait
//! here; those behind them are left out, and the next one says so. A hop that reads out is never left
//! out.
//!
//! Latency 6 cycles from a hop to its first beat. Throughput one beat per cycle; sums go first, entries last.

use super::beat_queue::{BeatQueue, FLOW_BEAT_W};
use super::item::CYCLES_W;
use super::walk_report::HOP_W;
use super::{BEAT_ENTRY_W, MarkQueue, SUM_W};
use coretrace_hdl_dataflow::Bus;
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
pub struct FlowStream<const SW: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub hop: Signal<In, Bus<HOP_W>>,
    pub hop_at: Signal<In, Bits<SW>>,
    pub hop_base: Signal<In, Bits<SW>>,
    pub hop_left_at: Signal<In, Bits<SW>>,
    pub hop_ended_at: Signal<In, Bits<SW>>,
    pub atoms: Signal<In, Bits<32>>,
    pub skipped: Signal<In, Bits<32>>,
    pub dropped_atoms: Signal<In, Bits<32>>,
    pub windowed: Signal<In, Bit>,
    pub threshold: Signal<In, Bits<CYCLES_W>>,
    pub sum_valid: Signal<In, Bit>,
    pub sum_site: Signal<In, Bits<SW>>,
    pub sum_taken: Signal<In, Bus<SUM_W>>,
    pub sum_entered: Signal<In, Bus<SUM_W>>,
    pub sum_left: Signal<In, Bus<SUM_W>>,
    pub cycles_valid: Signal<In, Bit>,
    pub sum_cycles: Signal<In, Bus<SUM_W>>,
    pub sums_done: Signal<In, Bit>,
    pub entry_valid: Signal<In, Bit>,
    pub entry: Signal<In, Bus<BEAT_ENTRY_W>>,
    pub entry_ready: Signal<Out, Bit>,
    pub entries_done: Signal<In, Bit>,
    pub sums_begin: Signal<Out, Bit>,
    pub sums_room: Signal<Out, Bit>,
    pub loses: Signal<Out, Bit>,
    pub ended: Signal<Out, Bit>,
    pub m_axis_tdata: Signal<Out, Bus<FLOW_BEAT_W>>,
    pub m_axis_tvalid: Signal<Out, Bit>,
    pub m_axis_tready: Signal<In, Bit>,
    pub m_axis_tlast: Signal<Out, Bit>,
    queue: MarkQueue<SW>,
    beats: BeatQueue<SW>,
}

impl<const SW: usize> Logic for FlowStream<SW> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, queue, beats);
        self.queue.reset.next = self.reset.val();
        self.queue.hop.next = self.hop.val();
        self.queue.hop_at.next = self.hop_at.val();
        self.queue.hop_base.next = self.hop_base.val();
        self.queue.hop_left_at.next = self.hop_left_at.val();
        self.queue.hop_ended_at.next = self.hop_ended_at.val();
        self.queue.atoms.next = self.atoms.val();
        self.queue.skipped.next = self.skipped.val();
        self.queue.dropped_atoms.next = self.dropped_atoms.val();
        self.loses.next = self.queue.loses.val();
        self.beats.reset.next = self.reset.val();
        self.beats.windowed.next = self.windowed.val();
        self.beats.threshold.next = self.threshold.val();
        self.beats.row_valid.next = self.queue.row_valid.val();
        self.beats.row.next = self.queue.row.val();
        self.queue.row_ready.next = self.beats.row_ready.val();
        self.beats.sum_valid.next = self.sum_valid.val();
        self.beats.sum_site.next = self.sum_site.val();
        self.beats.sum_taken.next = self.sum_taken.val();
        self.beats.sum_entered.next = self.sum_entered.val();
        self.beats.sum_left.next = self.sum_left.val();
        self.beats.cycles_valid.next = self.cycles_valid.val();
        self.beats.sum_cycles.next = self.sum_cycles.val();
        self.beats.sums_done.next = self.sums_done.val();
        self.beats.entry_valid.next = self.entry_valid.val();
        self.beats.entry.next = self.entry.val();
        self.entry_ready.next = self.beats.entry_ready.val();
        self.beats.entries_done.next = self.entries_done.val();
        self.sums_begin.next = self.beats.sums_begin.val();
        self.sums_room.next = self.beats.sums_room.val();
        self.ended.next = self.beats.ended.val();
        self.m_axis_tdata.next = self.beats.m_axis_tdata.val();
        self.m_axis_tvalid.next = self.beats.m_axis_tvalid.val();
        self.beats.m_axis_tready.next = self.m_axis_tready.val();
        self.m_axis_tlast.next = self.beats.m_axis_tlast.val();
    }
}
