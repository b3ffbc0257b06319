// SPDX-License-Identifier: MIT OR Apache-2.0
//! `SoftwareSource`: an STM or an ITM beside the source of a core: its registers, its recorder and its counts.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset of the bus, synchronous, active high |
//! | `s_axi_...` | | AXI4-Lite: the registers of `docs/software-csr.md` from `SOFTWARE_KIND` on |
//! | `trace_id[6:0]`, `active` | out | its trace ID, and whether its bytes are wanted |
//! | `loses` | out | a row finds no room |
//! | `s_axis_tdata[31:0]`, `s_axis_tkeep[3:0]`, `s_axis_tvalid`, `s_axis_discontinuity`, `s_axis_place[31:0]` | in | its rows, see [`StpRecorder`] |
//! | `lost_words[31:0]` | in | words of the trace port that were lost so far |
//! | `path_reset` | in | the data path is in reset |
//! | `snapshot`, `clear` | in | of the whole core, for one cycle |
//! | `m_axis_tdata[127:0]`, `m_axis_tvalid`, `m_axis_tready`, `m_axis_tlast` | | AXI4-Stream: the software stream of `docs/records.md` |
//!
//! With `STM` 1 and `ITM` 0 it is an STM, with `STM` 0 and `ITM` 1 an ITM.
//!
//! A source that is disabled sends all that it has recorded; only then can another one begin, with a START. See
//! [`SoftwareSwitch`].
//!
//! Throughput and losses are those of the recorder.

use crate::SoftwareSwitch;
use crate::registers::core::ADDRESS_W;
use crate::registers::software::{PulseFields, StatusFields};
use crate::registers::{SoftwareRegisters, SoftwareSettings};
use coretrace_hdl_dataflow::Bus;
use coretrace_hdl_parts::stream::SaturatingCounter;
use coretrace_hdl_sink::records::DATA_W;
use coretrace_hdl_sink::software::{ItmRecorder, StpRecorder};
use rust_hdl::prelude::*;
use std::array::from_fn;

#[derive(LogicBlock)]
pub struct SoftwareSource<const STM: usize, const ITM: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
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
    pub trace_id: Signal<Out, Bits<7>>,
    pub active: Signal<Out, Bit>,
    pub loses: Signal<Out, Bit>,
    pub s_axis_tdata: Signal<In, Bits<32>>,
    pub s_axis_tkeep: Signal<In, Bits<4>>,
    pub s_axis_tvalid: Signal<In, Bit>,
    pub s_axis_discontinuity: Signal<In, Bit>,
    pub s_axis_place: Signal<In, Bits<32>>,
    pub lost_words: Signal<In, Bits<32>>,
    pub path_reset: Signal<In, Bit>,
    pub snapshot: Signal<In, Bit>,
    pub clear: Signal<In, Bit>,
    pub m_axis_tdata: Signal<Out, Bus<DATA_W>>,
    pub m_axis_tvalid: Signal<Out, Bit>,
    pub m_axis_tready: Signal<In, Bit>,
    pub m_axis_tlast: Signal<Out, Bit>,
    registers: SoftwareRegisters,
    settings: SoftwareSettings,
    pulses: PulseFields<1>,
    status: StatusFields<1>,
    switch: SoftwareSwitch,
    stm: [StpRecorder; STM],
    itm: [ItmRecorder; ITM],
    bytes: SaturatingCounter,
    records: SaturatingCounter,
    losses: SaturatingCounter,
    keep_s1: DFF<Bits<4>>,
    lost_s1: DFF<Bit>,
    recorder_reset: Signal<Local, Bit>,
    has_beat: Signal<Local, Bit>,
    recorded: Signal<Local, Bits<2>>,
    is_itm: Constant<Bit>,
}

impl<const STM: usize, const ITM: usize> Default for SoftwareSource<STM, ITM> {
    fn default() -> Self {
        assert!(STM + ITM == 1, "an STM or an ITM");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            s_axi_awaddr: Default::default(),
            s_axi_awvalid: Default::default(),
            s_axi_awready: Default::default(),
            s_axi_wdata: Default::default(),
            s_axi_wstrb: Default::default(),
            s_axi_wvalid: Default::default(),
            s_axi_wready: Default::default(),
            s_axi_bresp: Default::default(),
            s_axi_bvalid: Default::default(),
            s_axi_bready: Default::default(),
            s_axi_araddr: Default::default(),
            s_axi_arvalid: Default::default(),
            s_axi_arready: Default::default(),
            s_axi_rdata: Default::default(),
            s_axi_rresp: Default::default(),
            s_axi_rvalid: Default::default(),
            s_axi_rready: Default::default(),
            trace_id: Default::default(),
            active: Default::default(),
            loses: Default::default(),
            s_axis_tdata: Default::default(),
            s_axis_tkeep: Default::default(),
            s_axis_tvalid: Default::default(),
            s_axis_discontinuity: Default::default(),
            s_axis_place: Default::default(),
            lost_words: Default::default(),
            path_reset: Default::default(),
            snapshot: Default::default(),
            clear: Default::default(),
            m_axis_tdata: Default::default(),
            m_axis_tvalid: Default::default(),
            m_axis_tready: Default::default(),
            m_axis_tlast: Default::default(),
            registers: Default::default(),
            settings: Default::default(),
            pulses: Default::default(),
            status: Default::default(),
            switch: Default::default(),
            stm: from_fn(|_| Default::default()),
            itm: from_fn(|_| Default::default()),
            bytes: Default::default(),
            records: Default::default(),
            losses: Default::default(),
            keep_s1: Default::default(),
            lost_s1: Default::default(),
            recorder_reset: Default::default(),
            has_beat: Default::default(),
            recorded: Default::default(),
            is_itm: Constant::new(ITM == 1),
        }
    }
}

