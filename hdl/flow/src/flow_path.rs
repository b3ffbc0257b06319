// SPDX-License-Identifier: MIT OR Apache-2.0
//! `FlowPath`: results of a decoder in, the flow stream out: counts by site, and where the program was lost.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high, for more than 32 cycles: all that waits is discarded; tables and counts stay |
//! | `source`, `returns`, `ete`, `rules` | in | [`SourceSettings`](coretrace_hdl_etm::SourceSettings); the source leaves out the targets of returns; it is an ETE; address spaces: steady |
//! | `s_valid`, `s_discontinuity`, `s_pending[31:0]`, `s_keep[4]`, `s_lane[4]`, `s_pair[2]` | in | results, see [`PacketItems`]; always taken |
//! | `page_...`, `row_...`, `exit_write`, `run_write`, `write_...` | in | tables, see [`FlowWalks`] |
//! | `triggers`, `windowed`, `arm`, `freeze_after[31:0]`, `counting`, `frozen`, `froze`, `events[31:0]` | | triggers, see [`FlowWalks`] |
//! | `read_out` | in | for one cycle: the counters are to be read; requests before a read-out has begun share it |
//! | `reading` | out | a read-out goes on |
//! | `read_out_done` | out | for one cycle: its END goes into the stream |
//! | `m_axis_...` | | the flow stream, see [`FlowStream`](super::FlowStream) |
//! | `loses` | out | for one cycle: the place is lost |
//! | `hop[2]`, ... | out | of each walker, see [`FlowWalks`] |
//! | `atoms[31:0]`, `skipped[31:0]` | out | of all walkers, a cycle later |
//! | `level[AW-1:0]`, `dropped_atoms[31:0]` | out | of the FIFO, see [`ItemFifo`] |
//! | `refused`, `taken_back[31:0]` | out | of the ring, see [`CommitRing`] |
//!
//! ```text
//! results ─▶ PacketItems ─▶ ItemFifo ─▶ ItemSequencer ─▶ CommitRing ─▶ FlowWalks ─▶
//! ```
//!
//! Every atom is walked, skipped, dropped or taken back: `atoms`, `dropped_atoms` and `taken_back` are all of
//! them, but those that wait.
//!
//! A read-out takes its place among the items behind the FIFO: what has left that is in it, what waits there is in
//! the next one. The core reads itself out when a sum has passed 2^30, and each time that 2^31 atoms more were walked or
//! skipped: the beats of a read-out have them modulo 2^32.
//!
//! `SW` bits of a site, `FW` of a frame, `RW` of a row (`FW` + 5), `AW` of a place in the FIFO, `CW` of a
//! counter (`SW` + 1), `CA` of a place in the ring; below 4 there is none. With `ONE` 1 and `TWO` 0 there is
//! one walker, with `ONE` 0 and `TWO` 1 there are two.
//!
//! Latency 34 cycles from a result to its hop, 36 with two walkers, out of an empty FIFO, without a ring. Throughput one result per cycle
//! into the FIFO, one item per cycle out of it.

use super::item::{EXIT_FLAGS_W, RUN_W};
use super::walk_report::{HOP_W, INDIRECT_W};
use super::{
    BITMAP_W, CommitRing, FLOW_BEAT_W, FlowWalks, ItemFifo, ItemSequencer, PacketItems, RULES_W,
};
use coretrace_hdl_dataflow::Bus;
use coretrace_hdl_etm::SOURCE_SETTINGS_W;
use coretrace_hdl_etm::layouts::{LANE_RESULT_W, PAIR_RESULT_W};
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
pub struct FlowPath<
    const SW: usize,
    const FW: usize,
    const RW: usize,
    const AW: usize,
    const CW: usize,
    const CA: usize,
    const ONE: usize,
    const TWO: usize,
> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub source: Signal<In, Bus<SOURCE_SETTINGS_W>>,
    pub returns: Signal<In, Bit>,
    pub ete: Signal<In, Bit>,
    pub rules: Signal<In, Bus<RULES_W>>,
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
    pub triggers: Signal<Out, Bit>,
    pub windowed: Signal<In, Bit>,
    pub counting: Signal<Out, Bit>,
    pub arm: Signal<In, Bit>,
    pub freeze_after: Signal<In, Bits<32>>,
    pub frozen: Signal<Out, Bit>,
    pub froze: Signal<Out, Bit>,
    pub events: Signal<Out, Bits<32>>,
    pub read_out: Signal<In, Bit>,
    pub reading: Signal<Out, Bit>,
    pub read_out_done: Signal<Out, Bit>,
    pub m_axis_tdata: Signal<Out, Bus<FLOW_BEAT_W>>,
    pub m_axis_tvalid: Signal<Out, Bit>,
    pub m_axis_tready: Signal<In, Bit>,
    pub m_axis_tlast: Signal<Out, Bit>,
    pub loses: Signal<Out, Bit>,
    pub hop: [Signal<Out, Bus<HOP_W>>; 2],
    pub hop_at: [Signal<Out, Bits<SW>>; 2],
    pub hop_base: [Signal<Out, Bits<SW>>; 2],
    pub hop_left_at: [Signal<Out, Bits<SW>>; 2],
    pub hop_ended_at: [Signal<Out, Bits<SW>>; 2],
    pub indirect: [Signal<Out, Bus<INDIRECT_W>>; 2],
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
    unit: FlowWalks<SW, FW, RW, CW, ONE, TWO>,
    /// Of all walkers.
    all_atoms: DFF<Bits<32>>,
    all_skipped: DFF<Bits<32>>,
    /// Their highest bit in the cycle before.
    top_atom: DFF<Bit>,
    /// A read-out is wanted; one goes on.
    asks: DFF<Bit>,
    busy: DFF<Bit>,
}

impl<
    const SW: usize,
    const FW: usize,
    const RW: usize,
    const AW: usize,
    const CW: usize,
    const CA: usize,
    const ONE: usize,
    const TWO: usize,
