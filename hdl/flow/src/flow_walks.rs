// SPDX-License-Identifier: MIT OR Apache-2.0
//! `FlowWalks`: items of a trace in, the flow stream out, with one walker or two.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high, for more than 16 cycles: all that waits is discarded; tables and counts stay |
//! | `returns`, `ete`, `item`, `item_ready`, `address[63:0]`, `isa[1:0]`, `space[3:0]` | | as of [`FlowUnit`] |
//! | `page_...`, `row_...`, `exit_write`, `run_write`, `write_...` | in | tables, see [`FlowUnit`] and [`FlowPair`] |
//! | `windowed`, `arm`, `freeze_after[31:0]`, `counting`, `frozen`, `froze`, `events[31:0]` | | as of [`FlowUnit`]; two walkers count all the time, and have no ring |
//! | `triggers` | out | there are triggers, and cycles are counted |
//! | `threshold[21:0]` | in | see [`FlowStream`] |
//! | `dropped_atoms[31:0]` | in | of the FIFO, see [`ItemFifo`](super::ItemFifo) |
//! | `fills` | out | for one cycle: a sum has passed 2^30 |
//! | `loses`, `ended`, `m_axis_...` | | see [`FlowStream`] |
//! | `hop[2]`, ..., `indirect[2]`, `atoms[2]`, `skipped[2]` | out | of each walker, see [`WalkReport`](super::WalkReport); 0 of one that is not there |
//!
//! ```text
//! item ─▶ FlowUnit ─▶ FlowStream ─▶        with ONE = 1, TWO = 0
//! item ─▶ FlowPair ─▶ PairStream ─▶        with ONE = 0, TWO = 1
//! ```
//!
//! Latency and throughput are those of [`FlowUnit`] or [`FlowPair`].

use super::item::{CYCLES_W, EXIT_FLAGS_W, ITEM_W, RUN_W};
use super::walk_report::{HOP_W, INDIRECT_W};
use super::{BITMAP_W, FLOW_BEAT_W, FlowPair, FlowStream, FlowUnit, PairStream};
use coretrace_hdl_dataflow::Bus;
use rust_hdl::prelude::*;
use std::array::from_fn;

/// Address bits of the FIFO of entries, of those of segments, and of the difference of these.
const ENTRIES_W: usize = 6;
const SEGMENTS_W: usize = 7;
const AHEAD_W: usize = SEGMENTS_W + 2;

#[derive(LogicBlock)]
pub struct FlowWalks<
    const SW: usize,
    const FW: usize,
    const RW: usize,
    const CW: usize,
    const ONE: usize,
    const TWO: usize,
> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub returns: Signal<In, Bit>,
    pub ete: Signal<In, Bit>,
    pub item: Signal<In, Bus<ITEM_W>>,
    pub item_ready: Signal<Out, Bit>,
    pub address: Signal<In, Bus<64>>,
    pub isa: Signal<In, Bits<2>>,
    pub space: Signal<In, Bits<4>>,
    pub page_write: Signal<In, Bits<2>>,
    pub page_slot: Signal<In, Bits<10>>,
    pub page_word: Signal<In, Bits<64>>,
    pub row_write: Signal<In, Bit>,
    pub row: Signal<In, Bits<RW>>,
    pub row_bitmap: Signal<In, Bits<BITMAP_W>>,
    pub row_base: Signal<In, Bits<SW>>,
    pub exit_write: Signal<In, Bit>,
    pub run_write: Signal<In, Bit>,
    pub write_site: Signal<In, Bits<SW>>,
    pub write_exit: Signal<In, Bits<SW>>,
    pub write_flags: Signal<In, Bits<EXIT_FLAGS_W>>,
    pub write_run: Signal<In, Bits<RUN_W>>,
    pub triggers: Signal<Out, Bit>,
    pub windowed: Signal<In, Bit>,
    pub threshold: Signal<In, Bits<CYCLES_W>>,
    pub counting: Signal<Out, Bit>,
    pub arm: Signal<In, Bit>,
    pub freeze_after: Signal<In, Bits<32>>,
    pub frozen: Signal<Out, Bit>,
    pub froze: Signal<Out, Bit>,
    pub events: Signal<Out, Bits<32>>,
    pub dropped_atoms: Signal<In, Bits<32>>,
    pub fills: Signal<Out, Bit>,
    pub loses: Signal<Out, Bit>,
    pub ended: Signal<Out, Bit>,
    pub m_axis_tdata: Signal<Out, Bus<FLOW_BEAT_W>>,
    pub m_axis_tvalid: Signal<Out, Bit>,
    pub m_axis_tready: Signal<In, Bit>,
    pub m_axis_tlast: Signal<Out, Bit>,
    pub hop: [Signal<Out, Bus<HOP_W>>; 2],
    pub hop_at: [Signal<Out, Bits<SW>>; 2],
    pub hop_base: [Signal<Out, Bits<SW>>; 2],
    pub hop_left_at: [Signal<Out, Bits<SW>>; 2],
    pub hop_ended_at: [Signal<Out, Bits<SW>>; 2],
    pub indirect: [Signal<Out, Bus<INDIRECT_W>>; 2],
    pub atoms: [Signal<Out, Bits<32>>; 2],
    pub skipped: [Signal<Out, Bits<32>>; 2],
    units: [FlowUnit<SW, FW, RW, ENTRIES_W, CW>; ONE],
    streams: [FlowStream<SW>; ONE],
    pairs: [FlowPair<SW, FW, RW, SEGMENTS_W, CW, AHEAD_W>; TWO],
    pair_streams: [PairStream<SW>; TWO],
    no_hop: Constant<Bus<HOP_W>>,
    no_branch: Constant<Bus<INDIRECT_W>>,
}

