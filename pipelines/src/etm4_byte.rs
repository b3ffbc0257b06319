// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4_byte`: the decoder for one source, one byte per cycle.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `aclk`, `aresetn` | in | clock; synchronous reset, active low |
//! | `cfg_lenient` | in | error policy: 0 resync, 1 lenient |
//! | `cfg_ete`, `cfg_v8m` | in | the source is an ETE; the core is an Armv8-M |
//! | `cfg_trcconfigr`, `cfg_trcidr0`, `cfg_trcidr1`, `cfg_trcidr2`, `cfg_trcidr8`, `cfg_trcdevarch` | in | the trace unit's registers |
//! | `s_axis_tdata[7:0]`, `s_axis_tvalid` | in | a word of one byte; it is always taken |
//! | `s_axis_tkeep` | in | the byte counts |
//! | `s_axis_tuser` | in | with a word: bytes were lost before it |
//! | `m_axis_tvalid` | out | the result of a word is there; it does not wait |
//! | `m_axis_tuser`, `m_axis_tkeep` | out | as they came in |
//! | `m_axis_pending[31:0]` | out | bytes before the word that no record has told of |
//! | `m_axis_record0` | out | `etm4_hdl::etm4::LaneRecord` |
//!
//! Latency 6 cycles after reset has been low for one; throughput 1 byte per cycle.

use etm4_hdl::dataflow::Bus;
use etm4_hdl::etm4::ChainedDecoder;
use etm4_hdl::etm4::layouts::RECORD_W;
use rust_hdl::prelude::*;

/// One byte per cycle; see the module text.
#[derive(LogicBlock, Default)]
pub struct Etm4Byte {
    pub aclk: Signal<In, Clock>,
    pub aresetn: Signal<In, Bit>,
    pub cfg_lenient: Signal<In, Bit>,
    pub cfg_ete: Signal<In, Bit>,
    pub cfg_v8m: Signal<In, Bit>,
    pub cfg_trcconfigr: Signal<In, Bits<32>>,
    pub cfg_trcidr0: Signal<In, Bits<32>>,
    pub cfg_trcidr1: Signal<In, Bits<32>>,
    pub cfg_trcidr2: Signal<In, Bits<32>>,
    pub cfg_trcidr8: Signal<In, Bits<32>>,
    pub cfg_trcdevarch: Signal<In, Bits<32>>,
    pub s_axis_tdata: Signal<In, Bits<8>>,
    pub s_axis_tkeep: Signal<In, Bit>,
    pub s_axis_tvalid: Signal<In, Bit>,
    pub s_axis_tuser: Signal<In, Bit>,
    pub m_axis_tvalid: Signal<Out, Bit>,
    pub m_axis_tuser: Signal<Out, Bit>,
    pub m_axis_tkeep: Signal<Out, Bit>,
    pub m_axis_pending: Signal<Out, Bits<32>>,
    pub m_axis_record0: Signal<Out, Bus<RECORD_W>>,
    reset: DFF<Bit>,
    decoder: ChainedDecoder<1>,
}

impl Logic for Etm4Byte {
    #[hdl_gen]
    fn update(&mut self) {
        self.reset.clock.next = self.aclk.val();
        self.reset.d.next = !self.aresetn.val();
        self.decoder.clock.next = self.aclk.val();
        self.decoder.reset.next = self.reset.q.val();
        self.decoder.lenient.next = self.cfg_lenient.val();
        self.decoder.ete.next = self.cfg_ete.val();
        self.decoder.v8m.next = self.cfg_v8m.val();
        self.decoder.trcconfigr.next = self.cfg_trcconfigr.val();
        self.decoder.trcidr0.next = self.cfg_trcidr0.val();
        self.decoder.trcidr1.next = self.cfg_trcidr1.val();
        self.decoder.trcidr2.next = self.cfg_trcidr2.val();
        self.decoder.trcidr8.next = self.cfg_trcidr8.val();
        self.decoder.trcdevarch.next = self.cfg_trcdevarch.val();
        self.decoder.s_valid.next = self.s_axis_tvalid.val();
        self.decoder.s_discontinuity.next = self.s_axis_tuser.val();
        self.decoder.s_octet[0].next = self.s_axis_tdata.val();
        self.decoder.s_keep[0].next = self.s_axis_tkeep.val();
        self.m_axis_tvalid.next = self.decoder.m_valid.val();
        self.m_axis_tuser.next = self.decoder.m_discontinuity.val();
        self.m_axis_pending.next = self.decoder.m_pending.val();
        self.m_axis_tkeep.next = self.decoder.m_keep[0].val();
        self.m_axis_record0.next = self.decoder.m_record[0].val();
    }
}
