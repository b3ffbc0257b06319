// SPDX-License-Identifier: MIT OR Apache-2.0
//! `FlowPair`: as [`FlowUnit`](super::FlowUnit), with two walkers on one table: items of a trace in, counts by
//! site out.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset`, `returns`, `ete`, `item`, `item_ready`, `address[63:0]`, `isa[1:0]`, `space[3:0]` | | as of [`FlowUnit`](super::FlowUnit) |
//! | `page_...`, `row_...` | in | tables, see [`Rank`](super::Rank) |
//! | `exit_write`, `run_write`, `write_...` | in | tables, see [`SharedTables`] |
//! | `begins`, `room`, `done`, `sum...`, `fills` | | read-out, see [`PairSums`] |
//! | `entry_valid[2]`, `entry[2]`, `entry_ready[2]`, `entries_done[2]` | | read-out of each walker, see [`IndirectSums`] |
//! | `hop[2]`, `hop_at[2]`, `hop_base[2]`, `hop_left_at[2]`, `hop_ended_at[2]`, `indirect[2]`, `atoms[2]`, `skipped[2]` | out | of each walker, see [`WalkReport`](super::WalkReport) |
//!
//! ```text
//!                                     ┌▶ SyncFifo ─▶ WalkLane ─┐
//! item ─▶ FlowFront ─▶ Distributor ───┤         SharedTables   ├▶ PairSums, an IndirectSums of each
//!                                     └▶ SyncFifo ─▶ WalkLane ─┘
//! ```
//!
//! Sums do not care about order, so the segments between addresses are walked two at a time. Hops of a
//! walker are in the order of the trace. A flow ends where its segment ends: what the counts and the
//! hops of both walkers say is what the model says with `WalkSettings::segments`, but for the order. A
//! read-out is a hop of each walker.
//!
//! With `returns` one walker gets everything, and the other one idles.
//!
//! The atoms of both walkers are all atoms. Items that read out must not come before `done` of the one
//! before.
//!
//! `SW` bits of a site, `FW` of a frame, `RW` of a row (`FW` + 5), `QW` of a place in a FIFO, at least 7,
//! `CW` of a counter (`SW` + 1), `DW` of the difference of the FIFOs (`QW` + 2).
//!
//! Latency 23 cycles from an item to its hop, out of an empty FIFO. Throughput one item per cycle into the
//! FIFOs, two E per cycle out of them.

use super::item::{EXIT_FLAGS_W, ITEM_W, RUN_W};
use super::segment::SEGMENT_W;
use super::walk_report::{HOP_W, INDIRECT_W};
use super::{
    BEAT_ENTRY_W, BITMAP_W, Distributor, FlowFront, IndirectSums, PairSums, SUM_W, SharedTables,
    WalkLane,
};
use coretrace_hdl_dataflow::Bus;
use coretrace_hdl_parts::stream::SyncFifo;
use rust_hdl::prelude::*;

#[derive(LogicBlock)]
pub struct FlowPair<
    const SW: usize,
    const FW: usize,
    const RW: usize,
    const QW: usize,
    const CW: usize,
    const DW: usize,
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
    pub begins: Signal<In, Bit>,
    pub room: Signal<In, Bit>,
    pub done: Signal<Out, Bit>,
    pub sum_valid: Signal<Out, Bit>,
    pub sum_site: Signal<Out, Bits<SW>>,
    pub sum_taken: Signal<Out, Bus<SUM_W>>,
    pub sum_entered: Signal<Out, Bus<SUM_W>>,
    pub sum_left: Signal<Out, Bus<SUM_W>>,
    pub fills: Signal<Out, Bit>,
    pub entry_valid: [Signal<Out, Bit>; 2],
    pub entry: [Signal<Out, Bus<BEAT_ENTRY_W>>; 2],
    pub entry_ready: [Signal<In, Bit>; 2],
    pub entries_done: [Signal<Out, Bit>; 2],
    pub hop: [Signal<Out, Bus<HOP_W>>; 2],
    pub hop_at: [Signal<Out, Bits<SW>>; 2],
    pub hop_base: [Signal<Out, Bits<SW>>; 2],
    pub hop_left_at: [Signal<Out, Bits<SW>>; 2],
    pub hop_ended_at: [Signal<Out, Bits<SW>>; 2],
    pub indirect: [Signal<Out, Bus<INDIRECT_W>>; 2],
    pub atoms: [Signal<Out, Bits<32>>; 2],
    pub skipped: [Signal<Out, Bits<32>>; 2],
    front: FlowFront<SW, FW, RW>,
    distributor: Distributor<2, DW>,
    fifos: [SyncFifo<SEGMENT_W, QW>; 2],
    /// The oldest segment of each FIFO: a memory is slow, and what a walker takes next depends on it.
    held: [DFF<Bus<SEGMENT_W>>; 2],
    held_valid: [DFF<Bit>; 2],
    lanes: [WalkLane<SW>; 2],
    tables: SharedTables<SW>,
    sums: PairSums<SW, CW>,
    ways: [IndirectSums; 2],
    frees: [Signal<Local, Bit>; 2],
}

