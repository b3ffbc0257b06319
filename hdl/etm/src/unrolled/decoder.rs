// SPDX-License-Identifier: MIT OR Apache-2.0
//! `UnrolledDecoder<N, P>`: the published decoder, `N` bytes a cycle, all packet types.
//!
//! Ports and behaviour are those of [`ChainedDecoder`](crate::chained::ChainedDecoder), which has the
//! same stages in five cycles. Throughput `N` bytes per cycle on any input, `N` up to 4. Latency 13
//! cycles: header pre-processing 4, stream state 2, action code 3, action process 4. A result word is
//! that of an input word.

use super::{ActionDecode, ActionUpdate, HeaderPreprocess, StreamChain};
use crate::layouts::{CONFIG_W, LANE_RESULT_W, PAIR_RESULT_W};
use crate::{ConfigDecode, SOURCE_SETTINGS_W};
use coretrace_hdl_dataflow::Bus;
use rust_hdl::prelude::*;
use std::array::from_fn;

/// The unrolled decoder; see the module text.
#[derive(LogicBlock)]
pub struct UnrolledDecoder<const N: usize, const P: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub settings: Signal<In, Bus<SOURCE_SETTINGS_W>>,
    pub s_valid: Signal<In, Bit>,
    pub s_discontinuity: Signal<In, Bit>,
    pub s_octet: [Signal<In, Bits<8>>; N],
    pub s_keep: [Signal<In, Bit>; N],
    pub m_valid: Signal<Out, Bit>,
    pub m_discontinuity: Signal<Out, Bit>,
    pub m_pending: Signal<Out, Bits<32>>,
    pub m_keep: [Signal<Out, Bit>; N],
    pub m_lane: [Signal<Out, Bus<LANE_RESULT_W>>; N],
    pub m_pair: [Signal<Out, Bus<PAIR_RESULT_W>>; P],

    config_decode: ConfigDecode<1>,
    cfg: DFF<Bus<CONFIG_W>>,
    lenient_held: DFF<Bit>,
    preprocess: HeaderPreprocess<N, P>,
    chain: StreamChain<N, P>,
    decode: ActionDecode<N, P>,
    update: ActionUpdate<N, P>,
}

impl<const N: usize, const P: usize> Default for UnrolledDecoder<N, P> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            settings: Default::default(),
            s_valid: Default::default(),
            s_discontinuity: Default::default(),
            s_octet: from_fn(|_| Default::default()),
            s_keep: from_fn(|_| Default::default()),
            m_valid: Default::default(),
            m_discontinuity: Default::default(),
            m_pending: Default::default(),
            m_keep: from_fn(|_| Default::default()),
            m_lane: from_fn(|_| Default::default()),
            m_pair: from_fn(|_| Default::default()),
            config_decode: Default::default(),
            cfg: Default::default(),
            lenient_held: Default::default(),
            preprocess: Default::default(),
            chain: Default::default(),
            decode: Default::default(),
            update: Default::default(),
        }
    }
}

impl<const N: usize, const P: usize> Logic for UnrolledDecoder<N, P> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, cfg, lenient_held);

        self.config_decode.settings.next = self.settings.val();
        self.cfg.d.next = self.config_decode.cfg.val();
        self.lenient_held.d.next = self.config_decode.lenient.val();

        self.preprocess.clock.next = self.clock.val();
        self.preprocess.reset.next = self.reset.val();
        self.preprocess.cfg.next = self.cfg.q.val();
        self.preprocess.lenient.next = self.lenient_held.q.val();
        self.preprocess.valid.next = self.s_valid.val();
        self.preprocess.discontinuity.next = self.s_discontinuity.val();

        self.chain.clock.next = self.clock.val();
        self.chain.flags.next = self.preprocess.flags.val();
        self.chain.next_after_loss.next = self.preprocess.next_after_loss.val();
        self.chain.resume_next.next = self.preprocess.resume_next.val();

        self.decode.clock.next = self.clock.val();
        self.decode.cfg.next = self.cfg.q.val();
        self.decode.flags.next = self.chain.flags_out.val();

        self.update.clock.next = self.clock.val();
        self.update.reset.next = self.reset.val();
        self.update.flags.next = self.decode.flags_out.val();
        for i in 0..N {
            self.preprocess.octet[i].next = self.s_octet[i].val();
            self.preprocess.keep[i].next = self.s_keep[i].val();
            self.chain.octet[i].next = self.preprocess.octet_out[i].val();
            self.chain.enables[i].next = self.preprocess.enables[i].val();
            self.chain.notes[i].next = self.preprocess.notes[i].val();
            self.decode.octet[i].next = self.chain.octet_out[i].val();
            self.decode.role[i].next = self.chain.role[i].val();
            self.update.octet[i].next = self.decode.octet_out[i].val();
            self.update.action[i].next = self.decode.action[i].val();
            self.m_keep[i].next = self.update.keep[i].val();
            self.m_lane[i].next = self.update.result[i].val();
        }
        for i in 0..P {
            self.m_pair[i].next = self.update.pair[i].val();
        }
        self.m_valid.next = self.update.valid.val();
        self.m_discontinuity.next = self.update.discontinuity.val();
        self.m_pending.next = self.update.pending.val();
    }
}
