// SPDX-License-Identifier: MIT OR Apache-2.0
//! `trace_compressor`, `trace_compressor_x1`, `trace_compressor_m4` and `trace_compressor_rbase`: the branches of a
//! core in, blocks of a compressed trace out, registers on AXI4-Lite. They differ in their encoder, which is X2, X1,
//! M4 or rBASE.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `aclk`, `aresetn` | in | clock of all; synchronous reset, active low |
//! | `s_axi_...` | | AXI4-Lite: the registers of `docs/compressor-csr.md` |
//! | `s_axis_branches_tdata[191:0]`, `..._tvalid` | in | AXI4-Stream without TREADY: the branch stream of `docs/records.md`, an event a beat |
//! | `m_axis_blocks_tdata[127:0]`, `..._tvalid`, `..._tready`, `..._tlast` | out, out, in, out | AXI4-Stream: blocks, four words a beat, TLAST at the end of each |
//! | `irq` | out | a bit is 1 in `INTERRUPT_STATUS` and in `INTERRUPT_ENABLE`: a level |
//!
//! ```text
//! retirement port ─▶ BranchFields ─▶ EventFifo ─▶ encoder ─▶ BlockFramer ─▶ WordPairs ─▶
//!                                        ▲ the events of a block that is full │
//!                                        └────────────────────────────────────┘
//! ```
//!
//! Nothing makes the core that is traced wait. What finds the FIFO full is lost, counted, and reported by the next
//! block; nothing is lost behind it. The FIFO holds 1022 events, that of M4 and of rBASE 510.
//!
//! A core that is disabled closes and sends its last block; then it can be enabled again, and its blocks begin
//! with number 0. The first event behind an enable only says where execution goes on.
//!
//! A reset of any length empties everything. TVALID is 0 from the first cycle of a reset on; a block that it cuts has no
//! TLAST.
//!
//! Throughput one event per cycle; an encoder takes two cycles for a taken indirect branch, and starts in 512
//! cycles at the begin of each block.

use crate::CompressorSwitch;
use crate::registers::compressor::{ADDRESS_W, PulseFields, StatusFields};
use crate::registers::{CompressorRegisters, CompressorSettings};
use coretrace_hdl_compress::{
    BRANCH_BEAT_W, BranchFields, HistoryCompressorX1, HistoryCompressorX2, PAIR_BITS, PLACE_W,
    RaptorCompressor, StreamCacheCompressor, WordPairs,
};
use coretrace_hdl_dataflow::Bus;
use coretrace_hdl_parts::axi::Interrupts;
use coretrace_hdl_parts::stream::{Maximum, SaturatingCounter};
use rust_hdl::prelude::*;