impl<
    const SW: usize,
    const FW: usize,
    const RW: usize,
    const QW: usize,
    const CW: usize,
    const DW: usize,
> Default for FlowPair<SW, FW, RW, QW, CW, DW>
{
    fn default() -> Self {
        assert!(QW >= 7, "no room for items in flight");
        assert!(DW == QW + 2, "the difference of two numbers of segments");
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
            begins: Default::default(),
            room: Default::default(),
            done: Default::default(),
            sum_valid: Default::default(),
            sum_site: Default::default(),
            sum_taken: Default::default(),
            sum_entered: Default::default(),
            sum_left: Default::default(),
            fills: Default::default(),
            entry_valid: Default::default(),
            entry: Default::default(),
            entry_ready: Default::default(),
            entries_done: Default::default(),
            hop: Default::default(),
            hop_at: Default::default(),
            hop_base: Default::default(),
            hop_left_at: Default::default(),
            hop_ended_at: Default::default(),
            indirect: Default::default(),
            atoms: Default::default(),
            skipped: Default::default(),
            front: Default::default(),
            distributor: Default::default(),
            fifos: Default::default(),
            held: Default::default(),
            held_valid: Default::default(),
            lanes: Default::default(),
            tables: Default::default(),
            sums: Default::default(),
            ways: Default::default(),
            frees: Default::default(),
        }
    }
}

impl<
    const SW: usize,
    const FW: usize,
    const RW: usize,
    const QW: usize,
    const CW: usize,
    const DW: usize,
