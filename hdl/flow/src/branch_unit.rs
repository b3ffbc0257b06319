// SPDX-License-Identifier: MIT OR Apache-2.0
//! `BranchUnit`: items of a trace in, the branches of its program out.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high, for more than 16 cycles: the program has not begun; tables stay |
//! | `returns`, `ete` | in | of the trace unit, see [`Walker`](super::Walker); steady |
//! | `is_a32` | in | the events are those of A32 code, not of A64 code; steady |
//! | `item`, `item_ready`, `address[63:0]`, `isa[1:0]`, `space[3:0]` | | as of [`FlowUnit`](super::FlowUnit); there are neither cycles nor read-outs |
//! | `page_...`, `row_...`, `exit_write`, `run_write`, `write_...` | in | tables, see [`Rank`](super::Rank) and [`WalkTables`] |
//! | `branch_write`, `write_branch[BW-1:0]` | in | a new word of `write_site`, see [`BranchEvents`] |
//! | `calls_write`, `write_calls[15:0]` | in | of `row`: bit `u` says that an SVC, HVC or SMC is in front of unit `u` |
//! | `branch_valid` to `instructions[31:0]` | out | an event, see [`BranchPlace`](super::BranchPlace); always taken |
//! | `loses` | out | for one cycle: the place in the program is lost |
//! | `waits` | out | an item or a hop waits: 96 cycles behind the last one of them all events are out |
//! | `atoms[31:0]`, `skipped[31:0]` | out | see [`WalkReport`](super::WalkReport) |
//!
//! ```text
//! item ─▶ FlowFront ─┬▶ SyncFifo ─▶ WalkLane ─▶ HopBranches ─▶ SyncFifo ─▶ BranchSequencer ─▶ BranchEvents ─▶
//!                    │              WalkTables                             ▲
//!                    └▶ AddressWords ─▶ SyncFifo ──────────────────────────┘
//! ```
//!
//! A hop is many branches, so the walker pauses while three quarters of the places behind it are taken. An address
//! waits beside the walk for the hop that it belongs to: both stay in order.
//!
//! `SW` bits of a site, `FW` of a frame, `RW` of a row (`FW` + 5), `BW` of a word of a site (`FW` + 41), `QW` of a
//! place in the FIFO, at least 6.
//!
//! Latency 34 cycles from an item to its event, out of empty FIFOs. Throughput one item per cycle into the FIFO, one
//! E or one N per cycle out of it; a return, an address and an exception take two cycles each.
//! The software twin is `BranchUnit` of `coretrace-sites`.

use super::address_words::ADDRESS_WORD_W;
use super::branch_row::BRANCH_ROW_W;
use super::item::{ENTRY_W, EXIT_FLAGS_W, ITEM_W, RUN_W};
use super::{
    AddressWords, BITMAP_W, BranchEvents, BranchSequencer, FlowFront, HopBranches, WalkLane,
    WalkTables, WholeSegment,
};
use coretrace_abi::branch_table::ADDRESS_BITS;
use coretrace_hdl_dataflow::Bus;
use coretrace_hdl_parts::stream::{SyncFifo, TableMemory};
use rust_hdl::prelude::*;

/// Bits of an address.
const ADDRESS_W: usize = ADDRESS_BITS as usize;
/// Address bits of the FIFO of hops: a quarter has room for the atoms of a packet, and for what is in flight.
const HOPS_W: usize = 8;
/// Address bits of the FIFO of addresses, which wait with entries and with hops.
const ADDRESSES_W: usize = 9;

#[derive(LogicBlock)]
pub struct BranchUnit<
    const SW: usize,
    const FW: usize,
    const RW: usize,
    const BW: usize,
    const QW: usize,
> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub returns: Signal<In, Bit>,
    pub ete: Signal<In, Bit>,
    pub is_a32: Signal<In, Bit>,
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
    pub branch_write: Signal<In, Bit>,
    pub write_branch: Signal<In, Bits<BW>>,
    pub calls_write: Signal<In, Bit>,
    pub write_calls: Signal<In, Bits<16>>,
    pub branch_valid: Signal<Out, Bit>,
    pub begins: Signal<Out, Bit>,
    pub pc: Signal<Out, Bus<ADDRESS_W>>,
    pub next_pc: Signal<Out, Bus<ADDRESS_W>>,
    pub kind: Signal<Out, Bits<5>>,
    pub taken_branch: Signal<Out, Bit>,
    pub is_discontinuity: Signal<Out, Bit>,
    pub instructions: Signal<Out, Bits<32>>,
    pub loses: Signal<Out, Bit>,
    pub waits: Signal<Out, Bit>,
    pub atoms: Signal<Out, Bits<32>>,
    pub skipped: Signal<Out, Bits<32>>,
    front: FlowFront<SW, FW, RW>,
    calls: TableMemory<RW, 16>,
    words: AddressWords<1, 1>,
    addresses: SyncFifo<ADDRESS_WORD_W, ADDRESSES_W>,
    fifo: SyncFifo<ENTRY_W, QW>,
    segment: WholeSegment<1>,
    lane: WalkLane<SW>,
    tables: WalkTables<SW>,
    hop: HopBranches<SW>,
    hops: SyncFifo<BRANCH_ROW_W, HOPS_W>,
    sequencer: BranchSequencer<SW>,
    events: BranchEvents<SW, FW, BW>,
}

