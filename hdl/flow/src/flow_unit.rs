// SPDX-License-Identifier: MIT OR Apache-2.0
//! `FlowUnit`: items of a trace in, counts by site out.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high, for more than 16 cycles: the place in the program is not known; tables and counts stay |
//! | `returns` | in | the trace unit leaves out the targets of returns; steady |
//! | `item` | in | [`Item`](super::Item), in every cycle |
//! | `item_ready` | out | there is room; those of two cycles more are taken, whatever it says |
//! | `address[63:0]`, `isa[1:0]`, `space[3:0]` | in | of an address |
//! | `page_...`, `row_...` | in | tables, see [`Rank`] |
//! | `exit_write`, `run_write`, `write_...` | in | tables, see [`Walker`] |
//! | `begins`, `room`, `done`, `sum...`, `fills` | | read-out, see [`SiteSums`] |
//! | `hop`, `hop_at`, `hop_base`, `hop_left_at`, `hop_ended_at`, `atoms`, `skipped` | out | see [`WalkReport`] |
//!
//! ```text
//! item ────▶ Delay ─┬▶ Merge ─▶ SyncFifo ─▶ Serializer ─▶ Walker ─▶ WalkReport ─▶ SiteSums
//! address ─▶ Rank ──┘
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
use super::walk_report::HOP_W;
use super::{
    BITMAP_W, Delay, Merge, RANK_LATENCY, Rank, SUM_W, Serializer, SiteSums, WalkReport, Walker,
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
    pub item: Signal<In, Bus<ITEM_W>>,
    pub item_ready: Signal<Out, Bit>,
    pub address: Signal<In, Bus<64>>,
    pub isa: Signal<In, Bits<2>>,
    pub space: Signal<In, Bits<4>>,
    pub page_write: Signal<In, Bits<4>>,
    pub page_set: Signal<In, Bits<8>>,
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
    pub hop: Signal<Out, Bus<HOP_W>>,
    pub hop_at: Signal<Out, Bits<SW>>,
    pub hop_base: Signal<Out, Bits<SW>>,
    pub hop_left_at: Signal<Out, Bits<SW>>,
    pub hop_ended_at: Signal<Out, Bits<SW>>,
    pub atoms: Signal<Out, Bits<32>>,
    pub skipped: Signal<Out, Bits<32>>,
    rank: Rank<SW, FW, RW>,
    delay: Delay<ITEM_W, RANK_LATENCY>,
    merge: Merge<SW, 1>,
    fifo: SyncFifo<ENTRY_W, QW>,
    serializer: Serializer<SW>,
    walker: Walker<SW>,
    report: WalkReport<SW, 1>,
    sums: SiteSums<SW, CW>,
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
            item: Default::default(),
            item_ready: Default::default(),
            address: Default::default(),
            isa: Default::default(),
            space: Default::default(),
            page_write: Default::default(),
            page_set: Default::default(),
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
            hop: Default::default(),
            hop_at: Default::default(),
            hop_base: Default::default(),
            hop_left_at: Default::default(),
            hop_ended_at: Default::default(),
            atoms: Default::default(),
            skipped: Default::default(),
            rank: Default::default(),
            delay: Default::default(),
            merge: Default::default(),
            fifo: Default::default(),
            serializer: Default::default(),
            walker: Default::default(),
            report: Default::default(),
            sums: Default::default(),
        }
    }
}

impl<const SW: usize, const FW: usize, const RW: usize, const QW: usize, const CW: usize> Logic
    for FlowUnit<SW, FW, RW, QW, CW>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(
            self, clock, rank, delay, merge, fifo, serializer, walker, report, sums
        );
        self.rank.address.next = self.address.val();
        self.rank.isa.next = self.isa.val();
        self.rank.space.next = self.space.val();
        self.rank.page_write.next = self.page_write.val();
        self.rank.page_set.next = self.page_set.val();
        self.rank.page_word.next = self.page_word.val();
        self.rank.row_write.next = self.row_write.val();
        self.rank.row.next = self.row.val();
        self.rank.row_bitmap.next = self.row_bitmap.val();
        self.rank.row_base.next = self.row_base.val();
        self.delay.word.next = self.item.val();
        self.merge.reset.next = self.reset.val();
        self.merge.item.next = self.delay.delayed.val();
        self.merge.loaded.next = self.rank.loaded.val();
        self.merge.damaged.next = self.rank.damaged.val();
        self.merge.site.next = self.rank.site.val();

        self.fifo.reset.next = self.reset.val();
        self.fifo.write_valid.next = self.merge.valid.val();
        self.fifo.write_data.next = self.merge.entry.val();
        self.fifo.m_axis_tready.next = self.serializer.entry_ready.val();
        self.item_ready.next = !self.fifo.fills_up.val();
        self.serializer.reset.next = self.reset.val();
        self.serializer.entry_valid.next = self.fifo.m_axis_tvalid.val();
        self.serializer.entry.next = self.fifo.m_axis_tdata.val();
        self.serializer.pause.next = self.sums.pause.val();

        self.walker.reset.next = self.reset.val();
        self.walker.returns.next = self.returns.val();
        self.walker.token_valid.next = self.serializer.token_valid.val();
        self.walker.token.next = self.serializer.token.val();
        self.walker.has_address.next = self.serializer.has_address.val();
        self.walker.site.next = self.serializer.site.val();
        self.walker.exit_write.next = self.exit_write.val();
        self.walker.run_write.next = self.run_write.val();
        self.walker.write_site.next = self.write_site.val();
        self.walker.write_exit.next = self.write_exit.val();
        self.walker.write_flags.next = self.write_flags.val();
        self.walker.write_run.next = self.write_run.val();

        self.report.reset.next = self.reset.val();
        self.report.step.next = self.walker.step.val();
        self.report.run_fails.next = self.walker.run_fails.val();
        self.report.run.next = self.walker.run.val();
        self.report.run_damaged.next = self.walker.run_damaged.val();
        self.report.is_end.next = self.walker.is_end.val();
        self.report.exit_damaged.next = self.walker.exit_damaged.val();
        self.report.reached.next = self.walker.reached.val();
        self.report.at.next = self.walker.at.val();
        self.report.base.next = self.walker.base.val();
        self.report.left_at.next = self.walker.left_at.val();
        self.hop.next = self.report.hop.val();
        self.hop_at.next = self.report.hop_at.val();
        self.hop_base.next = self.report.hop_base.val();
        self.hop_left_at.next = self.report.hop_left_at.val();
        self.hop_ended_at.next = self.report.hop_ended_at.val();
        self.atoms.next = self.report.atoms.val();
        self.skipped.next = self.report.skipped.val();

        self.sums.reset.next = self.reset.val();
        self.sums.hop.next = self.report.hop.val();
        self.sums.at.next = self.report.hop_at.val();
        self.sums.base.next = self.report.hop_base.val();
        self.sums.left_at.next = self.report.hop_left_at.val();
        self.sums.ended_at.next = self.report.hop_ended_at.val();
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
