// SPDX-License-Identifier: MIT OR Apache-2.0
//! `JumpDecoder<N, P>`: `N` bytes a cycle, all packet types, without a chain over the lanes.
//!
//! Ports, throughput and behaviour are those of [`ChainedDecoder`](crate::chained::ChainedDecoder),
//! but that the bytes of a result word need not be those of one input word: gaps are squeezed out.
//! `P` is half of `N`.

use super::{Gearbox, JumpResults, JumpTable, StateLookup};
use crate::layouts::{CONFIG_W, LANE_RESULT_W, PAIR_RESULT_W};
use crate::{ConfigDecode, SOURCE_SETTINGS_W};
use coretrace_hdl_dataflow::Bus;
use rust_hdl::prelude::*;
use std::array::from_fn;

/// The jump-ahead decoder; see the module text.
#[derive(LogicBlock)]
pub struct JumpDecoder<const N: usize, const P: usize> {
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
    jump_table: JumpTable<N, P>,

    lookup: StateLookup<1>,
    state: DFF<Bits<6>>,
    state_before: DFF<Bits<6>>,

    results: JumpResults<N, P>,
}

impl<const N: usize, const P: usize> Default for JumpDecoder<N, P> {
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
            jump_table: Default::default(),
            lookup: Default::default(),
            state: Default::default(),
            state_before: Default::default(),
            results: Default::default(),
        }
    }
}

impl<const N: usize, const P: usize> Logic for JumpDecoder<N, P> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, cfg, lenient_held, state, state_before);

        self.config_decode.settings.next = self.settings.val();
        self.cfg.d.next = self.config_decode.cfg.val();
        self.lenient_held.d.next = self.config_decode.lenient.val();

        self.gearbox.clock.next = self.clock.val();
        self.gearbox.reset.next = self.reset.val();
        self.gearbox.valid.next = self.s_valid.val();
        self.gearbox.discontinuity.next = self.s_discontinuity.val();
        self.jump_table.clock.next = self.clock.val();
        self.jump_table.cfg.next = self.cfg.q.val();
        self.jump_table.lenient.next = self.lenient_held.q.val();
        self.jump_table.flags_in.next = self.gearbox.flags.val();
        for i in 0..N {
            self.gearbox.octet[i].next = self.s_octet[i].val();
            self.gearbox.keep[i].next = self.s_keep[i].val();
            self.jump_table.octet[i].next = self.gearbox.octet_out[i].val();
            self.jump_table.lane_in[i].next = self.gearbox.lane[i].val();
        }

        self.lookup.rows.next = self.jump_table.rows.val();
        self.lookup.flags.next = self.jump_table.flags.val();
        self.lookup.next_restarts.next = self.jump_table.next_restarts.val();
        self.lookup.next_after_loss.next = self.jump_table.next_after_loss.val();
        self.lookup.state.next = self.state.q.val();
        self.lookup.state_before.next = self.state_before.q.val();
        self.state.d.next = self.lookup.state_after.val();
        self.state_before.d.next = self.lookup.state_before_after.val();

        self.results.clock.next = self.clock.val();
        self.results.reset.next = self.reset.val();
        self.results.cfg.next = self.cfg.q.val();
        self.results.lenient.next = self.lenient_held.q.val();
        self.results.flags.next = self.jump_table.flags.val();
        self.results.resume.next = self.jump_table.resume.val();
        self.results.state.next = self.state_before.q.val();
        for i in 0..N {
            self.results.octet[i].next = self.jump_table.octet_out[i].val();
            self.results.lane[i].next = self.jump_table.lane[i].val();
            self.results.predecode[i].next = self.jump_table.predecode[i].val();
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
