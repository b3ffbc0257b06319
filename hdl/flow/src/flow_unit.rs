// SPDX-License-Identifier: MIT OR Apache-2.0
//! `FlowUnit`: items of a trace in, counts by site out.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high, for more than 16 cycles: the place in the program is not known; tables and counts stay |
//! | `returns`, `ete` | in | of the trace unit, see [`Walker`](super::Walker); steady |
//! | `item` | in | [`Item`](super::Item), in every cycle |
//! | `item_ready` | out | there is room; those of two cycles more are taken, whatever it says |
//! | `address[63:0]`, `isa[1:0]`, `space[3:0]` | in | of an address |
//! | `page_...`, `row_...` | in | tables, see [`Rank`](super::Rank) |
//! | `exit_write`, `run_write`, `write_...` | in | tables, see [`WalkTables`] |
//! | `windowed`, `counting` | | see [`CountWindow`] |
//! | `arm`, `freeze_after[31:0]`, `frozen`, `froze`, `events[31:0]` | | see [`HopRing`] |
//! | `begins`, `room`, `done`, `sum...`, `fills` | | read-out, see [`SiteSums`] |
//! | `entry_valid`, `entry`, `entry_ready`, `entries_done` | | of the ring, then of a read-out, see [`HopRing`] and [`IndirectSums`] |
//! | `hop`, `hop_at`, `hop_base`, `hop_left_at`, `hop_ended_at`, `indirect`, `atoms`, `skipped` | out | see [`WalkReport`](super::WalkReport) |
//!
//! ```text
//! item ─▶ FlowFront ─┬▶ SyncFifo ─▶ WalkLane ─┬▶ CountWindow ─┬▶ SiteSums
//!                    │              │      │  │      ▲        └▶ IndirectSums
//!                    │          WalkTables │  └──────│──────────▶ HopRing
//!                    └▶ CycleQueue ◀───────┴─────────┘
//! ```
//!
//! The counts of a site, in increasing order of sites, give its N atoms: what arrives at a site
//! also departs from it. A site at which a flow began has an entry, one that it waited for when it ended
//! a leave.
//!
//! `SW` bits of a site, `FW` of a frame, `RW` of a row (`FW` + 5), `QW` of a place in the FIFO, at least 6,
//! `CW` of a counter (`SW` + 1).
//!
//! Latency 21 cycles from an item to its hop, out of an empty FIFO. Throughput one item per cycle into the FIFO, one E
//! per cycle out of it.

use super::item::{ENTRY_W, EXIT_FLAGS_W, ITEM_W, RUN_W};
use super::walk_report::{HOP_W, INDIRECT_W};
use super::{
    BEAT_ENTRY_W, BITMAP_W, CountWindow, CycleQueue, FlowFront, HopRing, IndirectSums, SUM_W,
    SiteSums, WalkLane, WalkTables, WholeSegment,
};
use coretrace_hdl_dataflow::Bus;
use coretrace_hdl_parts::stream::SyncFifo;
use rust_hdl::prelude::*;

