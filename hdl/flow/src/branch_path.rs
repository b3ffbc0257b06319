// SPDX-License-Identifier: MIT OR Apache-2.0
//! `BranchPath`: results of a decoder in, the branches of the program out.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high, for more than 32 cycles: all that waits is discarded; tables stay |
//! | `source`, `returns`, `ete`, `rules` | in | as of [`FlowPath`](super::FlowPath); steady |
//! | `is_a32` | in | the events are those of A32 code, not of A64 code; steady |
//! | `s_valid`, `s_discontinuity`, `s_pending[31:0]`, `s_keep[4]`, `s_lane[4]`, `s_pair[2]` | in | results, see [`PacketItems`]; always taken |
//! | `page_...`, `row_...`, `exit_write`, `run_write`, `branch_write`, `calls_write`, `write_...` | in | tables, see [`BranchUnit`] |
//! | `flush` | in | for one cycle: N atoms at the end of the results go out, which wait for the packet behind them otherwise |
//! | `branch_valid` to `instructions[31:0]` | out | an event, see [`BranchPlace`](super::BranchPlace); always taken |
//! | `loses`, `atoms[31:0]`, `skipped[31:0]` | out | see [`BranchUnit`] |
//! | `waits` | out | an item or a hop waits: 128 cycles behind the last result and the last one of them all events are out, but those of N atoms at the end and of atoms that are not final |
//! | `level[AW-1:0]`, `dropped_atoms[31:0]` | out | of the FIFO, see [`ItemFifo`] |
//! | `refused`, `taken_back[31:0]` | out | of the ring, see [`CommitRing`] |
//!
//! ```text
//! results ─▶ PacketItems ─▶ ItemFifo ─▶ ItemSequencer ─▶ CommitRing ─▶ BranchUnit ─▶
//! ```
//!
//! `SW` bits of a site, `FW` of a frame, `RW` of a row (`FW` + 5), `BW` of a word of a site (`FW` + 41), `AW` of a
//! place in the FIFO, `CA` of a place in the ring; below 4 there is none.
//!
//! Throughput one result per cycle into the FIFO; out of it that of [`BranchUnit`].

use super::item::{EXIT_FLAGS_W, RUN_W};
use super::{BITMAP_W, BranchUnit, CommitRing, ItemFifo, ItemSequencer, PacketItems, RULES_W};
use coretrace_abi::branch_table::ADDRESS_BITS;
use coretrace_hdl_dataflow::Bus;
use coretrace_hdl_etm::SOURCE_SETTINGS_W;
use coretrace_hdl_etm::layouts::{LANE_RESULT_W, PAIR_RESULT_W};
use rust_hdl::prelude::*;

/// Bits of an address.
const ADDRESS_W: usize = ADDRESS_BITS as usize;
/// Address bits of the FIFO of entries.
const ENTRIES_W: usize = 6;

#[derive(LogicBlock, Default)]
pub struct BranchPath<
    const SW: usize,
    const FW: usize,
    const RW: usize,
    const BW: usize,
    const AW: usize,
    const CA: usize,
> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub source: Signal<In, Bus<SOURCE_SETTINGS_W>>,
    pub returns: Signal<In, Bit>,
    pub ete: Signal<In, Bit>,
    pub rules: Signal<In, Bus<RULES_W>>,
    pub is_a32: Signal<In, Bit>,
    pub s_valid: Signal<In, Bit>,
    pub s_discontinuity: Signal<In, Bit>,
    pub s_pending: Signal<In, Bits<32>>,
    pub s_keep: [Signal<In, Bit>; 4],
    pub s_lane: [Signal<In, Bus<LANE_RESULT_W>>; 4],
    pub s_pair: [Signal<In, Bus<PAIR_RESULT_W>>; 2],
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
    pub flush: Signal<In, Bit>,
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
    pub level: Signal<Out, Bits<AW>>,
    pub dropped_atoms: Signal<Out, Bits<32>>,
    pub refused: Signal<Out, Bit>,
    pub taken_back: Signal<Out, Bits<32>>,
    packet_items: PacketItems<4, CA>,
    fifo: ItemFifo<AW>,
    sequencer: ItemSequencer,
    ring: CommitRing<CA>,
    unit: BranchUnit<SW, FW, RW, BW, ENTRIES_W>,
    /// An item that flushes is to go out.
    flushes: DFF<Bit>,
}

impl<
    const SW: usize,
    const FW: usize,
    const RW: usize,
    const BW: usize,
    const AW: usize,
    const CA: usize,
