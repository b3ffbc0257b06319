// SPDX-License-Identifier: MIT OR Apache-2.0
//! `ItmDecoder`: one byte of an ITM in each cycle, all packets of ITM and DWT.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high, and in order: what came before it still comes out |
//! | `lenient` | in | error policy: 0 resync, 1 lenient; steady while a stream is decoded |
//! | `itm_tcr[31:0]` | in | ITM_TCR, of which the prescaler counts; steady while a stream is decoded |
//! | `s_valid` | in | a byte is there; it cannot be refused |
//! | `s_discontinuity` | in | with a byte: bytes were lost before it |
//! | `s_octet[7:0]` | in | the byte |
//! | `m_valid` | out | the result of a byte is there |
//! | `m_discontinuity` | out | as it came in with the byte |
//! | `m_pending[31:0]` | out | bytes before this one that no record has counted; saturates |
//! | `m_lane` | out | [`LaneResult`] of the byte |
//! | `m_packet` | out | [`Packet`](super::layouts::Packet) after the byte |
//! | `m_state` | out | [`TraceState`](super::layouts::TraceState) after the byte |
//!
//! `N` and `P` are 1. The length of a record is the number of bytes since the record before it. A sync has the
//! zeros before its last byte: what is before these was not read.
//!
//! Latency 5 cycles. Throughput one byte per cycle on any input. Source: Arm DDI 0403, appendix "Debug ITM and DWT
//! Packet Protocol".

use super::layouts::{LANE_RESULT_W, LaneResult, PACKET_W, TRACE_STATE_W, outcome};
use super::packet::packet;
use super::stream::role;
use super::trace_state::trace_state;
use crate::input::Input;
use crate::pending::pending;
use coretrace_hdl_dataflow::{Bus, Word, clocked_block, named};
use rust_hdl::prelude::*;

clocked_block! {
    /// The ITM decoder; see the module text.
    pub struct ItmDecoder;
    inputs ItmInputs {
        reset: Bit,
        lenient: Bit,
        itm_tcr: Bits<32>,
        s_valid: Bit,
        s_discontinuity: Bit,
        s_octet: Bits<8>,
    }
    lane_inputs {}
    outputs ItmOutputs {
        m_valid: Bit,
        m_discontinuity: Bit,
        m_pending: Bits<32>,
        m_packet: Bus<PACKET_W>,
        m_state: Bus<TRACE_STATE_W>,
        m_lane: Bus<LANE_RESULT_W>,
    }
    lane_outputs {}
    pair_outputs {}
    kernel itm_decoder;
}

#[named]
fn itm_decoder<T: Word, const N: usize, const P: usize>(
    i: ItmInputs<T::Port, N>,
) -> ItmOutputs<T, N, P> {
    let bit = |port: &T::Port| T::field(port, 0, 1);
    let input = Input::new(
        bit(&i.reset),
        bit(&i.s_valid),
        bit(&i.s_discontinuity),
        bit(&i.lenient),
    );
    let octet = T::field(&i.s_octet, 0, 8).reg();
    let itm_tcr = T::field(&i.itm_tcr, 0, 32).steady();
    let role = role(input, octet);
    let pending = pending(&input, &[role.outcome.any()]);

    let role = role.map(T::reg);
    let lives = input.lives.reg();
    let packet = packet(&role, lives).map(T::reg);
    let role = role.map(T::reg);
    let ends = role.outcome.is(outcome::PACKET);
    let state = trace_state(ends, packet, itm_tcr, lives.reg());
    let result = LaneResult {
        octet: role.octet,
        outcome: role.outcome,
        is_suspect: role.is_suspect,
    };
    ItmOutputs {
        m_valid: vec![input.valid],
        m_discontinuity: vec![input.lost],
        m_pending: vec![pending],
        m_packet: packet.pack(),
        m_state: state.pack(),
        m_lane: result.pack(),
    }
}