impl<
    const SW: usize,
    const FW: usize,
    const RW: usize,
    const CW: usize,
    const ONE: usize,
    const TWO: usize,
> Default for FlowWalks<SW, FW, RW, CW, ONE, TWO>
{
    fn default() -> Self {
        assert!(ONE + TWO == 1, "one walker or two");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            returns: Default::default(),
            ete: Default::default(),
            item: Default::default(),
            item_ready: Default::default(),
            address: Default::default(),
            isa: Default::default(),
            space: Default::default(),
            page_write: Default::default(),
            page_slot: Default::default(),
            page_word: Default::default(),
            row_write: Default::default(),
            row: Default::default(),
            row_bitmap: Default::default(),
            row_base: Default::default(),
            exit_write: Default::default(),
            run_write: Default::default(),
            write_site: Default::default(),
            write_exit: Default::default(),
            write_flags: Default::default(),
            write_run: Default::default(),
            triggers: Default::default(),
            windowed: Default::default(),
            threshold: Default::default(),
            counting: Default::default(),
            arm: Default::default(),
            freeze_after: Default::default(),
            frozen: Default::default(),
            froze: Default::default(),
            events: Default::default(),
            dropped_atoms: Default::default(),
            fills: Default::default(),
            loses: Default::default(),
            ended: Default::default(),
            m_axis_tdata: Default::default(),
            m_axis_tvalid: Default::default(),
            m_axis_tready: Default::default(),
            m_axis_tlast: Default::default(),
            hop: Default::default(),
            hop_at: Default::default(),
            hop_base: Default::default(),
            hop_left_at: Default::default(),
            hop_ended_at: Default::default(),
            indirect: Default::default(),
            atoms: Default::default(),
            skipped: Default::default(),
            units: from_fn(|_| Default::default()),
            streams: from_fn(|_| Default::default()),
            pairs: from_fn(|_| Default::default()),
            pair_streams: from_fn(|_| Default::default()),
            no_hop: Constant::new(Bus::default()),
            no_branch: Constant::new(Bus::default()),
        }
    }
}

impl<
    const SW: usize,
    const FW: usize,
    const RW: usize,
    const CW: usize,
    const ONE: usize,
    const TWO: usize,
