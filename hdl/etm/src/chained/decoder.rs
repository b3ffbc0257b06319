// SPDX-License-Identifier: MIT OR Apache-2.0
//! `ChainedDecoder<N>`: `N` steps chained in one cycle, all packet types.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high |
//! | `settings` | in | [`SourceSettings`](crate::SourceSettings); steady while a stream is decoded |
//! | `s_valid` | in | a word is there; it cannot be refused |
//! | `s_discontinuity` | in | with a word: bytes were lost before it |
//! | `s_octet[N]`, `s_keep[N]` | in | bytes, lane 0 first, and which of them count (any mask) |
//! | `m_valid` | out | the results of a word are there |
//! | `m_discontinuity`, `m_keep[N]` | out | as they came in with the word |
//! | `m_pending` | out | bytes before the word that no record has counted; saturates |
//! | `m_lane[N]` | out | [`LaneResult`](crate::layouts::LaneResult) of each lane |
//! | `m_pair[P]` | out | [`PairResult`](crate::layouts::PairResult) of each pair of lanes |
//!
//! Throughput `N` bytes per cycle on any input. Latency 5 cycles: input register, header
//! pre-processing, stream state, action code, action process. The length of a record is the
//! number of bytes since the record before it: `m_pending` and the lanes give it.

use super::{
    ActionCode, ActionProcess, AsyncDetector, HeaderLookup, PendingCounter, StreamStateProcess,
};
use crate::layouts::{
    ACTION_W, CONFIG_W, LANE_RESULT_W, PAIR_RESULT_W, ROLE_W, ROW_W, STREAM_W, TRACE_W,
};
use crate::{ConfigDecode, SOURCE_SETTINGS_W};
use coretrace_hdl_dataflow::Bus;
use rust_hdl::prelude::*;
use std::array::from_fn;

/// The chained decoder; see the module text.
#[derive(LogicBlock)]
pub struct ChainedDecoder<const N: usize, const P: usize> {
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

    valid_s1: DFF<Bit>,
    lost_s1: DFF<Bit>,
    octet_s1: [DFF<Bits<8>>; N],
    keep_s1: [DFF<Bit>; N],

    header_lookup: HeaderLookup<N>,
    async_detector: AsyncDetector<N>,
    zeros: DFF<Bits<4>>,
    valid_s2: DFF<Bit>,
    lost_s2: DFF<Bit>,
    octet_s2: [DFF<Bits<8>>; N],
    keep_s2: [DFF<Bit>; N],
    row_s2: [DFF<Bus<ROW_W>>; N],
    hit_s2: [DFF<Bit>; N],

    stream: StreamStateProcess<N>,
    stream_state: DFF<Bus<STREAM_W>>,
    valid_s3: DFF<Bit>,
    lost_s3: DFF<Bit>,
    octet_s3: [DFF<Bits<8>>; N],
    keep_s3: [DFF<Bit>; N],
    role_s3: [DFF<Bus<ROLE_W>>; N],

    action_code: ActionCode<N>,
    valid_s4: DFF<Bit>,
    lost_s4: DFF<Bit>,
    octet_s4: [DFF<Bits<8>>; N],
    keep_s4: [DFF<Bit>; N],
    action_s4: [DFF<Bus<ACTION_W>>; N],

    action_process: ActionProcess<N>,
    trace_state: DFF<Bus<TRACE_W>>,
    pending_counter: PendingCounter<N>,
    pending: DFF<Bits<32>>,
    valid_s5: DFF<Bit>,
    lost_s5: DFF<Bit>,
    pending_s5: DFF<Bits<32>>,
    keep_s5: [DFF<Bit>; N],
    lane_s5: [DFF<Bus<LANE_RESULT_W>>; N],
    pair_s5: [DFF<Bus<PAIR_RESULT_W>>; P],
}

