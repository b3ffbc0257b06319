// SPDX-License-Identifier: MIT OR Apache-2.0
//! The decoders of a trace port: four sources, a decoder of four bytes per cycle for each.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `aclk`, `aresetn` | in | clock; synchronous reset, active low |
//! | `s_axis_tdata[31:0]`, `s_axis_tvalid` | in | a word of the trace port in continuous mode; always taken |
//! | `s_axis_tuser` | in | with a word: words were lost before it |
//! | `cfg_enables[3:0]`, `cfg_id[4]` | in | which sources to decode, and their trace IDs |
//! | `cfg_lenient` | in | error policy of all decoders: 0 resync, 1 lenient |
//! | `cfg_ete[4]`, `cfg_v8m[4]`, `cfg_trc...[4]` | in | the trace unit of each source |
//! | `m_axis_tvalid[4]`, `m_axis_tuser[4]`, `m_axis_tkeep[4]`, `m_axis_pending[4]`, `m_axis_lane0[4]` to `m_axis_lane3[4]`, `m_axis_pair0[4]`, `m_axis_pair1[4]` | out | results of each source, as from its decoder |
//! | `sts_in_sync` | out | the frame generator is aligned |
//! | `sts_sync_losses`, `sts_sync_acquisitions` | out | saturating counts |
//! | `sts_null_drops`, `sts_reserved_drops`, `sts_unclaimed_drops` | out | bytes that go to no decoder; saturating counts |
//!
//! Throughput one word per cycle on any input; nothing can make it wait.

use crate::{Etm4JumpX4, Etm4X4};
use coretrace_hdl_coresight::TpiuFront;
use coretrace_hdl_dataflow::Bus;
use coretrace_hdl_etm::layouts::{LANE_RESULT_W, PAIR_RESULT_W};
use rust_hdl::prelude::*;

