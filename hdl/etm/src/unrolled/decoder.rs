// SPDX-License-Identifier: MIT OR Apache-2.0
//! `UnrolledDecoder<N, P>`: `N` unrolled and pipelined steps for each word, all packet types.
//!
//! Ports and behaviour are those of [`ChainedDecoder`](crate::chained::ChainedDecoder), which has the
//! same stages in one cycle each. Throughput `N` bytes per cycle on any input, `N` up to 4. Latency 13
//! cycles: header pre-processing 4, stream state 2, action code 3, action process 4. A result word is
//! that of an input word.

use super::{HeaderPreprocess, UnrolledActionCode, UnrolledActionProcess, UnrolledStreamState};
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
    stream_state: UnrolledStreamState<N, P>,
    action_code: UnrolledActionCode<N, P>,
    action_process: UnrolledActionProcess<N, P>,
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
            stream_state: Default::default(),
            action_code: Default::default(),
            action_process: Default::default(),
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

        self.stream_state.clock.next = self.clock.val();
        self.stream_state.flags.next = self.preprocess.flags.val();
        self.stream_state.next_after_loss.next = self.preprocess.next_after_loss.val();
        self.stream_state.resume_next.next = self.preprocess.resume_next.val();

        self.action_code.clock.next = self.clock.val();
        self.action_code.cfg.next = self.cfg.q.val();
        self.action_code.flags.next = self.stream_state.flags_out.val();

        self.action_process.clock.next = self.clock.val();
        self.action_process.reset.next = self.reset.val();
        self.action_process.flags.next = self.action_code.flags_out.val();
        for i in 0..N {
            self.preprocess.octet[i].next = self.s_octet[i].val();
            self.preprocess.keep[i].next = self.s_keep[i].val();
            self.stream_state.octet[i].next = self.preprocess.octet_out[i].val();
            self.stream_state.enables[i].next = self.preprocess.enables[i].val();
            self.stream_state.predecode[i].next = self.preprocess.predecode[i].val();
            self.action_code.octet[i].next = self.stream_state.octet_out[i].val();
            self.action_code.role[i].next = self.stream_state.role[i].val();
            self.action_process.octet[i].next = self.action_code.octet_out[i].val();
            self.action_process.action[i].next = self.action_code.action[i].val();
            self.m_keep[i].next = self.action_process.keep[i].val();
            self.m_lane[i].next = self.action_process.result[i].val();
        }
        for i in 0..P {
            self.m_pair[i].next = self.action_process.pair[i].val();
        }
        self.m_valid.next = self.action_process.valid.val();
        self.m_discontinuity.next = self.action_process.discontinuity.val();
        self.m_pending.next = self.action_process.pending.val();
    }
}
