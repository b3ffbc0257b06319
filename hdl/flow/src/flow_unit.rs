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
//! | `read`, `read_site[SW-1:0]` | in | the counts of a site are to be read, and begin again at 0; until `read_ready` |
//! | `read_ready` | out | they are read in this cycle |
//! | `read_valid`, `read_taken`, `read_entered`, `read_left` | out | three cycles later: sums of 33 bits, see [`SiteCounters`] |
//! | `fills` | out | for one cycle: a sum has passed 2^31 |
//! | `hop`, `hop_at`, `hop_base`, `hop_left_at`, `hop_ended_at`, `atoms`, `skipped` | out | see [`WalkReport`] |
//!
//! ```text
//! item ────▶ Delay ─┬▶ Merge ─▶ SyncFifo ─▶ Serializer ─▶ Walker ─▶ WalkReport ─▶ SiteCounters
//! address ─▶ Rank ──┘
//! ```
//!
//! The counts of a site, in increasing order of sites, give its N atoms: what arrives at a site
//! also departs from it. A site at which a flow began has an entry, one that it waited for when it ended
//! a leave.
//!
//! `SW` bits of a site, `FW` of a frame, `RW` of a row (`FW` + 5), `QW` of a place in the FIFO, at least 6.
//!
//! Latency 21 cycles from an item to its hop, out of an empty FIFO. Throughput one item per cycle into the FIFO, one E
//! per cycle out of it.

use super::item::{ATOMS_W, ENTRY_W, ITEM_W};
use super::walk_report::{HOP_W, Hop};
use super::{
    Delay, Merge, RANK_LATENCY, Rank, SUM_W, Serializer, SiteCounters, WalkReport, Walker,
};
use coretrace_hdl_dataflow::{Bus, Word, any, clocked_block, named};
use coretrace_hdl_parts::stream::SyncFifo;
use rust_hdl::prelude::*;

#[derive(LogicBlock)]
pub struct FlowUnit<const SW: usize, const FW: usize, const RW: usize, const QW: usize> {
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
    pub row_bitmap: Signal<In, Bits<32>>,
    pub row_base: Signal<In, Bits<SW>>,
    pub exit_write: Signal<In, Bit>,
    pub run_write: Signal<In, Bit>,
    pub write_site: Signal<In, Bits<SW>>,
    pub write_exit: Signal<In, Bits<SW>>,
    pub write_flags: Signal<In, Bits<3>>,
    pub write_run: Signal<In, Bits<ATOMS_W>>,
    pub read: Signal<In, Bit>,
    pub read_site: Signal<In, Bits<SW>>,
    pub read_ready: Signal<Out, Bit>,
    pub read_valid: Signal<Out, Bit>,
    pub read_taken: Signal<Out, Bus<SUM_W>>,
    pub read_entered: Signal<Out, Bus<SUM_W>>,
    pub read_left: Signal<Out, Bus<SUM_W>>,
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
    events: CountEvents<SW, 1>,
    taken: SiteCounters<SW, 1>,
    entered: SiteCounters<SW, 1>,
    left: SiteCounters<SW, 1>,
    zero: Constant<Bus<SUM_W>>,
    reads: Signal<Local, Bit>,
    taken_site: Signal<Local, Bits<SW>>,
    entered_site: Signal<Local, Bits<SW>>,
    left_site: Signal<Local, Bits<SW>>,
}

impl<const SW: usize, const FW: usize, const RW: usize, const QW: usize> Default
    for FlowUnit<SW, FW, RW, QW>
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
            read: Default::default(),
            read_site: Default::default(),
            read_ready: Default::default(),
            read_valid: Default::default(),
            read_taken: Default::default(),
            read_entered: Default::default(),
            read_left: Default::default(),
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
            events: Default::default(),
            taken: Default::default(),
            entered: Default::default(),
            left: Default::default(),
            zero: Constant::new(Bus::default()),
            reads: Default::default(),
            taken_site: Default::default(),
            entered_site: Default::default(),
            left_site: Default::default(),
        }
    }
}

