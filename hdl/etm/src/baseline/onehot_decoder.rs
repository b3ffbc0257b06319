// SPDX-License-Identifier: MIT OR Apache-2.0
//! `OneHotDecoder<N, P>`: `N` bytes a cycle, all packet types, with a chain over the lanes whose
//! state has a flip-flop for each of its values.
//!
//! Ports, throughput and behaviour are those of [`JumpDecoder`](super::JumpDecoder), and so is all
//! but the loop of the stream state: it shows what the jump table is worth. `P` is half of `N`.

use super::StateChain;
use crate::jump::{Gearbox, JumpResults};
use crate::layouts::{CONFIG_W, LANE_RESULT_W, PAIR_RESULT_W};
use crate::{ConfigDecode, SOURCE_SETTINGS_W};
use coretrace_hdl_dataflow::Bus;
use rust_hdl::prelude::*;
use std::array::from_fn;

/// The one-hot decoder; see the module text.
#[derive(LogicBlock)]
pub struct OneHotDecoder<const N: usize, const P: usize> {
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
    gearbox: Gearbox<N, P>,
    chain: StateChain<N, P>,

    results: JumpResults<N, P>,
}

impl<const N: usize, const P: usize> Default for OneHotDecoder<N, P> {
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
            gearbox: Default::default(),
            chain: Default::default(),
            results: Default::default(),
        }
    }
}

impl<const N: usize, const P: usize> Logic for OneHotDecoder<N, P> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, cfg, lenient_held);

        self.config_decode.settings.next = self.settings.val();
        self.cfg.d.next = self.config_decode.cfg.val();
        self.lenient_held.d.next = self.config_decode.lenient.val();

        self.gearbox.clock.next = self.clock.val();
        self.gearbox.reset.next = self.reset.val();
        self.gearbox.valid.next = self.s_valid.val();
        self.gearbox.discontinuity.next = self.s_discontinuity.val();
        self.chain.clock.next = self.clock.val();
        self.chain.cfg.next = self.cfg.q.val();
        self.chain.lenient.next = self.lenient_held.q.val();
        self.chain.flags_in.next = self.gearbox.flags.val();
        for i in 0..N {
            self.gearbox.octet[i].next = self.s_octet[i].val();
            self.gearbox.keep[i].next = self.s_keep[i].val();
            self.chain.octet[i].next = self.gearbox.octet_out[i].val();
            self.chain.lane_in[i].next = self.gearbox.lane[i].val();
        }

        self.results.clock.next = self.clock.val();
        self.results.reset.next = self.reset.val();
        self.results.cfg.next = self.cfg.q.val();
        self.results.lenient.next = self.lenient_held.q.val();
        self.results.flags.next = self.chain.flags.val();
        self.results.resume.next = self.chain.resume.val();
        self.results.state.next = self.chain.state.val();
        for i in 0..N {
            self.results.octet[i].next = self.chain.octet_out[i].val();
            self.results.lane[i].next = self.chain.lane[i].val();
            self.results.predecode[i].next = self.chain.predecode[i].val();
            self.m_keep[i].next = self.results.keep[i].val();
            self.m_lane[i].next = self.results.result[i].val();
        }
        for i in 0..P {
            self.m_pair[i].next = self.results.pair[i].val();
        }
        self.m_valid.next = self.results.valid.val();
        self.m_discontinuity.next = self.results.discontinuity.val();
        self.m_pending.next = self.results.pending.val();
    }
}