> Logic for FlowPath<SW, FW, RW, AW, CW, CA, ONE, TWO>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, packet_items, fifo, sequencer, ring, unit);
        dff_setup!(self, clock, asks, busy, all_atoms, all_skipped, top_atom);
        self.packet_items.reset.next = self.reset.val();
        self.packet_items.source.next = self.source.val();
        self.sequencer.source.next = self.source.val();
        self.ring.source.next = self.source.val();
        self.packet_items.counts_cycles.next = self.unit.triggers.val();
        self.packet_items.rules.next = self.rules.val();
        self.unit.threshold.next = self.packet_items.threshold.val();
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
        self.ring.reset.next = self.reset.val();
        self.ring.item.next = self.sequencer.item.val();
        self.ring.address.next = self.sequencer.address.val();
        self.ring.isa.next = self.sequencer.isa.val();
        self.ring.space.next = self.sequencer.space.val();
        self.ring.m_ready.next = self.unit.item_ready.val();
        self.refused.next = self.ring.refused.val();
        self.taken_back.next = self.ring.taken_back.val();
        self.sequencer.asks.next = self.asks.q.val() & !self.busy.q.val();
        if self.unit.ended.val() {
            self.busy.d.next = false;
        }
        if self.sequencer.asked.val() {
            self.asks.d.next = false;
            self.busy.d.next = true;
        }
        self.top_atom.d.next = self.all_atoms.q.val().get_bit(31);
        if self.read_out.val()
            | self.unit.fills.val()
            | (self.top_atom.q.val() ^ self.all_atoms.q.val().get_bit(31))
        {
            self.asks.d.next = true;
        }
        self.reading.next = self.busy.q.val();
        self.read_out_done.next = self.unit.ended.val();

        self.unit.reset.next = self.reset.val();
        self.unit.returns.next = self.returns.val();
        self.unit.ete.next = self.ete.val();
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
        self.triggers.next = self.unit.triggers.val();
        self.unit.windowed.next = self.windowed.val();
        self.unit.arm.next = self.arm.val();
        self.unit.freeze_after.next = self.freeze_after.val();
        self.counting.next = self.unit.counting.val();
        self.frozen.next = self.unit.frozen.val();
        self.froze.next = self.unit.froze.val();
        self.events.next = self.unit.events.val();
        self.unit.dropped_atoms.next = self.fifo.dropped_atoms.val();
        self.loses.next = self.unit.loses.val();
        self.m_axis_tdata.next = self.unit.m_axis_tdata.val();
        self.m_axis_tvalid.next = self.unit.m_axis_tvalid.val();
        self.unit.m_axis_tready.next = self.m_axis_tready.val();
        self.m_axis_tlast.next = self.unit.m_axis_tlast.val();
        for i in 0..2 {
            self.hop[i].next = self.unit.hop[i].val();
            self.hop_at[i].next = self.unit.hop_at[i].val();
            self.hop_base[i].next = self.unit.hop_base[i].val();
            self.hop_left_at[i].next = self.unit.hop_left_at[i].val();
            self.hop_ended_at[i].next = self.unit.hop_ended_at[i].val();
            self.indirect[i].next = self.unit.indirect[i].val();
        }
        self.all_atoms.d.next = self.unit.atoms[0].val() + self.unit.atoms[1].val();
        self.all_skipped.d.next = self.unit.skipped[0].val() + self.unit.skipped[1].val();
        self.atoms.next = self.all_atoms.q.val();
        self.skipped.next = self.all_skipped.q.val();

        if self.reset.val() {
            self.asks.d.next = false;
            self.busy.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Hop;
    use super::*;
    use coretrace_hdl_dataflow::Carrier;
    use coretrace_hdl_dataflow::sim::{cycle, settle};
    use coretrace_hdl_etm::LaneResult;
    use coretrace_hdl_etm::layouts::outcome;

    /// Cycles from a result to its hop.
    fn latency<const ONE: usize, const TWO: usize>() -> usize {
        let mut uut = FlowPath::<5, 1, 7, 4, 6, 1, ONE, TWO>::default();
        uut.connect_all();
        let clock = |uut: &mut FlowPath<5, 1, 7, 4, 6, 1, ONE, TWO>| {
            cycle(uut, |block, clock| block.clock.next = clock);
        };
        uut.reset.next = true;
        (0..40).for_each(|_| clock(&mut uut));
        uut.reset.next = false;
        let e = LaneResult {
            outcome: outcome::PACKET,
            suspect: 0,
            header: 0xF7,
            octet: 0xF7,
            field_ends: 0,
            field_is_short: 0,
            is1: 0,
            address: 0,
        };
        uut.s_lane[1].next = Bus(e.wide());
        uut.s_keep[1].next = true;
        let is_hop = |uut: &FlowPath<5, 1, 7, 4, 6, 1, ONE, TWO>| {
            uut.hop[0].val().to_wide().field(0, 1) == 1
        };
        assert_eq!(Hop::FIELDS[0].0, "valid");
        let mut cycles = 0;
        while !is_hop(&uut) && cycles < 100 {
            uut.s_valid.next = cycles == 0;
            clock(&mut uut);
            cycles += 1;
        }
        cycles
    }

    #[test]
    fn each_2_to_the_31_atoms_are_read_out() {
        let mut uut = FlowPath::<5, 1, 7, 4, 6, 1, 1, 0>::default();
        uut.connect_all();
        let clock = |uut: &mut FlowPath<5, 1, 7, 4, 6, 1, 1, 0>| {
            cycle(uut, |block, clock| block.clock.next = clock);
        };
        let mut reads = |atoms: u64| {
            uut.reset.next = true;
            (0..40).for_each(|_| clock(&mut uut));
            uut.reset.next = false;
            // As if these had been walked.
            uut.all_atoms.q.next = atoms.into();
            settle(&mut uut);
            let is_reading = |_| {
                clock(&mut uut);
                uut.reading.val()
            };
            (0..20).any(is_reading)
        };
        assert_eq!([(1 << 31) - 1, 1 << 31].map(&mut reads), [false, true]);
    }

    #[test]
    fn a_hop_comes_34_cycles_behind_its_result() {
        assert_eq!(latency::<1, 0>(), 34);
    }

    #[test]
    fn a_hop_of_two_walkers_comes_36_cycles_behind_its_result() {
        assert_eq!(latency::<0, 1>(), 36);
    }
}
