// SPDX-License-Identifier: MIT OR Apache-2.0
//! `flow_core` and `flow_core_x2`: a 32-bit trace port in, exact counts of the branches of one source's program out,
//! registers and the table of the program on AXI4-Lite.
//!
//! | port | dir | clock | meaning |
//! |---|---|---|---|
//! | `trace_clk`, `trace_data[31:0]`, `trace_valid` | in | | trace port in continuous mode; it may stop and come back |
//! | `aclk`, `aresetn` | in | | clock of all else; synchronous reset, active low |
//! | `s_axi_...` | | `aclk` | AXI4-Lite: the registers of `docs/flow-csr.md` |
//! | `m_axis_flow_tdata[127:0]`, `..._tvalid`, `..._tready`, `..._tlast` | | `aclk` | AXI4-Stream: the flow stream of `docs/records.md`, four words a beat, in packets of up to 4 KiB |
//! | `irq` | out | `aclk` | a bit is 1 in `INTERRUPT_STATUS` and in `INTERRUPT_ENABLE`: a level |
//!
//! ```text
//! trace port ─▶ AsyncFifo ─▶ SourceFront ─▶ FlowPath ─▶
//! ```
//!
//! Nothing makes the trace port wait, and the stream holds nothing back: while nobody reads it, counts
//! wait in the core, and losses are left out, which the next one says. What the walker cannot take in
//! time is dropped in front of it, counted in atoms, and reported in the stream. What a trace unit may still
//! take back waits in a ring, for speculation depths (TRCIDR8) up to 255.
//!
//! A reset of any length empties the data path; the table and the counts stay.
//!
//! A source that is enabled begins with a gap in the flow, 64 cycles after it was disabled at the earliest:
//! until then results of the stream before may be in flight, and its settings are kept, whatever the
//! registers say.
//!
//! `flow_core_x2` has two walkers, see [`FlowPair`](coretrace_hdl_flow::FlowPair): use it without a return stack. It
//! has no triggers, because neither walker knows what the other one is at.
//!
//! Throughput four bytes per cycle into the decoder, and one taken branch per cycle out of the FIFO of
//! 511 rows, or two of `flow_core_x2`. Latency 36 cycles from a result of the decoder to its hop, or 38, without
//! speculation.

use crate::registers::flow::{ADDRESS_W, FRAME_W, PulseFields, ROW_W, SITE_W, StatusFields};
use crate::registers::{FlowRegisters, FlowSettings};
use crate::{SourceFront, SourceSwitch, TablePort};
use coretrace_abi::registers::BYTES_PER_CYCLE;
use coretrace_hdl_dataflow::Bus;
use coretrace_hdl_flow::{FLOW_BEAT_W, FlowPath};
use coretrace_hdl_parts::axi::Interrupts;
use coretrace_hdl_parts::stream::AsyncFifo;
use rust_hdl::prelude::*;

// The register table reports the width of this port.
const _: () = assert!(BYTES_PER_CYCLE == 4);

/// Address bits of the FIFO in front of the walker.
const ROWS_W: usize = 9;
/// Address bits of the commit ring: for every speculation depth up to 255.
const RING_W: usize = 9;
/// Address bits of the FIFO behind the trace port.
const PLACES_W: usize = 10;

/// The core; see the module text. `ONE` is 1 with one walker, and `TWO` with two; the other is 0.
#[derive(LogicBlock, Default)]
pub struct FlowCoreTop<const ONE: usize, const TWO: usize> {
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
    pub m_axis_flow_tdata: Signal<Out, Bus<FLOW_BEAT_W>>,
    pub m_axis_flow_tvalid: Signal<Out, Bit>,
    pub m_axis_flow_tready: Signal<In, Bit>,
    pub m_axis_flow_tlast: Signal<Out, Bit>,
    pub irq: Signal<Out, Bit>,
    reset: DFF<Bit>,
    registers: FlowRegisters,
    settings: FlowSettings,
    pulses: PulseFields<1>,
    status: StatusFields<1>,
    table_port: TablePort<1, 0>,
    interrupts: Interrupts<3>,
    switch: SourceSwitch,
    fifo: AsyncFifo<32, PLACES_W, 32>,
    front: SourceFront,
    path: FlowPath<SITE_W, FRAME_W, ROW_W, ROWS_W, { SITE_W + 1 }, RING_W, ONE, TWO>,
    /// The stream may send: no reset.
    sends: Signal<Local, Bit>,
}

