// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4_recompressor`: a 32-bit trace port in, the branches of one source's program out as blocks of a compressed
//! trace, registers and the tables of the program on AXI4-Lite. The encoder is X2.
//!
//! | port | dir | clock | meaning |
//! |---|---|---|---|
//! | `trace_clk`, `trace_data[31:0]`, `trace_valid` | in | | trace port in continuous mode; it may stop and come back |
//! | `aclk`, `aresetn` | in | | clock of all else; synchronous reset, active low |
//! | `s_axi_...` | | `aclk` | AXI4-Lite: the registers of `docs/recompressor-csr.md` |
//! | `m_axis_blocks_tdata[127:0]`, `..._tvalid`, `..._tready`, `..._tlast` | out, out, in, out | `aclk` | AXI4-Stream: blocks, four words a beat, TLAST at the end of each |
//! | `irq` | out | `aclk` | a bit is 1 in `INTERRUPT_STATUS` and in `INTERRUPT_ENABLE`: a level |
//!
//! ```text
//! trace port ─▶ AsyncFifo ─▶ SourceFront ─▶ BranchPath ─▶ HistoryCompressor ─▶ WordPairs ─▶
//! ```
//!
//! Nothing makes the trace port wait. What the walk cannot take in time is dropped in front of it, in atoms; behind
//! that, and wherever the place in the program was lost, the next event is a discontinuity, which says where the
//! program goes on. What the encoder cannot take in time is lost in front of it, in events, and the next block has
//! their number and says where the program goes on.
//!
//! A source that is disabled is followed to its last whole packet; its last block is closed and sent, then it can be
//! enabled again, and its blocks begin with number 0.
//!
//! A reset of any length empties everything but the tables. TVALID is 0 from the first cycle of a reset on.
//!
//! Throughput four bytes per cycle into the decoder, and one branch per cycle out of the FIFO of 511 rows; an
//! encoder takes two cycles for a taken indirect branch, and starts in 512 cycles at the begin of each block.
//! The software twin is `BranchUnit` of `coretrace-sites` in front of `BlockWriter` of `coretrace-compress`.

use crate::branch_table_port::BRANCH_W;
use crate::registers::flow::{FRAME_W, ROW_W, SITE_W};
use crate::registers::recompressor::{ADDRESS_W, PulseFields, StatusFields};
use crate::registers::{RecompressorRegisters, RecompressorSettings};
use crate::{BranchTablePort, RecompressorSwitch, SourceFront, TablePort};
use coretrace_hdl_compress::{HistoryCompressorX2, PAIR_BITS, PLACE_W, WordPairs};
use coretrace_hdl_dataflow::Bus;
use coretrace_hdl_flow::BranchPath;
use coretrace_hdl_parts::axi::Interrupts;
use coretrace_hdl_parts::stream::{AsyncFifo, Maximum, SaturatingCounter};
use rust_hdl::prelude::*;

/// Address bits of the FIFO in front of the walker.
const ROWS_W: usize = 9;
/// Address bits of the commit ring: for every speculation depth up to 255.
const RING_W: usize = 9;
/// Address bits of the FIFO behind the trace port.
const PLACES_W: usize = 10;
/// Address bits of the FIFO in front of the encoder.
const EVENTS_W: usize = 10;