/// Declares a core around a compressor whose FIFO has 2^`$fifo` places.
macro_rules! compressor_top {
    ($(#[$meta:meta])* pub struct $name:ident; compressor $compressor:ty; fifo $fifo:literal;) => {
        $(#[$meta])*
        #[derive(LogicBlock, Default)]
        pub struct $name {
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
            pub s_axis_branches_tdata: Signal<In, Bus<BRANCH_BEAT_W>>,
            pub s_axis_branches_tvalid: Signal<In, Bit>,
            pub m_axis_blocks_tdata: Signal<Out, Bus<PAIR_BITS>>,
            pub m_axis_blocks_tvalid: Signal<Out, Bit>,
            pub m_axis_blocks_tready: Signal<In, Bit>,
            pub m_axis_blocks_tlast: Signal<Out, Bit>,
            pub irq: Signal<Out, Bit>,
            reset: DFF<Bit>,
            registers: CompressorRegisters,
            settings: CompressorSettings,
            pulses: PulseFields<1>,
            status: StatusFields<1>,
            interrupts: Interrupts<3>,
            switch: CompressorSwitch,
            beat: DFF<Bus<BRANCH_BEAT_W>>,
            beat_valid: DFF<Bit>,
            fields: BranchFields<1>,
            compressor: $compressor,
            pairs: WordPairs,
            events: SaturatingCounter,
            lost_events: SaturatingCounter,
            blocks: SaturatingCounter,
            words: SaturatingCounter,
            most_waiting: Maximum<$fifo>,
            /// The stream may send: no reset.
            sends: Signal<Local, Bit>,
            /// A beat leaves, and the last one of a block.
            leaves: Signal<Local, Bit>,
            ends: Signal<Local, Bit>,
        }

        impl Logic for $name {
            #[hdl_gen]
            fn update(&mut self) {
                self.reset.clock.next = self.aclk.val();
                self.registers.clock.next = self.aclk.val();
                self.settings.clock.next = self.aclk.val();
                self.interrupts.clock.next = self.aclk.val();
                self.switch.clock.next = self.aclk.val();
                self.beat.clock.next = self.aclk.val();
                self.beat_valid.clock.next = self.aclk.val();
                self.compressor.clock.next = self.aclk.val();
                self.pairs.clock.next = self.aclk.val();
                self.events.clock.next = self.aclk.val();
                self.lost_events.clock.next = self.aclk.val();
                self.blocks.clock.next = self.aclk.val();
                self.words.clock.next = self.aclk.val();
                self.most_waiting.clock.next = self.aclk.val();
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

                self.switch.reset.next = self.reset.q.val();
                self.switch.enable.next = self.settings.enable.val();
                self.switch.event_valid.next = self.beat_valid.q.val();
                self.switch.is_idle.next = self.compressor.is_idle.val();

                self.beat.d.next = self.s_axis_branches_tdata.val();
                self.beat_valid.d.next =
                    self.s_axis_branches_tvalid.val() & self.switch.active.val();
                self.fields.valid.next = self.beat_valid.q.val();
                self.fields.beat.next = self.beat.q.val();
                self.compressor.reset.next = self.switch.compressor_reset.val();
                self.compressor.trace_id.next = self.settings.trace_id.val();
                self.compressor.is_a32.next = self.settings.is_a32.val();
                self.compressor.last_place.next = self.settings.last_place.val();
                self.compressor.most_cycles.next = self.settings.most_cycles.val();
                self.compressor.flush.next = self.pulses.flush.val() | self.switch.flush.val();
                self.compressor.event_valid.next = self.beat_valid.q.val();
                self.compressor.begins.next =
                    self.fields.begins.val() | self.switch.begins.val();
                self.compressor.lost_before.next = self.fields.lost_before.val();
                self.compressor.pc.next = self.fields.pc.val();
                self.compressor.next_pc.next = self.fields.next_pc.val();
                self.compressor.kind.next = self.fields.kind.val();
                self.compressor.taken.next = self.fields.taken.val();
                self.compressor.is_discontinuity.next = self.fields.is_discontinuity.val();
                self.compressor.instructions.next = self.fields.instructions.val();

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

                self.interrupts.reset.next = self.reset.q.val();
                self.interrupts.events[0].next = self.compressor.loses.val();
                self.interrupts.events[1].next = self.ends.val();
                self.interrupts.events[2].next = self.switch.stops.val();
                self.interrupts.clears[0].next = self.pulses.loss.val();
                self.interrupts.clears[1].next = self.pulses.block.val();
                self.interrupts.clears[2].next = self.pulses.stopped.val();
                self.interrupts.enables[0].next = self.settings.loss_enable.val();
                self.interrupts.enables[1].next = self.settings.block_enable.val();
                self.interrupts.enables[2].next = self.settings.stopped_enable.val();
                self.irq.next = self.interrupts.irq.val();

                self.status.running.next = self.switch.active.val();
                self.status.busy.next = self.switch.is_busy.val() & !self.compressor.is_idle.val();
                self.status.loss.next = self.interrupts.pending[0].val();
                self.status.block.next = self.interrupts.pending[1].val();
                self.status.stopped.next = self.interrupts.pending[2].val();
                self.status.encoder_preset.next =
                    self.compressor.encoder_numbers.val().get_bits::<8>(0);
                self.status.encoder_kind.next =
                    self.compressor.encoder_numbers.val().get_bits::<4>(8);
                self.status.events.next = self.events.count.val();
                self.status.lost_events.next = self.lost_events.count.val();
                self.status.blocks.next = self.blocks.count.val();
                self.status.words.next = self.words.count.val();
                self.status.most_waiting.next =
                    bit_cast::<16, $fifo>(self.most_waiting.most.val());
            }
        }

        coretrace_hdl_parts::axi_slave!($name, |core: &mut Self, clock| core.aclk.next = clock);
    };
}

compressor_top! {
    /// `trace_compressor`: X2.
    pub struct TraceCompressor;
    compressor HistoryCompressorX2<10, PLACE_W>;
    fifo 10;
}

compressor_top! {
    /// `trace_compressor_x1`: X1.
    pub struct TraceCompressorX1;
    compressor HistoryCompressorX1<10, PLACE_W>;
    fifo 10;
}

compressor_top! {
    /// `trace_compressor_m4`: M4.
    pub struct TraceCompressorM4;
    compressor RaptorCompressor<9, 8, 5, 9, PLACE_W>;
    fifo 9;
}

compressor_top! {
    /// `trace_compressor_rbase`: rBASE.
    pub struct TraceCompressorRBase;
    compressor StreamCacheCompressor<9, PLACE_W>;
    fifo 9;
}
