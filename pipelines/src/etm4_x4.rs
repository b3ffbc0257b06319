// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4_x4`: the decoder for one source, four bytes per cycle.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `aclk`, `aresetn` | in | clock; synchronous reset, active low |
//! | `cfg_lenient` | in | error policy: 0 resync, 1 lenient |
//! | `cfg_ete`, `cfg_v8m` | in | the source is an ETE; the core is an Armv8-M |
//! | `cfg_trcconfigr`, `cfg_trcidr0`, `cfg_trcidr1`, `cfg_trcidr2`, `cfg_trcidr8`, `cfg_trcdevarch` | in | the trace unit's registers |
//! | `s_axis_tdata[31:0]`, `s_axis_tvalid` | in | a word, first byte in bits 7:0; it is always taken |
//! | `s_axis_tkeep[3:0]` | in | which of its bytes count: any mask |
//! | `s_axis_tuser` | in | with a word: bytes were lost before it |
//! | `m_axis_tvalid` | out | the results of a word are there; they do not wait |
//! | `m_axis_tuser`, `m_axis_tkeep[3:0]` | out | as they came in |
//! | `m_axis_pending[31:0]` | out | bytes before the word that no record has told of |
//! | `m_axis_record0` to `3` | out | `etm4_hdl::etm4::LaneRecord` of each byte |
//!
//! Latency 6 cycles after reset has been low for one; throughput 4 bytes per cycle.

use etm4_hdl::dataflow::Bus;
use etm4_hdl::etm4::ChainedDecoder;
use etm4_hdl::etm4::layouts::RECORD_W;
use rust_hdl::prelude::*;

/// Four bytes per cycle; see the module text.
#[derive(LogicBlock, Default)]
pub struct Etm4X4 {
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
    pub s_axis_tdata: Signal<In, Bits<32>>,
    pub s_axis_tkeep: Signal<In, Bits<4>>,
    pub s_axis_tvalid: Signal<In, Bit>,
    pub s_axis_tuser: Signal<In, Bit>,
    pub m_axis_tvalid: Signal<Out, Bit>,
    pub m_axis_tuser: Signal<Out, Bit>,
    pub m_axis_tkeep: Signal<Out, Bits<4>>,
    pub m_axis_pending: Signal<Out, Bits<32>>,
    pub m_axis_record0: Signal<Out, Bus<RECORD_W>>,
    pub m_axis_record1: Signal<Out, Bus<RECORD_W>>,
    pub m_axis_record2: Signal<Out, Bus<RECORD_W>>,
    pub m_axis_record3: Signal<Out, Bus<RECORD_W>>,
    reset: DFF<Bit>,
    decoder: ChainedDecoder<4>,
}

impl Logic for Etm4X4 {
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
        self.decoder.s_octet[0].next = self.s_axis_tdata.val().get_bits::<8>(0);
        self.decoder.s_octet[1].next = self.s_axis_tdata.val().get_bits::<8>(8);
        self.decoder.s_octet[2].next = self.s_axis_tdata.val().get_bits::<8>(16);
        self.decoder.s_octet[3].next = self.s_axis_tdata.val().get_bits::<8>(24);
        self.m_axis_tkeep.next = 0.into();
        for i in 0..4 {
            self.decoder.s_keep[i].next = self.s_axis_tkeep.val().get_bit(i);
            self.m_axis_tkeep.next = self
                .m_axis_tkeep
                .val()
                .replace_bit(i, self.decoder.m_keep[i].val());
        }
        self.m_axis_tvalid.next = self.decoder.m_valid.val();
        self.m_axis_tuser.next = self.decoder.m_discontinuity.val();
        self.m_axis_pending.next = self.decoder.m_pending.val();
        self.m_axis_record0.next = self.decoder.m_record[0].val();
        self.m_axis_record1.next = self.decoder.m_record[1].val();
        self.m_axis_record2.next = self.decoder.m_record[2].val();
        self.m_axis_record3.next = self.decoder.m_record[3].val();
    }
}