/// The core; see the module text.
#[derive(LogicBlock, Default)]
pub struct Recompressor {
    pub trace_clk: Signal<In, Clock>,
    pub trace_data: Signal<In, Bits<32>>,
    pub trace_valid: Signal<In, Bit>,
    pub aclk: Signal<In, Clock>,
    pub aresetn: Signal<In, Bit>,
    pub s_axi_awaddr: Signal<In, Bits<ADDRESS_W>>,
    pub s_axi_awvalid: Signal<In, Bit>,
    pub s_axi_awready: Signal<Out, Bit>,
    pub s_axi_wdata: Signal<In, Bits<32>>,
    pub s_axi_wstrb: Signal<In, Bits<4>>,
    pub s_axi_wvalid: Signal<In, Bit>,
    pub s_axi_wready: Signal<Out, Bit>,
    pub s_axi_bresp: Signal<Out, Bits<2>>,
    pub s_axi_bvalid: Signal<Out, Bit>,
    pub s_axi_bready: Signal<In, Bit>,
    pub s_axi_araddr: Signal<In, Bits<ADDRESS_W>>,
    pub s_axi_arvalid: Signal<In, Bit>,
    pub s_axi_arready: Signal<Out, Bit>,
    pub s_axi_rdata: Signal<Out, Bits<32>>,
    pub s_axi_rresp: Signal<Out, Bits<2>>,
    pub s_axi_rvalid: Signal<Out, Bit>,
    pub s_axi_rready: Signal<In, Bit>,
    pub m_axis_blocks_tdata: Signal<Out, Bus<PAIR_BITS>>,
    pub m_axis_blocks_tvalid: Signal<Out, Bit>,
    pub m_axis_blocks_tready: Signal<In, Bit>,
    pub m_axis_blocks_tlast: Signal<Out, Bit>,
    pub irq: Signal<Out, Bit>,
    reset: DFF<Bit>,
    registers: RecompressorRegisters,
    settings: RecompressorSettings,
    pulses: PulseFields<1>,
    status: StatusFields<1>,
    table_port: TablePort<1, 0>,
    branch_table_port: BranchTablePort<1, 0>,
    interrupts: Interrupts<3>,
    switch: RecompressorSwitch,
    fifo: AsyncFifo<32, PLACES_W, 32>,
    front: SourceFront,
    path: BranchPath<SITE_W, FRAME_W, ROW_W, BRANCH_W, ROWS_W, RING_W>,
    compressor: HistoryCompressorX2<EVENTS_W, PLACE_W>,
    pairs: WordPairs,
    events: SaturatingCounter,
    lost_events: SaturatingCounter,
    blocks: SaturatingCounter,
    words: SaturatingCounter,
    most_waiting: Maximum<EVENTS_W>,
    /// The stream may send: no reset.
    sends: Signal<Local, Bit>,
    /// A beat leaves, and the last one of a block.
    leaves: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
}

