// SPDX-License-Identifier: MIT OR Apache-2.0
//! The decoders of one source: a decoder of `etm4_hdl` with the ports of an AXI4-Stream core.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `aclk`, `aresetn` | in | clock; synchronous reset, active low |
//! | `cfg_lenient` | in | error policy: 0 resync, 1 lenient |
//! | `cfg_ete`, `cfg_v8m` | in | the source is an ETE; the core is an Armv8-M |
//! | `cfg_trcconfigr`, `cfg_trcidr0`, `cfg_trcidr1`, `cfg_trcidr2`, `cfg_trcdevarch` | in | the trace unit's registers |
//! | `s_axis_tdata[W-1:0]`, `s_axis_tvalid` | in | a word, first byte in bits 7:0; it is always taken |
//! | `s_axis_tkeep[N-1:0]` | in | which of its bytes count: any mask |
//! | `s_axis_tuser` | in | with a word: bytes were lost before it |
//! | `m_axis_tvalid` | out | a result word is there; it does not wait |
//! | `m_axis_tuser`, `m_axis_tkeep[N-1:0]` | out | bytes were lost before it; which of its lanes have a byte |
//! | `m_axis_pending[31:0]` | out | bytes before the word that no record has counted |
//! | `m_axis_lane_0` to `N-1` | out | `coretrace_hdl_etm::LaneResult` of each lane |
//! | `m_axis_pair_0` to `P-1` | out | `coretrace_hdl_etm::PairResult` of each pair of lanes |
//!
//! `N` bytes, `P` pairs (N/2; one for a single byte), `W` = 8N bits. Throughput `N` bytes per cycle.

use coretrace_hdl_dataflow::Bus;
use coretrace_hdl_etm::PackSettings;
use coretrace_hdl_etm::baseline::OneHotDecoder;
use coretrace_hdl_etm::chained::ChainedDecoder;
use coretrace_hdl_etm::jump::JumpDecoder;
use coretrace_hdl_etm::layouts::{LANE_RESULT_W, PAIR_RESULT_W};
use coretrace_hdl_etm::unrolled::UnrolledDecoder;
use rust_hdl::prelude::*;
use std::array::from_fn;