impl<const N: usize, const P: usize> Default for ChainedDecoder<N, P> {
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
            valid_s1: Default::default(),
            lost_s1: Default::default(),
            octet_s1: from_fn(|_| Default::default()),
            keep_s1: from_fn(|_| Default::default()),
            header_lookup: Default::default(),
            async_detector: Default::default(),
            zeros: Default::default(),
            valid_s2: Default::default(),
            lost_s2: Default::default(),
            octet_s2: from_fn(|_| Default::default()),
            keep_s2: from_fn(|_| Default::default()),
            row_s2: from_fn(|_| Default::default()),
            hit_s2: from_fn(|_| Default::default()),
            stream: Default::default(),
            stream_state: Default::default(),
            valid_s3: Default::default(),
            lost_s3: Default::default(),
            octet_s3: from_fn(|_| Default::default()),
            keep_s3: from_fn(|_| Default::default()),
            role_s3: from_fn(|_| Default::default()),
            action_code: Default::default(),
            valid_s4: Default::default(),
            lost_s4: Default::default(),
            octet_s4: from_fn(|_| Default::default()),
            keep_s4: from_fn(|_| Default::default()),
            action_s4: from_fn(|_| Default::default()),
            action_process: Default::default(),
            trace_state: Default::default(),
            pending_counter: Default::default(),
            pending: Default::default(),
            valid_s5: Default::default(),
            lost_s5: Default::default(),
            pending_s5: Default::default(),
            keep_s5: from_fn(|_| Default::default()),
            lane_s5: from_fn(|_| Default::default()),
            pair_s5: from_fn(|_| Default::default()),
        }
    }
}