impl<const STM: usize, const ITM: usize> Logic for SoftwareSource<STM, ITM> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, keep_s1, lost_s1);
        clock!(
            self, clock, registers, settings, switch, bytes, records, losses
        );
        self.registers.reset.next = self.reset.val();
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
        self.pulses.bus.next = self.registers.pulses.val();
        self.registers.snapshot.next = self.snapshot.val();
        self.registers.status.next = self.status.bus.val();

        self.switch.reset.next = self.path_reset.val();
        self.switch.enable.next = self.settings.enable.val();
        self.settings.is_busy.next = self.switch.is_busy.val();
        self.trace_id.next = self.settings.trace_id.val();
        self.active.next = self.switch.active.val();

        self.recorder_reset.next = self.switch.recorder_reset.val() | self.path_reset.val();
        for i in 0..STM {
            self.stm[i].clock.next = self.clock.val();
            self.stm[i].reset.next = self.recorder_reset.val();
            self.stm[i].trace_id.next = self.settings.trace_id.val();
            self.stm[i].lenient.next = self.settings.lenient.val();
            self.stm[i].flush.next = self.pulses.flush.val();
            self.stm[i].lost_words.next = self.lost_words.val();
            self.stm[i].s_axis_tdata.next = self.s_axis_tdata.val();
            self.stm[i].s_axis_tkeep.next = self.s_axis_tkeep.val();
            self.stm[i].s_axis_tvalid.next = self.s_axis_tvalid.val();
            self.stm[i].s_axis_discontinuity.next = self.s_axis_discontinuity.val();
            self.stm[i].s_axis_place.next = self.s_axis_place.val();
            self.stm[i].m_axis_tready.next = self.m_axis_tready.val();
            self.m_axis_tdata.next = self.stm[i].m_axis_tdata.val();
            self.has_beat.next = self.stm[i].m_axis_tvalid.val();
            self.m_axis_tlast.next = self.stm[i].m_axis_tlast.val();
            self.recorded.next = self.stm[i].records.val();
            self.loses.next = self.stm[i].loses.val();
            self.status.lost_rows.next = self.stm[i].sts_lost_rows.val();
        }
        for i in 0..ITM {
            self.itm[i].clock.next = self.clock.val();
            self.itm[i].reset.next = self.recorder_reset.val();
            self.itm[i].trace_id.next = self.settings.trace_id.val();
            self.itm[i].lenient.next = self.settings.lenient.val();
            self.itm[i].itm_tcr.next = self.settings.itm_tcr.val();
            self.itm[i].flush.next = self.pulses.flush.val();
            self.itm[i].lost_words.next = self.lost_words.val();
            self.itm[i].s_axis_tdata.next = self.s_axis_tdata.val();
            self.itm[i].s_axis_tkeep.next = self.s_axis_tkeep.val();
            self.itm[i].s_axis_tvalid.next = self.s_axis_tvalid.val();
            self.itm[i].s_axis_discontinuity.next = self.s_axis_discontinuity.val();
            self.itm[i].s_axis_place.next = self.s_axis_place.val();
            self.itm[i].m_axis_tready.next = self.m_axis_tready.val();
            self.m_axis_tdata.next = self.itm[i].m_axis_tdata.val();
            self.has_beat.next = self.itm[i].m_axis_tvalid.val();
            self.m_axis_tlast.next = self.itm[i].m_axis_tlast.val();
            self.recorded.next = self.itm[i].records.val();
            self.loses.next = self.itm[i].loses.val();
            self.status.lost_rows.next = self.itm[i].sts_lost_rows.val();
        }
        self.m_axis_tvalid.next = self.has_beat.val();
        self.switch.moves.next = self.s_axis_tvalid.val() | self.has_beat.val();

        self.keep_s1.d.next = 0.into();
        if self.s_axis_tvalid.val() {
            self.keep_s1.d.next = self.s_axis_tkeep.val();
        }
        self.lost_s1.d.next = self.s_axis_tvalid.val() & self.s_axis_discontinuity.val();
        self.bytes.reset.next = self.path_reset.val();
        self.bytes.clear.next = self.clear.val();
        self.bytes.amount.next = bits::<3>(0)
            + self.keep_s1.q.val().get_bit(0)
            + self.keep_s1.q.val().get_bit(1)
            + self.keep_s1.q.val().get_bit(2)
            + self.keep_s1.q.val().get_bit(3);
        self.records.reset.next = self.path_reset.val();
        self.records.clear.next = self.clear.val();
        self.records.amount.next = bit_cast::<3, 2>(self.recorded.val());
        self.losses.reset.next = self.path_reset.val();
        self.losses.clear.next = self.clear.val();
        self.losses.amount.next = bits::<3>(0) + self.lost_s1.q.val();

        self.status.is_itm.next = self.is_itm.val();
        self.status.running.next = self.switch.active.val();
        self.status.busy.next = self.switch.is_busy.val();
        self.status.bytes.next = self.bytes.count.val();
        self.status.records.next = self.records.count.val();
        self.status.losses.next = self.losses.count.val();
    }
}
