// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4_core_stm` and `etm4_core_itm`: `etm4_core` with an STM or an ITM of the same trace port beside its source.
//!
//! | port | dir | clock | meaning |
//! |---|---|---|---|
//! | those of [`Etm4CoreTop`] | | | as in `etm4_core`, but `s_axi_...` has the registers of `docs/software-csr.md` |
//! | `m_axis_software_tdata[127:0]`, `..._tvalid`, `..._tready`, `..._tlast` | | `aclk` | AXI4-Stream: the software stream of `docs/records.md`, four words a beat, in packets of up to 4 KiB |
//!
//! ```text
//! trace port ─▶ Etm4CoreTop ─▶ records, profile
//!                    │ the second output of its Demux
//!                    └─▶ SoftwareSource ─▶ software stream
//! ```
//!
//! The registers are in two blocks that both see the bus. They take the same cycles for every access, and the one that
//! does not know an address answers SLVERR with zeros; so READY and VALID are those of either, a response is OKAY if one
//! of them is, and a word is that of both.
//!
//! The software stream holds back neither the port nor the other streams: what finds no room while nobody reads it is
//! dropped and recorded as a loss, which the interrupt `LOSS` reports too. Words that are lost in front of the frames are
//! lost to both sources, and both streams say so.
//!
//! A reset of any length empties everything. TVALID is 0 from the first cycle of a reset on.

use crate::registers::core::ADDRESS_W;
use crate::{Etm4CoreTop, SoftwareSource};
use coretrace_hdl_dataflow::Bus;
use coretrace_hdl_sink::records::DATA_W;
use rust_hdl::prelude::*;

/// The core; see the module text. With `STM` 1 and `ITM` 0 it has an STM, with `STM` 0 and `ITM` 1 an ITM.
#[derive(LogicBlock, Default)]
pub struct SoftwareCoreTop<const STM: usize, const ITM: usize> {
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
    pub m_axis_records_tdata: Signal<Out, Bus<DATA_W>>,
    pub m_axis_records_tvalid: Signal<Out, Bit>,
    pub m_axis_records_tready: Signal<In, Bit>,
    pub m_axis_records_tlast: Signal<Out, Bit>,
    pub m_axis_profile_tdata: Signal<Out, Bus<DATA_W>>,
    pub m_axis_profile_tvalid: Signal<Out, Bit>,
    pub m_axis_profile_tready: Signal<In, Bit>,
    pub m_axis_profile_tlast: Signal<Out, Bit>,
    pub m_axis_software_tdata: Signal<Out, Bus<DATA_W>>,
    pub m_axis_software_tvalid: Signal<Out, Bit>,
    pub m_axis_software_tready: Signal<In, Bit>,
    pub m_axis_software_tlast: Signal<Out, Bit>,
    pub irq: Signal<Out, Bit>,
    core: Etm4CoreTop<2, 1>,
    software: SoftwareSource<STM, ITM>,
    reset: DFF<Bit>,
    /// The software stream may send: no reset.
    sends: Signal<Local, Bit>,
}