/// Declares a top around a decoder.
macro_rules! source_top {
    ($(#[$meta:meta])* pub struct $name:ident; decoder $decoder:ident;) => {
        $(#[$meta])*
        #[derive(LogicBlock)]
        pub struct $name<const N: usize, const P: usize, const W: usize> {
            pub aclk: Signal<In, Clock>,
            pub aresetn: Signal<In, Bit>,
            pub cfg_lenient: Signal<In, Bit>,
            pub cfg_ete: Signal<In, Bit>,
            pub cfg_v8m: Signal<In, Bit>,
            pub cfg_trcconfigr: Signal<In, Bits<32>>,
            pub cfg_trcidr0: Signal<In, Bits<32>>,
            pub cfg_trcidr1: Signal<In, Bits<32>>,
            pub cfg_trcidr2: Signal<In, Bits<32>>,
            pub cfg_trcdevarch: Signal<In, Bits<32>>,
            pub s_axis_tdata: Signal<In, Bits<W>>,
            pub s_axis_tkeep: Signal<In, Bits<N>>,
            pub s_axis_tvalid: Signal<In, Bit>,
            pub s_axis_tuser: Signal<In, Bit>,
            pub m_axis_tvalid: Signal<Out, Bit>,
            pub m_axis_tuser: Signal<Out, Bit>,
            pub m_axis_tkeep: Signal<Out, Bits<N>>,
            pub m_axis_pending: Signal<Out, Bits<32>>,
            pub m_axis_lane: [Signal<Out, Bus<LANE_RESULT_W>>; N],
            pub m_axis_pair: [Signal<Out, Bus<PAIR_RESULT_W>>; P],
            reset: DFF<Bit>,
            settings: PackSettings<1>,
            decoder: $decoder<N, P>,
        }

        impl<const N: usize, const P: usize, const W: usize> Default for $name<N, P, W> {
            fn default() -> Self {
                Self {
                    aclk: Default::default(),
                    aresetn: Default::default(),
                    cfg_lenient: Default::default(),
                    cfg_ete: Default::default(),
                    cfg_v8m: Default::default(),
                    cfg_trcconfigr: Default::default(),
                    cfg_trcidr0: Default::default(),
                    cfg_trcidr1: Default::default(),
                    cfg_trcidr2: Default::default(),
                    cfg_trcdevarch: Default::default(),
                    s_axis_tdata: Default::default(),
                    s_axis_tkeep: Default::default(),
                    s_axis_tvalid: Default::default(),
                    s_axis_tuser: Default::default(),
                    m_axis_tvalid: Default::default(),
                    m_axis_tuser: Default::default(),
                    m_axis_tkeep: Default::default(),
                    m_axis_pending: Default::default(),
                    m_axis_lane: from_fn(|_| Default::default()),
                    m_axis_pair: from_fn(|_| Default::default()),
                    reset: Default::default(),
                    settings: Default::default(),
                    decoder: Default::default(),
                }
            }
        }

        impl<const N: usize, const P: usize, const W: usize> Logic for $name<N, P, W> {
            #[hdl_gen]
            fn update(&mut self) {
                self.reset.clock.next = self.aclk.val();
                self.reset.d.next = !self.aresetn.val();
                self.decoder.clock.next = self.aclk.val();
                self.decoder.reset.next = self.reset.q.val();
                self.settings.lenient.next = self.cfg_lenient.val();
                self.settings.ete.next = self.cfg_ete.val();
                self.settings.v8m.next = self.cfg_v8m.val();
                self.settings.trcconfigr.next = self.cfg_trcconfigr.val();
                self.settings.trcidr0.next = self.cfg_trcidr0.val();
                self.settings.trcidr1.next = self.cfg_trcidr1.val();
                self.settings.trcidr2.next = self.cfg_trcidr2.val();
                self.settings.trcdevarch.next = self.cfg_trcdevarch.val();
                // What the decoder does not read.
                self.settings.trace_id.next = 0.into();
                self.settings.trcidr8.next = 0.into();
                self.decoder.settings.next = self.settings.settings.val();
                self.decoder.s_valid.next = self.s_axis_tvalid.val();
                self.decoder.s_discontinuity.next = self.s_axis_tuser.val();
                self.m_axis_tkeep.next = 0.into();
                for i in 0..N {
                    self.decoder.s_octet[i].next = self.s_axis_tdata.val().get_bits::<8>(8 * i);
                    self.decoder.s_keep[i].next = self.s_axis_tkeep.val().get_bit(i);
                    self.m_axis_tkeep.next = self
                        .m_axis_tkeep
                        .val()
                        .replace_bit(i, self.decoder.m_keep[i].val());
                    self.m_axis_lane[i].next = self.decoder.m_lane[i].val();
                }
                for i in 0..P {
                    self.m_axis_pair[i].next = self.decoder.m_pair[i].val();
                }
                self.m_axis_tvalid.next = self.decoder.m_valid.val();
                self.m_axis_tuser.next = self.decoder.m_discontinuity.val();
                self.m_axis_pending.next = self.decoder.m_pending.val();
            }
        }
    };
}

source_top! {
    /// `etm4_byte`: the chained decoder. Latency 5 cycles. A result word is that of an input word.
    pub struct ChainedTop;
    decoder ChainedDecoder;
}

source_top! {
    /// `etm4_x4`: the unrolled decoder. Latency 13 cycles. A result word is that of an input word.
    pub struct UnrolledTop;
    decoder UnrolledDecoder;
}

source_top! {
    /// `etm4_onehot_x4` and `etm4_onehot_x8`: the one-hot chain. Words as of [`JumpTop`].
    pub struct OneHotTop;
    decoder OneHotDecoder;
}

source_top! {
    /// `etm4_jump_x4`, `etm4_jump_x8` and `etm4_jump_x16`: the jump-ahead decoder. Gaps are squeezed
    /// out, so that a result word holds the bytes of one or two input words; bytes that wait for a
    /// full word leave as soon as there is a cycle without a byte, at most 25, 37 or 59 cycles after
    /// they came in.
    pub struct JumpTop;
    decoder JumpDecoder;
}