impl<const N: usize, const P: usize> Logic for ChainedDecoder<N, P> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            cfg,
            zeros,
            stream_state,
            trace_state,
            pending,
            pending_s5
        );
        dff_setup!(
            self, clock, valid_s1, valid_s2, valid_s3, valid_s4, valid_s5
        );
        dff_setup!(self, clock, lost_s1, lost_s2, lost_s3, lost_s4, lost_s5);

        self.config_decode.settings.next = self.settings.val();
        self.cfg.d.next = self.config_decode.cfg.val();

        // Stage 1: input register.
        self.valid_s1.d.next = self.s_valid.val();
        self.lost_s1.d.next = self.s_discontinuity.val();
        for i in 0..N {
            self.octet_s1[i].clock.next = self.clock.val();
            self.octet_s1[i].d.next = self.s_octet[i].val();
            self.keep_s1[i].clock.next = self.clock.val();
            self.keep_s1[i].d.next = self.s_keep[i].val();
        }

        // Stage 2: header pre-processing, and the search for A-Syncs beside it.
        self.header_lookup.cfg.next = self.cfg.q.val();
        self.async_detector.reset.next = self.reset.val();
        // What came in before the reset does not count, also in its cycle.
        self.async_detector.valid.next = self.valid_s1.q.val() & !self.reset.val();
        self.async_detector.discontinuity.next = self.lost_s1.q.val();
        self.async_detector.zeros.next = self.zeros.q.val();
        self.zeros.d.next = self.async_detector.zeros_after.val();
        self.valid_s2.d.next = self.valid_s1.q.val();
        self.lost_s2.d.next = self.lost_s1.q.val();
        for i in 0..N {
            self.header_lookup.octet[i].next = self.octet_s1[i].q.val();
            self.async_detector.octet[i].next = self.octet_s1[i].q.val();
            self.async_detector.keep[i].next = self.keep_s1[i].q.val();
            self.octet_s2[i].clock.next = self.clock.val();
            self.octet_s2[i].d.next = self.octet_s1[i].q.val();
            self.keep_s2[i].clock.next = self.clock.val();
            self.keep_s2[i].d.next = self.keep_s1[i].q.val();
            self.row_s2[i].clock.next = self.clock.val();
            self.row_s2[i].d.next = self.header_lookup.row[i].val();
            self.hit_s2[i].clock.next = self.clock.val();
            self.hit_s2[i].d.next = self.async_detector.hit[i].val();
        }

        // Stage 3: stream state.
        self.stream.cfg.next = self.cfg.q.val();
        self.stream.reset.next = self.reset.val();
        self.stream.lenient.next = self.config_decode.lenient.val();
        self.stream.valid.next = self.valid_s2.q.val();
        self.stream.discontinuity.next = self.lost_s2.q.val();
        self.stream.state.next = self.stream_state.q.val();
        self.stream_state.d.next = self.stream.after.val();
        self.valid_s3.d.next = self.valid_s2.q.val();
        self.lost_s3.d.next = self.lost_s2.q.val();
        for i in 0..N {
            self.stream.row[i].next = self.row_s2[i].q.val();
            self.stream.octet[i].next = self.octet_s2[i].q.val();
            self.stream.keep[i].next = self.keep_s2[i].q.val();
            self.stream.hit[i].next = self.hit_s2[i].q.val();
            self.octet_s3[i].clock.next = self.clock.val();
            self.octet_s3[i].d.next = self.octet_s2[i].q.val();
            self.keep_s3[i].clock.next = self.clock.val();
            self.keep_s3[i].d.next = self.keep_s2[i].q.val();
            self.role_s3[i].clock.next = self.clock.val();
            self.role_s3[i].d.next = self.stream.role[i].val();
        }

        // Stage 4: action codes.
        self.valid_s4.d.next = self.valid_s3.q.val();
        self.lost_s4.d.next = self.lost_s3.q.val();
        for i in 0..N {
            self.action_code.role[i].next = self.role_s3[i].q.val();
            self.octet_s4[i].clock.next = self.clock.val();
            self.octet_s4[i].d.next = self.octet_s3[i].q.val();
            self.keep_s4[i].clock.next = self.clock.val();
            self.keep_s4[i].d.next = self.keep_s3[i].q.val();
            self.action_s4[i].clock.next = self.clock.val();
            self.action_s4[i].d.next = self.action_code.action[i].val();
        }

        // Stage 5: action process and results.
        self.action_process.reset.next = self.reset.val();
        self.action_process.state.next = self.trace_state.q.val();
        self.trace_state.d.next = self.action_process.after.val();
        self.pending_counter.reset.next = self.reset.val();
        self.pending_counter.valid.next = self.valid_s4.q.val();
        self.pending_counter.discontinuity.next = self.lost_s4.q.val();
        self.pending_counter.pending.next = self.pending.q.val();
        self.pending.d.next = self.pending_counter.after.val();
        self.pending_s5.d.next = self.pending.q.val();
        self.valid_s5.d.next = self.valid_s4.q.val();
        self.lost_s5.d.next = self.lost_s4.q.val();
        for i in 0..N {
            self.action_process.action[i].next = self.action_s4[i].q.val();
            self.action_process.octet[i].next = self.octet_s4[i].q.val();
            self.pending_counter.action[i].next = self.action_s4[i].q.val();
            self.pending_counter.keep[i].next = self.keep_s4[i].q.val();
            self.keep_s5[i].clock.next = self.clock.val();
            self.keep_s5[i].d.next = self.keep_s4[i].q.val();
            self.lane_s5[i].clock.next = self.clock.val();
            self.lane_s5[i].d.next = self.action_process.result[i].val();
            self.m_keep[i].next = self.keep_s5[i].q.val();
            self.m_lane[i].next = self.lane_s5[i].q.val();
        }
        for i in 0..P {
            self.pair_s5[i].clock.next = self.clock.val();
            self.pair_s5[i].d.next = self.action_process.wide[2 * i].val();
            self.m_pair[i].next = self.pair_s5[i].q.val();
        }
        self.m_valid.next = self.valid_s5.q.val();
        self.m_discontinuity.next = self.lost_s5.q.val();
        self.m_pending.next = self.pending_s5.q.val();

        if self.reset.val() {
            self.valid_s1.d.next = false;
            self.valid_s2.d.next = false;
            self.valid_s3.d.next = false;
            self.valid_s4.d.next = false;
            self.valid_s5.d.next = false;
        }
    }
}