impl<const STM: usize, const ITM: usize> Logic for SoftwareCoreTop<STM, ITM> {
    #[hdl_gen]
    fn update(&mut self) {
        self.core.trace_clk.next = self.trace_clk.val();
        self.core.trace_data.next = self.trace_data.val();
        self.core.trace_valid.next = self.trace_valid.val();
        self.core.aclk.next = self.aclk.val();
        self.core.aresetn.next = self.aresetn.val();
        self.software.clock.next = self.aclk.val();
        self.reset.clock.next = self.aclk.val();
        self.reset.d.next = !self.aresetn.val();
        self.software.reset.next = self.reset.q.val();

        self.core.s_axi_awaddr.next = self.s_axi_awaddr.val();
        self.software.s_axi_awaddr.next = self.s_axi_awaddr.val();
        self.core.s_axi_awvalid.next = self.s_axi_awvalid.val();
        self.software.s_axi_awvalid.next = self.s_axi_awvalid.val();
        self.s_axi_awready.next = self.core.s_axi_awready.val();
        self.core.s_axi_wdata.next = self.s_axi_wdata.val();
        self.software.s_axi_wdata.next = self.s_axi_wdata.val();
        self.core.s_axi_wstrb.next = self.s_axi_wstrb.val();
        self.software.s_axi_wstrb.next = self.s_axi_wstrb.val();
        self.core.s_axi_wvalid.next = self.s_axi_wvalid.val();
        self.software.s_axi_wvalid.next = self.s_axi_wvalid.val();
        self.s_axi_wready.next = self.core.s_axi_wready.val();
        self.s_axi_bresp.next = self.core.s_axi_bresp.val() & self.software.s_axi_bresp.val();
        self.s_axi_bvalid.next = self.core.s_axi_bvalid.val();
        self.core.s_axi_bready.next = self.s_axi_bready.val();
        self.software.s_axi_bready.next = self.s_axi_bready.val();
        self.core.s_axi_araddr.next = self.s_axi_araddr.val();
        self.software.s_axi_araddr.next = self.s_axi_araddr.val();
        self.core.s_axi_arvalid.next = self.s_axi_arvalid.val();
        self.software.s_axi_arvalid.next = self.s_axi_arvalid.val();
        self.s_axi_arready.next = self.core.s_axi_arready.val();
        self.s_axi_rdata.next = self.core.s_axi_rdata.val() | self.software.s_axi_rdata.val();
        self.s_axi_rresp.next = self.core.s_axi_rresp.val() & self.software.s_axi_rresp.val();
        self.s_axi_rvalid.next = self.core.s_axi_rvalid.val();
        self.core.s_axi_rready.next = self.s_axi_rready.val();
        self.software.s_axi_rready.next = self.s_axi_rready.val();

        self.m_axis_records_tdata.next = self.core.m_axis_records_tdata.val();
        self.m_axis_records_tvalid.next = self.core.m_axis_records_tvalid.val();
        self.core.m_axis_records_tready.next = self.m_axis_records_tready.val();
        self.m_axis_records_tlast.next = self.core.m_axis_records_tlast.val();
        self.m_axis_profile_tdata.next = self.core.m_axis_profile_tdata.val();
        self.m_axis_profile_tvalid.next = self.core.m_axis_profile_tvalid.val();
        self.core.m_axis_profile_tready.next = self.m_axis_profile_tready.val();
        self.m_axis_profile_tlast.next = self.core.m_axis_profile_tlast.val();
        self.irq.next = self.core.irq.val();

        self.core.beside_id[0].next = self.software.trace_id.val();
        self.core.beside_enable[0].next = self.software.active.val();
        self.core.beside_loses[0].next = self.software.loses.val();
        self.software.s_axis_tdata.next = self.core.beside_tdata[0].val();
        self.software.s_axis_tkeep.next = self.core.beside_tkeep[0].val();
        self.software.s_axis_tvalid.next = self.core.beside_tvalid[0].val();
        self.software.s_axis_discontinuity.next = self.core.beside_discontinuity[0].val();
        self.software.s_axis_place.next = self.core.beside_place[0].val();
        self.software.lost_words.next = self.core.beside_lost_words[0].val();
        self.software.path_reset.next = self.core.beside_reset[0].val();
        self.software.snapshot.next = self.core.beside_snapshot[0].val();
        self.software.clear.next = self.core.beside_clear[0].val();
        self.sends.next =
            self.aresetn.val() & !self.reset.q.val() & !self.core.beside_reset[0].val();
        self.m_axis_software_tdata.next = self.software.m_axis_tdata.val();
        self.m_axis_software_tvalid.next = self.software.m_axis_tvalid.val() & self.sends.val();
        self.software.m_axis_tready.next = self.m_axis_software_tready.val();
        self.m_axis_software_tlast.next = self.software.m_axis_tlast.val();
    }
}

// On the bus both clocks are one.
coretrace_hdl_parts::axi_slave!([const STM: usize, const ITM: usize] SoftwareCoreTop<STM, ITM>, |core: &mut Self, clock| {
    core.aclk.next = clock;
    core.trace_clk.next = clock;
});
