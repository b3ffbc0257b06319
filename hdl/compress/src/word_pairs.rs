// SPDX-License-Identifier: MIT OR Apache-2.0
//! `WordPairs`: a stream of words of 64 bits to beats of two words, the first one in the lowest bits.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high |
//! | `s_axis_tdata[63:0]`, `s_axis_tvalid`, `s_axis_tready`, `s_axis_tlast` | in, in, out, in | words; TLAST is with the second one of a beat |
//! | `m_axis_tdata[127:0]`, `m_axis_tvalid`, `m_axis_tready`, `m_axis_tlast` | out, out, in, out | beats |
//!
//! Latency 0 behind the second word. Throughput one word per cycle.

use super::beat::BEAT_BITS;
use coretrace_hdl_dataflow::{Bus, Word, kernel_block};
use rust_hdl::prelude::*;

/// Bits of two words.
pub const PAIR_BITS: usize = 2 * BEAT_BITS;

#[derive(LogicBlock, Default)]
pub struct WordPairs {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub s_axis_tdata: Signal<In, Bus<BEAT_BITS>>,
    pub s_axis_tvalid: Signal<In, Bit>,
    pub s_axis_tready: Signal<Out, Bit>,
    pub s_axis_tlast: Signal<In, Bit>,
    pub m_axis_tdata: Signal<Out, Bus<PAIR_BITS>>,
    pub m_axis_tvalid: Signal<Out, Bit>,
    pub m_axis_tready: Signal<In, Bit>,
    pub m_axis_tlast: Signal<Out, Bit>,
    to_pair: JoinPair<1>,
    first: DFF<Bus<BEAT_BITS>>,
    has_first: DFF<Bit>,
}

impl Logic for WordPairs {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, first, has_first);
        self.to_pair.first.next = self.first.q.val();
        self.to_pair.second.next = self.s_axis_tdata.val();
        self.m_axis_tdata.next = self.to_pair.pair.val();
        self.m_axis_tvalid.next = self.s_axis_tvalid.val() & self.has_first.q.val();
        self.m_axis_tlast.next = self.s_axis_tlast.val();
        self.s_axis_tready.next = !self.has_first.q.val() | self.m_axis_tready.val();
        if self.s_axis_tvalid.val() & !self.has_first.q.val() {
            self.first.d.next = self.s_axis_tdata.val();
            self.has_first.d.next = true;
        }
        if self.s_axis_tvalid.val() & self.has_first.q.val() & self.m_axis_tready.val() {
            self.has_first.d.next = false;
        }
        if self.reset.val() {
            self.has_first.d.next = false;
        }
    }
}

kernel_block! {
    /// Two words as a beat. Combinational; `N` is 1.
    pub struct JoinPair;
    inputs PairInputs { first: Bus<BEAT_BITS>, second: Bus<BEAT_BITS>, }
    lane_inputs {}
    outputs PairOutputs { pair: Bus<PAIR_BITS>, }
    lane_outputs {}
    kernel join_pair;
}

fn join_pair<T: Word, const N: usize>(i: PairInputs<T::Port, N>) -> PairOutputs<T, N> {
    let word = |port: &T::Port| T::field(port, 0, BEAT_BITS as u32);
    PairOutputs {
        pair: vec![word(&i.first), word(&i.second)],
    }
}