> Logic for FlowPair<SW, FW, RW, QW, CW, DW>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, front, distributor, tables, sums);
        self.front.reset.next = self.reset.val();
        self.front.item.next = self.item.val();
        self.front.address.next = self.address.val();
        self.front.isa.next = self.isa.val();
        self.front.space.next = self.space.val();
        self.front.page_write.next = self.page_write.val();
        self.front.page_slot.next = self.page_slot.val();
        self.front.page_word.next = self.page_word.val();
        self.front.row_write.next = self.row_write.val();
        self.front.row.next = self.row.val();
        self.front.row_bitmap.next = self.row_bitmap.val();
        self.front.row_base.next = self.row_base.val();
        self.distributor.reset.next = self.reset.val();
        self.distributor.returns.next = self.returns.val();
        self.distributor.valid.next = self.front.valid.val();
        self.distributor.entry.next = self.front.entry.val();
        self.item_ready.next = !self.fifos[0].fills_up.val() & !self.fifos[1].fills_up.val();

        self.tables.exit_write.next = self.exit_write.val();
        self.tables.run_write.next = self.run_write.val();
        self.tables.write_site.next = self.write_site.val();
        self.tables.write_exit.next = self.write_exit.val();
        self.tables.write_flags.next = self.write_flags.val();
        self.tables.write_run.next = self.write_run.val();

        for i in 0..2 {
            self.fifos[i].clock.next = self.clock.val();
            self.fifos[i].reset.next = self.reset.val();
            self.fifos[i].write_valid.next = self.distributor.m_valid[i].val();
            self.fifos[i].write_data.next = self.distributor.segment[i].val();
            self.held[i].clock.next = self.clock.val();
            self.held[i].d.next = self.held[i].q.val();
            self.held_valid[i].clock.next = self.clock.val();
            self.held_valid[i].d.next = self.held_valid[i].q.val();
            self.frees[i].next = !self.held_valid[i].q.val() | self.lanes[i].segment_ready.val();
            if self.frees[i].val() {
                self.held[i].d.next = self.fifos[i].m_axis_tdata.val();
                self.held_valid[i].d.next = self.fifos[i].m_axis_tvalid.val();
            }
            if self.reset.val() {
                self.held_valid[i].d.next = false;
            }
            self.fifos[i].m_axis_tready.next = self.frees[i].val();
            self.distributor.taken[i].next =
                self.fifos[i].m_axis_tvalid.val() & self.frees[i].val();
            self.lanes[i].clock.next = self.clock.val();
            self.lanes[i].reset.next = self.reset.val();
            self.lanes[i].returns.next = self.returns.val();
            self.lanes[i].ete.next = self.ete.val();
            self.lanes[i].pause.next = self.sums.pause[i].val() | self.ways[i].pause.val();
            self.lanes[i].segment_valid.next = self.held_valid[i].q.val();
            self.lanes[i].segment.next = self.held[i].q.val();
            self.tables.exit_site[i].next = self.lanes[i].exit_site.val();
            self.tables.exit_read[i].next = self.lanes[i].exit_read.val();
            self.lanes[i].exit.next = self.tables.exit[i].val();
            self.lanes[i].flags.next = self.tables.flags[i].val();
            self.tables.run_site[i].next = self.lanes[i].run_site.val();
            self.lanes[i].run_word.next = self.tables.run_word[i].val();
            self.sums.hop[i].next = self.lanes[i].hop.val();
            self.sums.at[i].next = self.lanes[i].hop_at.val();
            self.sums.base[i].next = self.lanes[i].hop_base.val();
            self.sums.left_at[i].next = self.lanes[i].hop_left_at.val();
            self.sums.ended_at[i].next = self.lanes[i].hop_ended_at.val();
            self.hop[i].next = self.lanes[i].hop.val();
            self.hop_at[i].next = self.lanes[i].hop_at.val();
            self.hop_base[i].next = self.lanes[i].hop_base.val();
            self.hop_left_at[i].next = self.lanes[i].hop_left_at.val();
            self.hop_ended_at[i].next = self.lanes[i].hop_ended_at.val();
            self.indirect[i].next = self.lanes[i].indirect.val();
            self.ways[i].clock.next = self.clock.val();
            self.ways[i].reset.next = self.reset.val();
            self.ways[i].hop.next = self.lanes[i].hop.val();
            self.ways[i].indirect.next = self.lanes[i].indirect.val();
            self.entry_valid[i].next = self.ways[i].entry_valid.val();
            self.entry[i].next = self.ways[i].entry.val();
            self.ways[i].entry_ready.next = self.entry_ready[i].val();
            self.entries_done[i].next = self.ways[i].done.val();
            self.atoms[i].next = self.lanes[i].atoms.val();
            self.skipped[i].next = self.lanes[i].skipped.val();
        }
        // Words are written through the port of walker 0.
        self.lanes[0].holds.next = self.tables.holds.val();
        self.lanes[0].aims.next = self.tables.aims.val();
        self.lanes[0].aim.next = self.tables.aim.val();
        self.lanes[1].holds.next = false;
        self.lanes[1].aims.next = false;
        self.lanes[1].aim.next = 0.into();

        self.sums.reset.next = self.reset.val();
        self.sums.begins.next = self.begins.val();
        self.sums.room.next = self.room.val();
        self.done.next = self.sums.done.val();
        self.sum_valid.next = self.sums.sum_valid.val();
        self.sum_site.next = self.sums.sum_site.val();
        self.sum_taken.next = self.sums.sum_taken.val();
        self.sum_entered.next = self.sums.sum_entered.val();
        self.sum_left.next = self.sums.sum_left.val();
        self.fills.next = self.sums.fills.val();
    }
}
