// SPDX-License-Identifier: MIT OR Apache-2.0
//! `StpDecoder`: one byte of an STM in each cycle, all packets of STPv2.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high, and in order: what came before it still comes out |
//! | `lenient` | in | error policy: 0 resync, 1 lenient; steady while a stream is decoded |
//! | `s_valid` | in | a byte is there; it cannot be refused |
//! | `s_discontinuity` | in | with a byte: bytes were lost before it |
//! | `s_octet[7:0]` | in | the byte; bits 3:0 come first |
//! | `m_valid` | out | the results of a byte are there |
//! | `m_discontinuity` | out | as it came in with the byte |
//! | `m_pending[31:0]` | out | nibbles before the byte that no record has counted; saturates |
//! | `m_lane[2]` | out | [`LaneResult`] of each nibble, the first one in lane 0 |
//! | `m_packet` | out | [`Packet`](super::layouts::Packet) of the first nibble that ends a record |
//! | `m_state` | out | [`TraceState`](super::layouts::TraceState) after the byte |
//!
//! `N` is 2 and `P` is 1. The length of a record is the number of nibbles since the record before it. An ASYNC has
//! at most 22 of them: what is before these was not read. If both nibbles of a byte end records, the second one
//! is a NULL or an ASYNC, which have no data.
//!
//! Latency 6 cycles. Throughput one byte per cycle on any input. Source: MIPI STPv2, as far as Arm IHI 0054 uses it.

use super::layouts::{LANE_RESULT_W, LaneResult, PACKET_W, TRACE_STATE_W};
use super::packet::packet;
use super::stream::roles;
use super::trace_state::trace_state;
use crate::input::Input;
use crate::pending::pending;
use coretrace_hdl_dataflow::{Bus, Word, clocked_block, named};
use rust_hdl::prelude::*;
use std::array::from_fn;

clocked_block! {
    /// The STM decoder; see the module text.
    pub struct StpDecoder;
    inputs StpInputs {
        reset: Bit,
        lenient: Bit,
        s_valid: Bit,
        s_discontinuity: Bit,
        s_octet: Bits<8>,
    }
    lane_inputs {}
    outputs StpOutputs {
        m_valid: Bit,
        m_discontinuity: Bit,
        m_pending: Bits<32>,
        m_packet: Bus<PACKET_W>,
        m_state: Bus<TRACE_STATE_W>,
    }
    lane_outputs { m_lane: Bus<LANE_RESULT_W>, }
    pair_outputs {}
    kernel stp_decoder;
}

#[named]
fn stp_decoder<T: Word, const N: usize, const P: usize>(
    i: StpInputs<T::Port, N>,
) -> StpOutputs<T, N, P> {
    let bit = |port: &T::Port| T::field(port, 0, 1);
    let input = Input::new(
        bit(&i.reset),
        bit(&i.s_valid),
        bit(&i.s_discontinuity),
        bit(&i.lenient),
    );
    let nibbles: [T; N] = from_fn(|lane| T::field(&i.s_octet, 4 * lane as u32, 4).reg());
    let roles = roles(input, nibbles);
    let ends: Vec<T> = roles.iter().map(|role| role.outcome.any()).collect();
    let pending = pending(&input, &ends);

    let roles = roles.map(|role| role.map(T::reg));
    let packet = packet(&roles, input.lives.reg()).map(T::reg);
    let roles = roles.map(|role| role.map(T::reg));
    let lives = input.lives.reg().reg();
    let state = trace_state(&roles, packet, lives);
    StpOutputs {
        m_valid: vec![input.valid],
        m_discontinuity: vec![input.lost],
        m_pending: vec![pending],
        m_packet: packet.pack(),
        m_state: state.pack(),
        m_lane: roles.map(|role| {
            let result = LaneResult {
                nibble: role.nibble,
                outcome: role.outcome,
                row: role.row,
                is_suspect: role.is_suspect,
            };
            result.pack()
        }),
    }
}