impl<const SW: usize, const FW: usize, const RW: usize, const QW: usize> Logic
    for FlowUnit<SW, FW, RW, QW>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(
            self, clock, rank, delay, merge, fifo, serializer, walker, report, events, taken,
            entered, left
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
        self.merge.site.next = self.rank.site.val();

        self.fifo.reset.next = self.reset.val();
        self.fifo.write_valid.next = self.merge.valid.val();
        self.fifo.write_data.next = self.merge.entry.val();
        self.fifo.m_axis_tready.next = self.serializer.entry_ready.val();
        self.item_ready.next = !self.fifo.fills_up.val();
        self.serializer.reset.next = self.reset.val();
        self.serializer.entry_valid.next = self.fifo.m_axis_tvalid.val();
        self.serializer.entry.next = self.fifo.m_axis_tdata.val();
        // Sums are read while nothing is counted.
        self.serializer.pause.next = self.read.val();

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
        self.report.is_end.next = self.walker.is_end.val();
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

        self.events.reset.next = self.reset.val();
        self.events.hop.next = self.report.hop.val();
        self.events.at.next = self.report.hop_at.val();
        self.events.base.next = self.report.hop_base.val();
        self.events.left_at.next = self.report.hop_left_at.val();
        self.events.ended_at.next = self.report.hop_ended_at.val();
        self.reads.next = self.read.val() & !self.events.counts.val();
        self.read_ready.next = self.reads.val();
        self.taken_site.next = self.events.taken_site.val();
        self.entered_site.next = self.events.entered_site.val();
        self.left_site.next = self.events.left_site.val();
        if self.reads.val() {
            self.taken_site.next = self.read_site.val();
            self.entered_site.next = self.read_site.val();
            self.left_site.next = self.read_site.val();
        }
        self.taken.reset.next = self.reset.val();
        self.taken.valid.next = self.events.taken.val() | self.reads.val();
        self.taken.site.next = self.taken_site.val();
        self.taken.amount.next = 1.into();
        self.taken.replaces.next = self.reads.val();
        self.taken.value.next = self.zero.val();
        self.entered.reset.next = self.reset.val();
        self.entered.valid.next = self.events.entered.val() | self.reads.val();
        self.entered.site.next = self.entered_site.val();
        self.entered.amount.next = 1.into();
        self.entered.replaces.next = self.reads.val();
        self.entered.value.next = self.zero.val();
        self.left.reset.next = self.reset.val();
        self.left.valid.next = self.events.left.val() | self.reads.val();
        self.left.site.next = self.left_site.val();
        self.left.amount.next = 1.into();
        self.left.replaces.next = self.reads.val();
        self.left.value.next = self.zero.val();
        self.read_valid.next = self.taken.sum_valid.val();
        self.read_taken.next = self.taken.sum.val();
        self.read_entered.next = self.entered.sum.val();
        self.read_left.next = self.left.sum.val();
        self.fills.next = self.taken.fills.val() | self.entered.fills.val() | self.left.fills.val();
    }
}

clocked_block! {
    /// What a hop counts; `N` bits of a site. A token may leave twice, at an address and behind it:
    /// the second leave is counted a cycle later. The token behind it cannot leave twice.
    pub struct CountEvents;
    inputs EventInputs {
        reset: Bit,
        hop: Bus<HOP_W>,
        at: Bits<N>,
        base: Bits<N>,
        left_at: Bits<N>,
        ended_at: Bits<N>,
    }
    lane_inputs {}
    outputs EventOutputs {
        counts: Bit,
        taken: Bit,
        taken_site: Bits<N>,
        entered: Bit,
        entered_site: Bits<N>,
        left: Bit,
        left_site: Bits<N>,
    }
    lane_outputs {}
    pair_outputs {}
    kernel count_events;
}

#[named]
fn count_events<T: Word, const N: usize, const P: usize>(
    i: EventInputs<T::Port, N>,
) -> EventOutputs<T, N, P> {
    let live = T::field(&i.reset, 0, 1).not();
    let hop = Hop::<T>::unpack(&i.hop);
    let sites = |port: &T::Port| T::field(port, 0, N as u32);
    let (at, base) = (sites(&i.at), sites(&i.base));
    let (left_at, ended_at) = (sites(&i.left_at), sites(&i.ended_at));
    let (waits, waits_next) = T::register(1, at.stage());
    let (waiting_at, waiting_at_next) = T::register(N as u32, at.stage());
    let first = waits.or(hop.left);
    T::set_next(waits_next, hop.leaves.and(first).and(live));
    T::set_next(waiting_at_next, ended_at);
    let left = hop.left.or(hop.leaves).or(waits);
    EventOutputs {
        counts: vec![any(&[hop.taken, hop.enters, left])],
        taken: vec![hop.taken],
        taken_site: vec![at],
        entered: vec![hop.enters],
        entered_site: vec![base],
        left: vec![left],
        left_site: vec![waits.mux(waiting_at, hop.left.mux(left_at, ended_at))],
    }
}