#[derive(LogicBlock)]
pub struct FlowUnit<
    const SW: usize,
    const FW: usize,
    const RW: usize,
    const QW: usize,
    const CW: usize,
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
    pub windowed: Signal<In, Bit>,
    pub counting: Signal<Out, Bit>,
    pub arm: Signal<In, Bit>,
    pub freeze_after: Signal<In, Bits<32>>,
    pub frozen: Signal<Out, Bit>,
    pub froze: Signal<Out, Bit>,
    pub events: Signal<Out, Bits<32>>,
    pub begins: Signal<In, Bit>,
    pub room: Signal<In, Bit>,
    pub done: Signal<Out, Bit>,
    pub sum_valid: Signal<Out, Bit>,
    pub sum_site: Signal<Out, Bits<SW>>,
    pub sum_taken: Signal<Out, Bus<SUM_W>>,
    pub sum_entered: Signal<Out, Bus<SUM_W>>,
    pub sum_left: Signal<Out, Bus<SUM_W>>,
    pub cycles_valid: Signal<Out, Bit>,
    pub sum_cycles: Signal<Out, Bus<SUM_W>>,
    pub fills: Signal<Out, Bit>,
    pub entry_valid: Signal<Out, Bit>,
    pub entry: Signal<Out, Bus<BEAT_ENTRY_W>>,
    pub entry_ready: Signal<In, Bit>,
    pub entries_done: Signal<Out, Bit>,
    pub hop: Signal<Out, Bus<HOP_W>>,
    pub hop_at: Signal<Out, Bits<SW>>,
    pub hop_base: Signal<Out, Bits<SW>>,
    pub hop_left_at: Signal<Out, Bits<SW>>,
    pub hop_ended_at: Signal<Out, Bits<SW>>,
    pub indirect: Signal<Out, Bus<INDIRECT_W>>,
    pub atoms: Signal<Out, Bits<32>>,
    pub skipped: Signal<Out, Bits<32>>,
    front: FlowFront<SW, FW, RW>,
    fifo: SyncFifo<ENTRY_W, QW>,
    cycles: CycleQueue<SW, QW>,
    segment: WholeSegment<1>,
    lane: WalkLane<SW>,
    tables: WalkTables<SW>,
    window: CountWindow<SW, 1>,
    sums: SiteSums<SW, CW>,
    ways: IndirectSums,
    ring: HopRing<SW>,
}

impl<const SW: usize, const FW: usize, const RW: usize, const QW: usize, const CW: usize> Default
    for FlowUnit<SW, FW, RW, QW, CW>
{
    fn default() -> Self {
        assert!(QW >= 6, "no room for items in flight");
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
            windowed: Default::default(),
            counting: Default::default(),
            arm: Default::default(),
            freeze_after: Default::default(),
            frozen: Default::default(),
            froze: Default::default(),
            events: Default::default(),
            begins: Default::default(),
            room: Default::default(),
            done: Default::default(),
            sum_valid: Default::default(),
            sum_site: Default::default(),
            sum_taken: Default::default(),
            sum_entered: Default::default(),
            sum_left: Default::default(),
            cycles_valid: Default::default(),
            sum_cycles: Default::default(),
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
            fifo: Default::default(),
            cycles: Default::default(),
            segment: Default::default(),
            lane: Default::default(),
            tables: Default::default(),
            window: Default::default(),
            sums: Default::default(),
            ways: Default::default(),
            ring: Default::default(),
        }
    }
}