> Logic for FlowWalks<SW, FW, RW, CW, ONE, TWO>
{
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..ONE {
            self.units[i].clock.next = self.clock.val();
            self.streams[i].clock.next = self.clock.val();
            self.units[i].reset.next = self.reset.val();
            self.streams[i].reset.next = self.reset.val();
            self.units[i].returns.next = self.returns.val();
            self.units[i].ete.next = self.ete.val();
            self.units[i].item.next = self.item.val();
            self.units[i].address.next = self.address.val();
            self.units[i].isa.next = self.isa.val();
            self.units[i].space.next = self.space.val();
            self.units[i].page_write.next = self.page_write.val();
            self.units[i].page_slot.next = self.page_slot.val();
            self.units[i].page_word.next = self.page_word.val();
            self.units[i].row_write.next = self.row_write.val();
            self.units[i].row.next = self.row.val();
            self.units[i].row_bitmap.next = self.row_bitmap.val();
            self.units[i].row_base.next = self.row_base.val();
            self.units[i].exit_write.next = self.exit_write.val();
            self.units[i].run_write.next = self.run_write.val();
            self.units[i].write_site.next = self.write_site.val();
            self.units[i].write_exit.next = self.write_exit.val();
            self.units[i].write_flags.next = self.write_flags.val();
            self.units[i].write_run.next = self.write_run.val();
            self.units[i].windowed.next = self.windowed.val();
            self.units[i].arm.next = self.arm.val();
            self.units[i].freeze_after.next = self.freeze_after.val();
            self.triggers.next = true;
            self.counting.next = self.units[i].counting.val();
            self.frozen.next = self.units[i].frozen.val();
            self.froze.next = self.units[i].froze.val();
            self.events.next = self.units[i].events.val();
            self.item_ready.next = self.units[i].item_ready.val();
            self.units[i].begins.next = self.streams[i].sums_begin.val();
            self.units[i].room.next = self.streams[i].sums_room.val();
            self.streams[i].sum_valid.next = self.units[i].sum_valid.val();
            self.streams[i].sum_site.next = self.units[i].sum_site.val();
            self.streams[i].sum_taken.next = self.units[i].sum_taken.val();
            self.streams[i].sum_entered.next = self.units[i].sum_entered.val();
            self.streams[i].sum_left.next = self.units[i].sum_left.val();
            self.streams[i].cycles_valid.next = self.units[i].cycles_valid.val();
            self.streams[i].sum_cycles.next = self.units[i].sum_cycles.val();
            self.streams[i].threshold.next = self.threshold.val();
            self.streams[i].sums_done.next = self.units[i].done.val();
            self.streams[i].entry_valid.next = self.units[i].entry_valid.val();
            self.streams[i].entry.next = self.units[i].entry.val();
            self.units[i].entry_ready.next = self.streams[i].entry_ready.val();
            self.streams[i].entries_done.next = self.units[i].entries_done.val();
            self.streams[i].windowed.next = self.windowed.val();
            self.streams[i].dropped_atoms.next = self.dropped_atoms.val();
            self.fills.next = self.units[i].fills.val();
            self.loses.next = self.streams[i].loses.val();
            self.ended.next = self.streams[i].ended.val();
            self.m_axis_tdata.next = self.streams[i].m_axis_tdata.val();
            self.m_axis_tvalid.next = self.streams[i].m_axis_tvalid.val();
            self.m_axis_tlast.next = self.streams[i].m_axis_tlast.val();
            self.streams[i].m_axis_tready.next = self.m_axis_tready.val();
            self.streams[i].hop.next = self.units[i].hop.val();
            self.hop[0].next = self.units[i].hop.val();
            self.hop[1].next = self.no_hop.val();
            self.streams[i].hop_at.next = self.units[i].hop_at.val();
            self.hop_at[0].next = self.units[i].hop_at.val();
            self.hop_at[1].next = 0.into();
            self.streams[i].hop_base.next = self.units[i].hop_base.val();
            self.hop_base[0].next = self.units[i].hop_base.val();
            self.hop_base[1].next = 0.into();
            self.streams[i].hop_left_at.next = self.units[i].hop_left_at.val();
            self.hop_left_at[0].next = self.units[i].hop_left_at.val();
            self.hop_left_at[1].next = 0.into();
            self.streams[i].hop_ended_at.next = self.units[i].hop_ended_at.val();
            self.hop_ended_at[0].next = self.units[i].hop_ended_at.val();
            self.hop_ended_at[1].next = 0.into();
            self.indirect[0].next = self.units[i].indirect.val();
            self.indirect[1].next = self.no_branch.val();
            self.streams[i].atoms.next = self.units[i].atoms.val();
            self.atoms[0].next = self.units[i].atoms.val();
            self.atoms[1].next = 0.into();
            self.streams[i].skipped.next = self.units[i].skipped.val();
            self.skipped[0].next = self.units[i].skipped.val();
            self.skipped[1].next = 0.into();
        }
        for i in 0..TWO {
            self.pairs[i].clock.next = self.clock.val();
            self.pair_streams[i].clock.next = self.clock.val();
            self.pairs[i].reset.next = self.reset.val();
            self.pair_streams[i].reset.next = self.reset.val();
            self.pairs[i].returns.next = self.returns.val();
            self.pairs[i].ete.next = self.ete.val();
            self.pairs[i].item.next = self.item.val();
            self.pairs[i].address.next = self.address.val();
            self.pairs[i].isa.next = self.isa.val();
            self.pairs[i].space.next = self.space.val();
            self.pairs[i].page_write.next = self.page_write.val();
            self.pairs[i].page_slot.next = self.page_slot.val();
            self.pairs[i].page_word.next = self.page_word.val();
            self.pairs[i].row_write.next = self.row_write.val();
            self.pairs[i].row.next = self.row.val();
            self.pairs[i].row_bitmap.next = self.row_bitmap.val();
            self.pairs[i].row_base.next = self.row_base.val();
            self.pairs[i].exit_write.next = self.exit_write.val();
            self.pairs[i].run_write.next = self.run_write.val();
            self.pairs[i].write_site.next = self.write_site.val();
            self.pairs[i].write_exit.next = self.write_exit.val();
            self.pairs[i].write_flags.next = self.write_flags.val();
            self.pairs[i].write_run.next = self.write_run.val();
            self.triggers.next = false;
            self.counting.next = true;
            self.frozen.next = false;
            self.froze.next = false;
            self.events.next = 0.into();
            self.item_ready.next = self.pairs[i].item_ready.val();
            self.pairs[i].begins.next = self.pair_streams[i].sums_begin.val();
            self.pairs[i].room.next = self.pair_streams[i].sums_room.val();
            self.pair_streams[i].sum_valid.next = self.pairs[i].sum_valid.val();
            self.pair_streams[i].sum_site.next = self.pairs[i].sum_site.val();
            self.pair_streams[i].sum_taken.next = self.pairs[i].sum_taken.val();
            self.pair_streams[i].sum_entered.next = self.pairs[i].sum_entered.val();
            self.pair_streams[i].sum_left.next = self.pairs[i].sum_left.val();
            self.pair_streams[i].sums_done.next = self.pairs[i].done.val();
            self.pair_streams[i].entry_valid[0].next = self.pairs[i].entry_valid[0].val();
            self.pair_streams[i].entry_valid[1].next = self.pairs[i].entry_valid[1].val();
            self.pair_streams[i].entry[0].next = self.pairs[i].entry[0].val();
            self.pair_streams[i].entry[1].next = self.pairs[i].entry[1].val();
            self.pairs[i].entry_ready[0].next = self.pair_streams[i].entry_ready[0].val();
            self.pairs[i].entry_ready[1].next = self.pair_streams[i].entry_ready[1].val();
            self.pair_streams[i].entries_done[0].next = self.pairs[i].entries_done[0].val();
            self.pair_streams[i].entries_done[1].next = self.pairs[i].entries_done[1].val();
            self.pair_streams[i].dropped_atoms.next = self.dropped_atoms.val();
            self.fills.next = self.pairs[i].fills.val();
            self.loses.next = self.pair_streams[i].loses.val();
            self.ended.next = self.pair_streams[i].ended.val();
            self.m_axis_tdata.next = self.pair_streams[i].m_axis_tdata.val();
            self.m_axis_tvalid.next = self.pair_streams[i].m_axis_tvalid.val();
            self.m_axis_tlast.next = self.pair_streams[i].m_axis_tlast.val();
            self.pair_streams[i].m_axis_tready.next = self.m_axis_tready.val();
            self.pair_streams[i].hop[0].next = self.pairs[i].hop[0].val();
            self.hop[0].next = self.pairs[i].hop[0].val();
            self.pair_streams[i].hop[1].next = self.pairs[i].hop[1].val();
            self.hop[1].next = self.pairs[i].hop[1].val();
            self.pair_streams[i].hop_at[0].next = self.pairs[i].hop_at[0].val();
            self.hop_at[0].next = self.pairs[i].hop_at[0].val();
            self.pair_streams[i].hop_at[1].next = self.pairs[i].hop_at[1].val();
            self.hop_at[1].next = self.pairs[i].hop_at[1].val();
            self.pair_streams[i].hop_base[0].next = self.pairs[i].hop_base[0].val();
            self.hop_base[0].next = self.pairs[i].hop_base[0].val();
            self.pair_streams[i].hop_base[1].next = self.pairs[i].hop_base[1].val();
            self.hop_base[1].next = self.pairs[i].hop_base[1].val();
            self.pair_streams[i].hop_left_at[0].next = self.pairs[i].hop_left_at[0].val();
            self.hop_left_at[0].next = self.pairs[i].hop_left_at[0].val();
            self.pair_streams[i].hop_left_at[1].next = self.pairs[i].hop_left_at[1].val();
            self.hop_left_at[1].next = self.pairs[i].hop_left_at[1].val();
            self.pair_streams[i].hop_ended_at[0].next = self.pairs[i].hop_ended_at[0].val();
            self.hop_ended_at[0].next = self.pairs[i].hop_ended_at[0].val();
            self.pair_streams[i].hop_ended_at[1].next = self.pairs[i].hop_ended_at[1].val();
            self.hop_ended_at[1].next = self.pairs[i].hop_ended_at[1].val();
            self.indirect[0].next = self.pairs[i].indirect[0].val();
            self.indirect[1].next = self.pairs[i].indirect[1].val();
            self.pair_streams[i].atoms[0].next = self.pairs[i].atoms[0].val();
            self.atoms[0].next = self.pairs[i].atoms[0].val();
            self.pair_streams[i].atoms[1].next = self.pairs[i].atoms[1].val();
            self.atoms[1].next = self.pairs[i].atoms[1].val();
            self.pair_streams[i].skipped[0].next = self.pairs[i].skipped[0].val();
            self.skipped[0].next = self.pairs[i].skipped[0].val();
            self.pair_streams[i].skipped[1].next = self.pairs[i].skipped[1].val();
            self.skipped[1].next = self.pairs[i].skipped[1].val();
        }
    }
}
