// SPDX-License-Identifier: MIT OR Apache-2.0
//! `PairStream`: as [`FlowStream`](super::FlowStream), for two walkers.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high: what waits is discarded |
//! | `hop[2]`, `hop_at[2]`, ..., `atoms[2]`, `skipped[2]` | in | of each walker, as [`WalkReport`](super::WalkReport) puts them out |
//! | `entry_valid[2]`, `entry[2]`, `entry_ready[2]`, `entries_done[2]` | | of each walker, see [`IndirectSums`](super::IndirectSums) |
//! | all others | | as of [`FlowStream`](super::FlowStream) |
//!
//! ```text
//! hop of walker 0 ─▶ MarkQueue ─┬▶ PairRows ─▶ BeatQueue ─▶
//! hop of walker 1 ─▶ MarkQueue ─┘
//! entries ─▶ PairEntries ───────────────────┘
//! ```
//!
//! Beats of a walker come in the order of the trace, and those of both as they are walked. Rows of
//! each walker are left out by themselves.
//!
//! Latency 7 cycles from a hop to its first beat. Throughput one beat per cycle; sums go first, entries last.

use super::beat_queue::{BeatQueue, FLOW_BEAT_W};
use super::walk_report::HOP_W;
use super::{BEAT_ENTRY_W, MarkQueue, PairEntries, PairRows, SUM_W};
use coretrace_hdl_dataflow::Bus;
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
pub struct PairStream<const SW: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub hop: [Signal<In, Bus<HOP_W>>; 2],
    pub hop_at: [Signal<In, Bits<SW>>; 2],
    pub hop_base: [Signal<In, Bits<SW>>; 2],
    pub hop_left_at: [Signal<In, Bits<SW>>; 2],
    pub hop_ended_at: [Signal<In, Bits<SW>>; 2],
    pub atoms: [Signal<In, Bits<32>>; 2],
    pub skipped: [Signal<In, Bits<32>>; 2],
    pub dropped_atoms: Signal<In, Bits<32>>,
    pub sum_valid: Signal<In, Bit>,
    pub sum_site: Signal<In, Bits<SW>>,
    pub sum_taken: Signal<In, Bus<SUM_W>>,
    pub sum_entered: Signal<In, Bus<SUM_W>>,
    pub sum_left: Signal<In, Bus<SUM_W>>,
    pub sums_done: Signal<In, Bit>,
    pub entry_valid: [Signal<In, Bit>; 2],
    pub entry: [Signal<In, Bus<BEAT_ENTRY_W>>; 2],
    pub entry_ready: [Signal<Out, Bit>; 2],
    pub entries_done: [Signal<In, Bit>; 2],
    pub sums_begin: Signal<Out, Bit>,
    pub sums_room: Signal<Out, Bit>,
    pub loses: Signal<Out, Bit>,
    pub ended: Signal<Out, Bit>,
    pub m_axis_tdata: Signal<Out, Bus<FLOW_BEAT_W>>,
    pub m_axis_tvalid: Signal<Out, Bit>,
    pub m_axis_tready: Signal<In, Bit>,
    pub m_axis_tlast: Signal<Out, Bit>,
    queues: [MarkQueue<SW>; 2],
    rows: PairRows,
    entries: PairEntries,
    beats: BeatQueue<SW>,
}

impl<const SW: usize> Logic for PairStream<SW> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, rows, entries, beats);
        for i in 0..2 {
            self.queues[i].clock.next = self.clock.val();
            self.queues[i].reset.next = self.reset.val();
            self.queues[i].hop.next = self.hop[i].val();
            self.queues[i].hop_at.next = self.hop_at[i].val();
            self.queues[i].hop_base.next = self.hop_base[i].val();
            self.queues[i].hop_left_at.next = self.hop_left_at[i].val();
            self.queues[i].hop_ended_at.next = self.hop_ended_at[i].val();
            self.queues[i].atoms.next = self.atoms[i].val();
            self.queues[i].skipped.next = self.skipped[i].val();
            self.queues[i].dropped_atoms.next = self.dropped_atoms.val();
            self.rows.valid[i].next = self.queues[i].row_valid.val();
            self.rows.rows[i].next = self.queues[i].row.val();
            self.queues[i].row_ready.next = self.rows.ready[i].val();
            self.entries.valid[i].next = self.entry_valid[i].val();
            self.entries.entries[i].next = self.entry[i].val();
            self.entry_ready[i].next = self.entries.ready[i].val();
            self.entries.done[i].next = self.entries_done[i].val();
        }
        self.loses.next = self.queues[0].loses.val() | self.queues[1].loses.val();
        self.rows.reset.next = self.reset.val();
        self.beats.reset.next = self.reset.val();
        self.beats.windowed.next = false;
        self.beats.row_valid.next = self.rows.row_valid.val();
        self.beats.row.next = self.rows.row.val();
        self.rows.row_ready.next = self.beats.row_ready.val();
        self.beats.sum_valid.next = self.sum_valid.val();
        self.beats.sum_site.next = self.sum_site.val();
        self.beats.sum_taken.next = self.sum_taken.val();
        self.beats.sum_entered.next = self.sum_entered.val();
        self.beats.sum_left.next = self.sum_left.val();
        // No cycles come, so that it may be any sum.
        self.beats.cycles_valid.next = false;
        self.beats.sum_cycles.next = self.sum_taken.val();
        self.beats.threshold.next = 0.into();
        self.beats.sums_done.next = self.sums_done.val();
        self.entries.reset.next = self.reset.val();
        self.beats.entry_valid.next = self.entries.entry_valid.val();
        self.beats.entry.next = self.entries.entry.val();
        self.entries.entry_ready.next = self.beats.entry_ready.val();
        self.beats.entries_done.next = self.entries.all_done.val();
        self.sums_begin.next = self.beats.sums_begin.val();
        self.sums_room.next = self.beats.sums_room.val();
        self.ended.next = self.beats.ended.val();
        self.m_axis_tdata.next = self.beats.m_axis_tdata.val();
        self.m_axis_tvalid.next = self.beats.m_axis_tvalid.val();
        self.beats.m_axis_tready.next = self.m_axis_tready.val();
        self.m_axis_tlast.next = self.beats.m_axis_tlast.val();
    }
}