impl<const SW: usize, const FW: usize, const RW: usize, const QW: usize, const CW: usize> Logic
    for FlowUnit<SW, FW, RW, QW, CW>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(
            self, clock, front, fifo, cycles, lane, tables, window, sums, ways, ring
        );
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

        self.fifo.reset.next = self.reset.val();
        self.fifo.write_valid.next = self.front.valid.val();
        self.fifo.write_data.next = self.front.entry.val();
        self.fifo.m_axis_tready.next = self.lane.segment_ready.val();
        self.item_ready.next = !self.fifo.fills_up.val() & !self.cycles.fills_up.val();
        self.cycles.reset.next = self.reset.val();
        self.cycles.valid.next = self.front.counted.val();
        self.cycles.cycles.next = self.front.m_cycles.val();
        self.cycles.counted.next = self.lane.counted.val();
        self.cycles.has_newest.next = self.lane.has_newest.val();
        self.cycles.newest.next = self.lane.newest.val();
        self.segment.entry.next = self.fifo.m_axis_tdata.val();
        self.lane.reset.next = self.reset.val();
        self.lane.returns.next = self.returns.val();
        self.lane.ete.next = self.ete.val();
        self.lane.segment_valid.next = self.fifo.m_axis_tvalid.val();
        self.lane.segment.next = self.segment.segment.val();
        self.lane.pause.next = self.sums.pause.val() | self.ways.pause.val();
        self.lane.holds.next = false;
        self.lane.aims.next = false;
        self.lane.aim.next = 0.into();

        self.tables.exit_site.next = self.lane.exit_site.val();
        self.tables.exit_read.next = self.lane.exit_read.val();
        self.lane.exit.next = self.tables.exit.val();
        self.lane.flags.next = self.tables.flags.val();
        self.tables.run_site.next = self.lane.run_site.val();
        self.lane.run_word.next = self.tables.run_word.val();
        self.tables.exit_write.next = self.exit_write.val();
        self.tables.run_write.next = self.run_write.val();
        self.tables.write_site.next = self.write_site.val();
        self.tables.write_exit.next = self.write_exit.val();
        self.tables.write_flags.next = self.write_flags.val();
        self.tables.write_run.next = self.write_run.val();

        self.hop.next = self.lane.hop.val();
        self.hop_at.next = self.lane.hop_at.val();
        self.hop_base.next = self.lane.hop_base.val();
        self.hop_left_at.next = self.lane.hop_left_at.val();
        self.hop_ended_at.next = self.lane.hop_ended_at.val();
        self.indirect.next = self.lane.indirect.val();
        self.atoms.next = self.lane.atoms.val();
        self.skipped.next = self.lane.skipped.val();

        self.window.reset.next = self.reset.val();
        self.window.windowed.next = self.windowed.val();
        self.window.hop.next = self.lane.hop.val();
        self.window.at.next = self.lane.hop_at.val();
        self.window.base.next = self.lane.hop_base.val();
        self.window.left_at.next = self.lane.hop_left_at.val();
        self.window.ended_at.next = self.lane.hop_ended_at.val();
        self.window.indirect.next = self.lane.indirect.val();
        self.window.cycles.next = self.cycles.m_cycles.val();
        self.counting.next = self.window.counting.val();

        self.sums.reset.next = self.reset.val();
        self.sums.hop.next = self.window.m_hop.val();
        self.sums.at.next = self.window.m_at.val();
        self.sums.base.next = self.window.m_base.val();
        self.sums.left_at.next = self.window.m_left_at.val();
        self.sums.ended_at.next = self.window.m_ended_at.val();
        self.sums.cycles.next = self.window.m_cycles.val();
        self.sums.begins.next = self.begins.val();
        self.sums.room.next = self.room.val();
        self.done.next = self.sums.done.val();
        self.sum_valid.next = self.sums.sum_valid.val();
        self.sum_site.next = self.sums.sum_site.val();
        self.sum_taken.next = self.sums.sum_taken.val();
        self.sum_entered.next = self.sums.sum_entered.val();
        self.sum_left.next = self.sums.sum_left.val();
        self.cycles_valid.next = self.sums.cycles_valid.val();
        self.sum_cycles.next = self.sums.sum_cycles.val();
        self.fills.next = self.sums.fills.val();

        self.ways.reset.next = self.reset.val();
        self.ways.hop.next = self.window.m_hop.val();
        self.ways.indirect.next = self.window.m_indirect.val();

        self.ring.reset.next = self.reset.val();
        self.ring.arm.next = self.arm.val();
        self.ring.freeze_after.next = self.freeze_after.val();
        self.ring.hop.next = self.lane.hop.val();
        self.ring.at.next = self.lane.hop_at.val();
        self.ring.base.next = self.lane.hop_base.val();
        self.ring.indirect.next = self.lane.indirect.val();
        self.ring.atoms.next = self.lane.atoms.val();
        self.frozen.next = self.ring.frozen.val();
        self.froze.next = self.ring.froze.val();
        self.events.next = self.ring.events.val();

        self.entry_valid.next = self.ring.entry_valid.val() | self.ways.entry_valid.val();
        self.entry.next = self.ways.entry.val();
        if self.ring.entry_valid.val() {
            self.entry.next = self.ring.entry.val();
        }
        self.ring.entry_ready.next = self.entry_ready.val();
        self.ways.entry_ready.next = self.entry_ready.val() & !self.ring.entry_valid.val();
        self.entries_done.next = self.ways.done.val();
    }
}