impl<const ONE: usize, const TWO: usize> Logic for FlowCoreTop<ONE, TWO> {
    #[hdl_gen]
    fn update(&mut self) {
        self.reset.clock.next = self.aclk.val();
        self.registers.clock.next = self.aclk.val();
        self.settings.clock.next = self.aclk.val();
        self.table_port.clock.next = self.aclk.val();
        self.switch.clock.next = self.aclk.val();
        self.fifo.clock.next = self.aclk.val();
        self.front.clock.next = self.aclk.val();
        self.path.clock.next = self.aclk.val();
        self.interrupts.clock.next = self.aclk.val();
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
        self.table_port.memory.next = self.settings.table_memory.val();
        self.table_port.index.next = self.settings.table_index.val();
        self.table_port.word.next = self.settings.table_word.val();
        self.pulses.bus.next = self.registers.pulses.val();
        self.table_port.write.next = self.pulses.table_write.val();
        self.registers.snapshot.next = self.pulses.snapshot.val();
        self.registers.status.next = self.status.bus.val();

        // Results in flight belong to the settings they were decoded with: new settings wait.
        self.switch.reset.next = self.reset.q.val();
        self.switch.enable.next = self.settings.enable.val();
        self.settings.is_busy.next = self.switch.is_busy.val();

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
        self.path.source.next = self.settings.source.val();
        self.path.returns.next = self.settings.returns.val();
        self.path.ete.next = self.settings.ete.val();
        self.path.rules.next = self.settings.rules.val();
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
        self.path.windowed.next = self.settings.windowed.val();
        self.path.arm.next = self.pulses.arm.val();
        self.path.freeze_after.next = self.settings.freeze_after.val();
        self.path.read_out.next = self.pulses.read_out.val();
        self.sends.next = self.aresetn.val() & !self.reset.q.val() & !self.switch.path_reset.val();
        self.m_axis_flow_tdata.next = self.path.m_axis_tdata.val();
        self.m_axis_flow_tvalid.next = self.path.m_axis_tvalid.val() & self.sends.val();
        self.path.m_axis_tready.next = self.m_axis_flow_tready.val();
        self.m_axis_flow_tlast.next = self.path.m_axis_tlast.val();

        self.interrupts.reset.next = self.switch.path_reset.val();
        self.interrupts.events[0].next = self.front.loses.val() | self.path.loses.val();
        self.interrupts.events[1].next = self.path.read_out_done.val();
        self.interrupts.events[2].next = self.path.froze.val();
        self.interrupts.clears[0].next = self.pulses.loss.val();
        self.interrupts.clears[1].next = self.pulses.read_out_done.val();
        self.interrupts.clears[2].next = self.pulses.froze.val();
        self.interrupts.enables[0].next = self.settings.loss_enable.val();
        self.interrupts.enables[1].next = self.settings.read_out_done_enable.val();
        self.interrupts.enables[2].next = self.settings.froze_enable.val();
        self.irq.next = self.interrupts.irq.val();

        self.status.in_sync.next = self.front.in_sync.val();
        self.status.running.next = self.switch.active.val();
        self.status.reading.next = self.path.reading.val();
        self.status.loss.next = self.interrupts.pending[0].val();
        self.status.read_out_done.next = self.interrupts.pending[1].val();
        self.status.froze.next = self.interrupts.pending[2].val();
        self.status.counting.next = self.path.counting.val();
        self.status.frozen.next = self.path.frozen.val();
        self.status.triggers.next = self.path.triggers.val();
        self.status.trigger_events.next = self.path.events.val();
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
        self.status.refused.next = self.path.refused.val();
        self.status.taken_back_atoms.next = self.path.taken_back.val();
        self.status.waiting_rows.next = bit_cast::<16, ROWS_W>(self.path.level.val());
        self.status.bytes.next = self.front.bytes.val();
        self.status.losses.next = self.front.losses.val();
    }
}

impl<const ONE: usize, const TWO: usize> FlowCoreTop<ONE, TWO> {
    /// Rows that wait for the walker, in a simulation.
    pub fn waiting_rows(&self) -> u64 {
        self.path.level.val().to_u64()
    }
}

// On the bus both clocks are one.
coretrace_hdl_parts::axi_slave!([const ONE: usize, const TWO: usize] FlowCoreTop<ONE, TWO>, |core: &mut Self, clock| {
    core.aclk.next = clock;
    core.trace_clk.next = clock;
});