impl Logic for Recompressor {
    #[hdl_gen]
    fn update(&mut self) {
        self.reset.clock.next = self.aclk.val();
        clock!(
            self,
            aclk,
            registers,
            settings,
            table_port,
            branch_table_port,
            interrupts,
            switch,
            fifo,
            front,
            path,
            compressor,
            pairs,
            events,
            lost_events,
            blocks,
            words,
            most_waiting
        );
        self.reset.d.next = !self.aresetn.val();

        self.registers.reset.next = self.reset.q.val();
        self.registers.s_axi_awaddr.next = self.s_axi_awaddr.val();
        self.registers.s_axi_awvalid.next = self.s_axi_awvalid.val();
        self.s_axi_awready.next = self.registers.s_axi_awready.val();
        self.registers.s_axi_wdata.next = self.s_axi_wdata.val();
        self.registers.s_axi_wstrb.next = self.s_axi_wstrb.val();
        self.registers.s_axi_wvalid.next = self.s_axi_wvalid.val();
        self.s_axi_wready.next = self.registers.s_axi_wready.val();
        self.s_axi_bresp.next = self.registers.s_axi_bresp.val();
        self.s_axi_bvalid.next = self.registers.s_axi_bvalid.val();
        self.registers.s_axi_bready.next = self.s_axi_bready.val();
        self.registers.s_axi_araddr.next = self.s_axi_araddr.val();
        self.registers.s_axi_arvalid.next = self.s_axi_arvalid.val();
        self.s_axi_arready.next = self.registers.s_axi_arready.val();
        self.s_axi_rdata.next = self.registers.s_axi_rdata.val();
        self.s_axi_rresp.next = self.registers.s_axi_rresp.val();
        self.s_axi_rvalid.next = self.registers.s_axi_rvalid.val();
        self.registers.s_axi_rready.next = self.s_axi_rready.val();
        self.settings.settings.next = self.registers.settings.val();
        self.settings.is_busy.next = self.switch.is_busy.val();
        self.pulses.bus.next = self.registers.pulses.val();
        self.registers.snapshot.next = self.pulses.snapshot.val();
        self.registers.status.next = self.status.bus.val();
        self.table_port.memory.next = self.settings.table_memory.val();
        self.table_port.index.next = self.settings.table_index.val();
        self.table_port.word.next = self.settings.table_word.val();
        self.table_port.write.next = self.pulses.table_write.val();
        self.branch_table_port.memory.next = self.settings.table_memory.val();
        self.branch_table_port.word.next = self.settings.table_word.val();
        self.branch_table_port.write.next = self.pulses.table_write.val();

        self.switch.reset.next = self.reset.q.val();
        self.switch.enable.next = self.settings.enable.val();
        self.switch.waits.next = self.path.waits.val();
        self.switch.event_valid.next = self.path.branch_valid.val();
        self.switch.is_idle.next = self.compressor.is_idle.val();

        self.fifo.reset.next = self.switch.path_reset.val();
        self.fifo.write_clock.next = self.trace_clk.val();
        self.fifo.write_data.next = self.trace_data.val();
        self.fifo.write_valid.next = self.trace_valid.val();
        self.fifo.enable.next = true;
        self.front.reset.next = self.switch.path_reset.val();
        self.front.clear.next = self.pulses.clear.val();
        self.front.s_axis_tdata.next = self.fifo.m_axis_tdata.val();
        self.front.s_axis_tvalid.next = self.fifo.m_axis_tvalid.val();
        self.front.s_axis_tuser.next = self.fifo.m_axis_tuser.val();
        self.front.active.next = self.switch.active.val();
        self.front.begins.next = self.switch.begins.val();
        self.front.trace_id.next = self.settings.trace_id.val();
        self.front.source.next = self.settings.source.val();

        self.path.reset.next = self.switch.path_reset.val();
        self.path.flush.next = self.switch.path_flush.val();
        self.path.source.next = self.settings.source.val();
        self.path.returns.next = self.settings.returns.val();
        self.path.ete.next = self.settings.ete.val();
        self.path.rules.next = self.settings.rules.val();
        self.path.is_a32.next = self.settings.is_a32.val();
        self.path.s_valid.next = self.front.m_valid.val();
        self.path.s_discontinuity.next = self.front.m_discontinuity.val();
        self.path.s_pending.next = self.front.m_pending.val();
        for i in 0..4 {
            self.path.s_keep[i].next = self.front.m_keep[i].val();
            self.path.s_lane[i].next = self.front.m_lane[i].val();
        }
        for i in 0..2 {
            self.path.s_pair[i].next = self.front.m_pair[i].val();
        }
        self.path.page_write.next = self.table_port.page_write.val();
        self.path.page_slot.next = self.table_port.page_slot.val();
        self.path.page_word.next = self.table_port.page_word.val();
        self.path.row_write.next = self.table_port.row_write.val();
        self.path.row.next = self.table_port.row.val();
        self.path.row_bitmap.next = self.table_port.row_bitmap.val();
        self.path.row_base.next = self.table_port.row_base.val();
        self.path.exit_write.next = self.table_port.exit_write.val();
        self.path.run_write.next = self.table_port.run_write.val();
        self.path.write_site.next = self.table_port.write_site.val();
        self.path.write_exit.next = self.table_port.write_exit.val();
        self.path.write_flags.next = self.table_port.write_flags.val();
        self.path.write_run.next = self.table_port.write_run.val();
        self.path.branch_write.next = self.branch_table_port.branch_write.val();
        self.path.write_branch.next = self.branch_table_port.write_branch.val();
        self.path.calls_write.next = self.branch_table_port.calls_write.val();
        self.path.write_calls.next = self.branch_table_port.write_calls.val();

        self.compressor.reset.next = self.switch.compressor_reset.val();
        self.compressor.trace_id.next = self.settings.trace_id.val();
        self.compressor.is_a32.next = self.settings.is_a32.val();
        self.compressor.last_place.next = self.settings.last_place.val();
        self.compressor.most_cycles.next = self.settings.most_cycles.val();
        self.compressor.flush.next = self.pulses.flush.val() | self.switch.flush.val();
        self.compressor.event_valid.next = self.path.branch_valid.val();
        self.compressor.begins.next = self.path.begins.val() | self.switch.places.val();
        self.compressor.lost_before.next = 0.into();
        self.compressor.pc.next = self.path.pc.val();
        self.compressor.next_pc.next = self.path.next_pc.val();
        self.compressor.kind.next = self.path.kind.val();
        self.compressor.taken.next = self.path.taken_branch.val();
        self.compressor.is_discontinuity.next = self.path.is_discontinuity.val();
        self.compressor.instructions.next = self.path.instructions.val();

        self.sends.next = self.aresetn.val() & !self.reset.q.val();
        self.pairs.reset.next = self.switch.compressor_reset.val();
        self.pairs.s_axis_tdata.next = self.compressor.m_axis_tdata.val();
        self.pairs.s_axis_tvalid.next = self.compressor.m_axis_tvalid.val();
        self.compressor.m_axis_tready.next = self.pairs.s_axis_tready.val();
        self.pairs.s_axis_tlast.next = self.compressor.m_axis_tlast.val();
        self.m_axis_blocks_tdata.next = self.pairs.m_axis_tdata.val();
        self.m_axis_blocks_tvalid.next = self.pairs.m_axis_tvalid.val() & self.sends.val();
        self.pairs.m_axis_tready.next = self.m_axis_blocks_tready.val();
        self.m_axis_blocks_tlast.next = self.pairs.m_axis_tlast.val();
        self.leaves.next = self.pairs.m_axis_tvalid.val() & self.m_axis_blocks_tready.val();
        self.ends.next = self.leaves.val() & self.pairs.m_axis_tlast.val();

        self.events.reset.next = self.reset.q.val();
        self.events.clear.next = self.pulses.clear.val();
        self.events.amount.next = bits::<3>(0) + self.compressor.takes.val();
        self.lost_events.reset.next = self.reset.q.val();
        self.lost_events.clear.next = self.pulses.clear.val();
        self.lost_events.amount.next = bits::<3>(0) + self.compressor.loses.val();
        self.blocks.reset.next = self.reset.q.val();
        self.blocks.clear.next = self.pulses.clear.val();
        self.blocks.amount.next = bits::<3>(0) + self.ends.val();
        self.words.reset.next = self.reset.q.val();
        self.words.clear.next = self.pulses.clear.val();
        self.words.amount.next = 0.into();
        if self.leaves.val() {
            self.words.amount.next = 4.into();
        }
        self.most_waiting.reset.next = self.reset.q.val();
        self.most_waiting.clear.next = self.pulses.clear.val();
        self.most_waiting.level.next = self.compressor.waiting.val();

        self.interrupts.reset.next = self.switch.path_reset.val();
        self.interrupts.events[0].next =
            self.front.loses.val() | self.path.loses.val() | self.compressor.loses.val();
        self.interrupts.events[1].next = self.ends.val();
        self.interrupts.events[2].next = self.switch.stops.val();
        self.interrupts.clears[0].next = self.pulses.loss.val();
        self.interrupts.clears[1].next = self.pulses.block.val();
        self.interrupts.clears[2].next = self.pulses.stopped.val();
        self.interrupts.enables[0].next = self.settings.loss_enable.val();
        self.interrupts.enables[1].next = self.settings.block_enable.val();
        self.interrupts.enables[2].next = self.settings.stopped_enable.val();
        self.irq.next = self.interrupts.irq.val();

        self.status.in_sync.next = self.front.in_sync.val();
        self.status.running.next = self.switch.active.val();
        self.status.busy.next = self.switch.is_busy.val();
        self.status.refused.next = self.path.refused.val();
        self.status.loss.next = self.interrupts.pending[0].val();
        self.status.block.next = self.interrupts.pending[1].val();
        self.status.stopped.next = self.interrupts.pending[2].val();
        self.status.encoder_preset.next = self.compressor.encoder_numbers.val().get_bits::<8>(0);
        self.status.encoder_kind.next = self.compressor.encoder_numbers.val().get_bits::<4>(8);
        self.status.frames.next = self.front.frames.val();
        self.status.sync_losses.next = self.front.sync_losses.val();
        self.status.sync_acquisitions.next = self.front.sync_acquisitions.val();
        self.status.null_drops.next = self.front.null_drops.val();
        self.status.reserved_drops.next = self.front.reserved_drops.val();
        self.status.unclaimed_drops.next = self.front.unclaimed_drops.val();
        self.status.lost_words.next = self.fifo.sts_overflows.val();
        self.status.atoms.next = self.path.atoms.val();
        self.status.skipped_atoms.next = self.path.skipped.val();
        self.status.dropped_atoms.next = self.path.dropped_atoms.val();
        self.status.taken_back_atoms.next = self.path.taken_back.val();
        self.status.waiting_rows.next = bit_cast::<16, ROWS_W>(self.path.level.val());
        self.status.bytes.next = self.front.bytes.val();
        self.status.losses.next = self.front.losses.val();
        self.status.events.next = self.events.count.val();
        self.status.lost_events.next = self.lost_events.count.val();
        self.status.blocks.next = self.blocks.count.val();
        self.status.words.next = self.words.count.val();
        self.status.most_waiting.next = bit_cast::<16, EVENTS_W>(self.most_waiting.most.val());
    }
}

impl Recompressor {
    /// Rows that wait for the walker, in a simulation.
    pub fn waiting_rows(&self) -> u64 {
        self.path.level.val().to_u64()
    }

    /// Events that wait for the encoder, in a simulation.
    pub fn waiting_events(&self) -> u64 {
        self.compressor.waiting.val().to_u64()
    }
}

// On the bus both clocks are one.
coretrace_hdl_parts::axi_slave!(Recompressor, |core: &mut Self, clock| {
    core.aclk.next = clock;
    core.trace_clk.next = clock;
});