/// Declares a top around four decoders.
macro_rules! port_top {
    ($(#[$meta:meta])* pub struct $name:ident; decoder $decoder:ident;) => {
        $(#[$meta])*
        #[derive(LogicBlock, Default)]
        pub struct $name {
            pub aclk: Signal<In, Clock>,
            pub aresetn: Signal<In, Bit>,
            pub s_axis_tdata: Signal<In, Bits<32>>,
            pub s_axis_tvalid: Signal<In, Bit>,
            pub s_axis_tuser: Signal<In, Bit>,
            pub cfg_enables: Signal<In, Bits<4>>,
            pub cfg_id: [Signal<In, Bits<7>>; 4],
            pub cfg_lenient: Signal<In, Bit>,
            pub cfg_ete: [Signal<In, Bit>; 4],
            pub cfg_v8m: [Signal<In, Bit>; 4],
            pub cfg_trcconfigr: [Signal<In, Bits<32>>; 4],
            pub cfg_trcidr0: [Signal<In, Bits<32>>; 4],
            pub cfg_trcidr1: [Signal<In, Bits<32>>; 4],
            pub cfg_trcidr2: [Signal<In, Bits<32>>; 4],
            pub cfg_trcdevarch: [Signal<In, Bits<32>>; 4],
            pub m_axis_tvalid: [Signal<Out, Bit>; 4],
            pub m_axis_tuser: [Signal<Out, Bit>; 4],
            pub m_axis_tkeep: [Signal<Out, Bits<4>>; 4],
            pub m_axis_pending: [Signal<Out, Bits<32>>; 4],
            pub m_axis_lane0: [Signal<Out, Bus<LANE_RESULT_W>>; 4],
            pub m_axis_lane1: [Signal<Out, Bus<LANE_RESULT_W>>; 4],
            pub m_axis_lane2: [Signal<Out, Bus<LANE_RESULT_W>>; 4],
            pub m_axis_lane3: [Signal<Out, Bus<LANE_RESULT_W>>; 4],
            pub m_axis_pair0: [Signal<Out, Bus<PAIR_RESULT_W>>; 4],
            pub m_axis_pair1: [Signal<Out, Bus<PAIR_RESULT_W>>; 4],
            pub sts_in_sync: Signal<Out, Bit>,
            pub sts_sync_losses: Signal<Out, Bits<32>>,
            pub sts_sync_acquisitions: Signal<Out, Bits<32>>,
            pub sts_null_drops: Signal<Out, Bits<32>>,
            pub sts_reserved_drops: Signal<Out, Bits<32>>,
            pub sts_unclaimed_drops: Signal<Out, Bits<32>>,
            reset: DFF<Bit>,
            front: TpiuFront,
            decoder: [$decoder; 4],
        }

        impl Logic for $name {
            #[hdl_gen]
            fn update(&mut self) {
                self.reset.clock.next = self.aclk.val();
                self.reset.d.next = !self.aresetn.val();
                self.front.clock.next = self.aclk.val();
                self.front.reset.next = self.reset.q.val();
                self.front.s_axis_tdata.next = self.s_axis_tdata.val();
                self.front.s_axis_tvalid.next = self.s_axis_tvalid.val();
                self.front.s_axis_tuser.next = self.s_axis_tuser.val();
                self.front.enables.next = self.cfg_enables.val();
                self.sts_in_sync.next = self.front.sts_in_sync.val();
                self.sts_sync_losses.next = self.front.sts_sync_losses.val();
                self.sts_sync_acquisitions.next = self.front.sts_sync_acquisitions.val();
                self.sts_null_drops.next = self.front.sts_null_drops.val();
                self.sts_reserved_drops.next = self.front.sts_reserved_drops.val();
                self.sts_unclaimed_drops.next = self.front.sts_unclaimed_drops.val();
                for i in 0..4 {
                    self.front.ids[i].next = self.cfg_id[i].val();
                    self.decoder[i].aclk.next = self.aclk.val();
                    self.decoder[i].aresetn.next = self.aresetn.val();
                    self.decoder[i].cfg_lenient.next = self.cfg_lenient.val();
                    self.decoder[i].cfg_ete.next = self.cfg_ete[i].val();
                    self.decoder[i].cfg_v8m.next = self.cfg_v8m[i].val();
                    self.decoder[i].cfg_trcconfigr.next = self.cfg_trcconfigr[i].val();
                    self.decoder[i].cfg_trcidr0.next = self.cfg_trcidr0[i].val();
                    self.decoder[i].cfg_trcidr1.next = self.cfg_trcidr1[i].val();
                    self.decoder[i].cfg_trcidr2.next = self.cfg_trcidr2[i].val();
                    self.decoder[i].cfg_trcdevarch.next = self.cfg_trcdevarch[i].val();
                    self.decoder[i].s_axis_tdata.next = self.front.m_axis_tdata[i].val();
                    self.decoder[i].s_axis_tkeep.next = self.front.m_axis_tkeep[i].val();
                    self.decoder[i].s_axis_tvalid.next = self.front.m_axis_tvalid[i].val();
                    self.decoder[i].s_axis_tuser.next = self.front.m_axis_tuser[i].val();
                    self.m_axis_tvalid[i].next = self.decoder[i].m_axis_tvalid.val();
                    self.m_axis_tuser[i].next = self.decoder[i].m_axis_tuser.val();
                    self.m_axis_tkeep[i].next = self.decoder[i].m_axis_tkeep.val();
                    self.m_axis_pending[i].next = self.decoder[i].m_axis_pending.val();
                    self.m_axis_lane0[i].next = self.decoder[i].m_axis_lane[0].val();
                    self.m_axis_lane1[i].next = self.decoder[i].m_axis_lane[1].val();
                    self.m_axis_lane2[i].next = self.decoder[i].m_axis_lane[2].val();
                    self.m_axis_lane3[i].next = self.decoder[i].m_axis_lane[3].val();
                    self.m_axis_pair0[i].next = self.decoder[i].m_axis_pair[0].val();
                    self.m_axis_pair1[i].next = self.decoder[i].m_axis_pair[1].val();
                }
            }
        }
    };
}

port_top! {
    /// `tpiu_etm4_x4`.
    pub struct TpiuEtm4X4;
    decoder Etm4X4;
}

port_top! {
    /// `tpiu_etm4_jump_x4`.
    pub struct TpiuEtm4JumpX4;
    decoder Etm4JumpX4;
}