> Logic for BranchPath<SW, FW, RW, BW, AW, CA>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, flushes);
        clock!(self, clock, packet_items, fifo, sequencer, ring, unit);
        self.packet_items.reset.next = self.reset.val();
        self.packet_items.source.next = self.source.val();
        self.sequencer.source.next = self.source.val();
        self.ring.source.next = self.source.val();
        self.packet_items.counts_cycles.next = false;
        self.packet_items.rules.next = self.rules.val();
        self.packet_items.valid.next = self.s_valid.val();
        self.packet_items.lost.next = self.s_discontinuity.val();
        self.packet_items.pending.next = self.s_pending.val();
        self.packet_items.pair0.next = self.s_pair[0].val();
        self.packet_items.pair1.next = self.s_pair[1].val();
        self.fifo.reset.next = self.reset.val();
        self.fifo.any.next = self.packet_items.any.val();
        self.fifo.gap.next = self.packet_items.gap.val();
        for i in 0..4 {
            self.packet_items.keep[i].next = self.s_keep[i].val();
            self.packet_items.lane[i].next = self.s_lane[i].val();
            self.fifo.items[i].next = self.packet_items.items[i].val();
        }
        self.fifo.row_ready.next = self.sequencer.row_ready.val();
        self.level.next = self.fifo.level.val();
        self.dropped_atoms.next = self.fifo.dropped_atoms.val();
        self.sequencer.reset.next = self.reset.val();
        self.sequencer.row_valid.next = self.fifo.row_valid.val();
        self.sequencer.row.next = self.fifo.row.val();
        self.sequencer.ready.next = self.ring.ready.val();
        // A read-out takes its place among the items, and sends out what waits for the next one.
        self.sequencer.asks.next = self.flushes.q.val();
        if self.sequencer.asked.val() {
            self.flushes.d.next = false;
        }
        if self.flush.val() {
            self.flushes.d.next = true;
        }
        if self.reset.val() {
            self.flushes.d.next = false;
        }
        self.ring.reset.next = self.reset.val();
        self.ring.item.next = self.sequencer.item.val();
        self.ring.address.next = self.sequencer.address.val();
        self.ring.isa.next = self.sequencer.isa.val();
        self.ring.space.next = self.sequencer.space.val();
        self.ring.m_ready.next = self.unit.item_ready.val();
        self.refused.next = self.ring.refused.val();
        self.taken_back.next = self.ring.taken_back.val();

        self.unit.reset.next = self.reset.val();
        self.unit.returns.next = self.returns.val();
        self.unit.ete.next = self.ete.val();
        self.unit.is_a32.next = self.is_a32.val();
        self.unit.item.next = self.ring.m_item.val();
        self.unit.address.next = self.ring.m_address.val();
        self.unit.isa.next = self.ring.m_isa.val();
        self.unit.space.next = self.ring.m_space.val();
        self.unit.page_write.next = self.page_write.val();
        self.unit.page_slot.next = self.page_slot.val();
        self.unit.page_word.next = self.page_word.val();
        self.unit.row_write.next = self.row_write.val();
        self.unit.row.next = self.row.val();
        self.unit.row_bitmap.next = self.row_bitmap.val();
        self.unit.row_base.next = self.row_base.val();
        self.unit.exit_write.next = self.exit_write.val();
        self.unit.run_write.next = self.run_write.val();
        self.unit.write_site.next = self.write_site.val();
        self.unit.write_exit.next = self.write_exit.val();
        self.unit.write_flags.next = self.write_flags.val();
        self.unit.write_run.next = self.write_run.val();
        self.unit.branch_write.next = self.branch_write.val();
        self.unit.write_branch.next = self.write_branch.val();
        self.unit.calls_write.next = self.calls_write.val();
        self.unit.write_calls.next = self.write_calls.val();
        self.branch_valid.next = self.unit.branch_valid.val();
        self.begins.next = self.unit.begins.val();
        self.pc.next = self.unit.pc.val();
        self.next_pc.next = self.unit.next_pc.val();
        self.kind.next = self.unit.kind.val();
        self.taken_branch.next = self.unit.taken_branch.val();
        self.is_discontinuity.next = self.unit.is_discontinuity.val();
        self.instructions.next = self.unit.instructions.val();
        self.loses.next = self.unit.loses.val();
        self.waits.next = self.fifo.level.val().any()
            | self.flushes.q.val()
            | !self.ring.ready.val()
            | self.unit.waits.val();
        self.atoms.next = self.unit.atoms.val();
        self.skipped.next = self.unit.skipped.val();
    }
}