impl<const SW: usize, const FW: usize, const RW: usize, const BW: usize, const QW: usize> Default
    for BranchUnit<SW, FW, RW, BW, QW>
{
    fn default() -> Self {
        assert!(QW >= 6, "no room for items in flight");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            returns: Default::default(),
            ete: Default::default(),
            is_a32: Default::default(),
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
            branch_write: Default::default(),
            write_branch: Default::default(),
            calls_write: Default::default(),
            write_calls: Default::default(),
            branch_valid: Default::default(),
            begins: Default::default(),
            pc: Default::default(),
            next_pc: Default::default(),
            kind: Default::default(),
            taken_branch: Default::default(),
            is_discontinuity: Default::default(),
            instructions: Default::default(),
            loses: Default::default(),
            waits: Default::default(),
            atoms: Default::default(),
            skipped: Default::default(),
            front: Default::default(),
            calls: Default::default(),
            words: Default::default(),
            addresses: Default::default(),
            fifo: Default::default(),
            segment: Default::default(),
            lane: Default::default(),
            tables: Default::default(),
            hop: Default::default(),
            hops: Default::default(),
            sequencer: Default::default(),
            events: Default::default(),
        }
    }
}

impl<const SW: usize, const FW: usize, const RW: usize, const BW: usize, const QW: usize> Logic
    for BranchUnit<SW, FW, RW, BW, QW>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(
            self, clock, front, calls, words, addresses, fifo, lane, tables, hops, sequencer,
            events
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

        self.calls.read_address.next = self.front.unit_row.val();
        self.calls.read_enable.next = true;
        self.calls.write_address.next = self.row.val();
        self.calls.write_data.next = self.write_calls.val();
        self.calls.write_enable.next = self.calls_write.val();
        self.words.is_a32.next = self.is_a32.val();
        self.words.item.next = self.item.val();
        self.words.address.next = self.address.val();
        self.words.isa.next = self.isa.val();
        self.words.has_unit.next = self.front.has_unit.val();
        self.words.unit.next = self.front.unit.val();
        self.words.calls.next = self.calls.read_data.val();
        self.addresses.reset.next = self.reset.val();
        self.addresses.write_valid.next = self.words.valid.val();
        self.addresses.write_data.next = self.words.word.val();
        self.addresses.m_axis_tready.next = self.sequencer.address_ready.val();

        self.fifo.reset.next = self.reset.val();
        self.fifo.write_valid.next = self.front.valid.val();
        self.fifo.write_data.next = self.front.entry.val();
        self.fifo.m_axis_tready.next = self.lane.segment_ready.val();
        self.item_ready.next = !self.fifo.fills_up.val() & !self.addresses.fills_up.val();
        self.segment.entry.next = self.fifo.m_axis_tdata.val();
        self.lane.reset.next = self.reset.val();
        self.lane.returns.next = self.returns.val();
        self.lane.ete.next = self.ete.val();
        self.lane.segment_valid.next = self.fifo.m_axis_tvalid.val();
        self.lane.segment.next = self.segment.segment.val();
        self.lane.pause.next = self.hops.fills_up.val();
        self.lane.holds.next = false;
        self.lane.aims.next = false;
        self.lane.aim.next = 0.into();
        self.atoms.next = self.lane.atoms.val();
        self.skipped.next = self.lane.skipped.val();

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

        self.hop.hop.next = self.lane.hop.val();
        self.hop.base.next = self.lane.hop_base.val();
        self.hop.at.next = self.lane.hop_ended_at.val();
        self.hop.indirect.next = self.lane.indirect.val();
        self.loses.next = self.hop.loses.val();
        self.hops.reset.next = self.reset.val();
        self.hops.write_valid.next = self.hop.row_valid.val();
        self.hops.write_data.next = self.hop.row.val();
        self.hops.m_axis_tready.next = self.sequencer.row_ready.val();
        self.waits.next = self.fifo.m_axis_tvalid.val() | self.hops.m_axis_tvalid.val();
        self.sequencer.reset.next = self.reset.val();
        self.sequencer.row_valid.next = self.hops.m_axis_tvalid.val();
        self.sequencer.row.next = self.hops.m_axis_tdata.val();
        self.sequencer.address_word.next = self.addresses.m_axis_tdata.val();

        self.events.reset.next = self.reset.val();
        self.events.step.next = self.sequencer.step.val();
        self.events.site.next = self.sequencer.site.val();
        self.events.taken.next = self.sequencer.taken.val();
        self.events.is_call.next = self.sequencer.is_call.val();
        self.events.address.next = self.sequencer.address.val();
        self.events.branch_write.next = self.branch_write.val();
        self.events.write_site.next = self.write_site.val();
        self.events.write_branch.next = self.write_branch.val();
        self.events.page_write.next = self.page_write.val();
        self.events.page_word.next = self.page_word.val();
        self.branch_valid.next = self.events.branch_valid.val();
        self.begins.next = self.events.begins.val();
        self.pc.next = self.events.pc.val();
        self.next_pc.next = self.events.next_pc.val();
        self.kind.next = self.events.kind.val();
        self.taken_branch.next = self.events.taken_branch.val();
        self.is_discontinuity.next = self.events.is_discontinuity.val();
        self.instructions.next = self.events.instructions.val();
    }
}
