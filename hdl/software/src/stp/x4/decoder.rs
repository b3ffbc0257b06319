// SPDX-License-Identifier: MIT OR Apache-2.0
//! `StpX4`: four bytes of an STM in each cycle, all packets of STPv2.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high, and in order: what came before it still comes out |
//! | `lenient` | in | error policy: 0 resync, 1 lenient; steady while a stream is decoded |
//! | `s_valid` | in | a word is there; it cannot be refused |
//! | `s_discontinuity` | in | with a word: bytes were lost before it |
//! | `s_octet[4]`, `s_keep[4]` | in | bytes, lane 0 first, and which of them count |
//! | `m_valid` | out | the results of a word are there |
//! | `m_discontinuity` | out | as it came in with the word |
//! | `m_pending[31:0]` | out | nibbles before the word that no record has counted; saturates |
//! | `m_lane[4]` | out | [`ByteResult`](super::layouts::ByteResult) of each byte |
//! | `m_packet` | out | [`Packet`](super::super::layouts::Packet) of the first nibble that ends a record |
//! | `m_opcode[5:0]` | out | the opcode of that packet, see [`opcode_of`](super::layouts::opcode_of) |
//! | `m_state` | out | [`TraceState`](super::super::layouts::TraceState) before the word |
//!
//! `N` is 4 and `P` is 1. Lengths of records are as in [`StpDecoder`](super::super::StpDecoder). The lanes come out
//! with the bytes first that count. A record behind the first one of its word is in the word whole: its opcode, its
//! data and its timestamp are nibbles of the lanes. The state after each record is that before the word with what
//! the packets up to it change. Of a RESERVED and of an ASYNC, `m_packet` and `m_opcode` mean nothing.
//!
//! Latency [`LATENCY`](super::LATENCY) cycles. Throughput four bytes per cycle on any input. Source: MIPI STPv2, as far as Arm
//! IHI 0054 uses it.

use super::super::layouts::{PACKET_W, TRACE_STATE_W, outcome};
use super::first::first;
use super::hits::hits;
use super::layouts::{BYTE_RESULT_W, ByteResult, CODE_W};
use super::names::names;
use super::outcomes::outcomes;
use super::roles::roles;
use super::spans::spans;
use super::stamps::stamps;
use super::stream::{behind_zeros, places};
use super::trace_state::trace_state;
use crate::input::Input;
use crate::pending::pending_in_words;
use crate::words::{Byte, bytes, each, packed};
use coretrace_hdl_dataflow::{Bus, Word, clocked_block, mux_tree, named};
use rust_hdl::prelude::*;

clocked_block! {
    /// The STM decoder for words; see the module text.
    pub struct StpX4;
    inputs StpX4Inputs {
        reset: Bit,
        lenient: Bit,
        s_valid: Bit,
        s_discontinuity: Bit,
    }
    lane_inputs { s_octet: Bits<8>, s_keep: Bit, }
    outputs StpX4Outputs {
        m_valid: Bit,
        m_discontinuity: Bit,
        m_pending: Bits<32>,
        m_packet: Bus<PACKET_W>,
        m_opcode: Bits<CODE_W>,
        m_state: Bus<TRACE_STATE_W>,
    }
    lane_outputs { m_lane: Bus<BYTE_RESULT_W>, }
    pair_outputs {}
    kernel stp_x4;
}

#[named]
fn stp_x4<T: Word, const N: usize, const P: usize>(
    i: StpX4Inputs<T::Port, N>,
) -> StpX4Outputs<T, N, P> {
    let bit = |port: &T::Port| T::field(port, 0, 1);
    let input = Input::new(
        bit(&i.reset),
        bit(&i.s_valid),
        bit(&i.s_discontinuity),
        bit(&i.lenient),
    );
    let bytes: Vec<Byte<T>> = packed(&bytes(&i.s_octet, &i.s_keep, input.valid));
    let restarts = input.restarts();
    let behind_zeros = behind_zeros(&bytes);
    let places = places(&bytes, &behind_zeros, restarts);
    let hits = hits(&bytes, restarts);
    let roles = roles(&places, &bytes, &behind_zeros);
    let spans = spans(&roles);
    let keeps: Vec<T> = bytes.iter().map(|byte| byte.keep).collect();
    let outcomes = outcomes(&roles, &hits, &input);
    let first = first(&roles, &keeps, &spans);
    let reads = outcomes
        .iter()
        .flatten()
        .map(|it| it.outcome.is(outcome::PACKET).reg());
    let reads: Vec<T> = reads.collect();
    let end = spans.end.number.plain().at_stage(reads[0].stage());
    let reads_first = mux_tree(&reads, end, 3).reg();
    let (names, stamps) = (names(&roles, &reads), stamps(&roles, &reads));
    let state = trace_state(&first, reads_first, names, &stamps, input.lives);

    let ends = outcomes.iter().map(|both| both.map(|it| it.ends.reg()));
    let pending = pending_in_words(&input, &keeps, &ends.collect::<Vec<[T; 2]>>());
    let lanes = bytes.iter().enumerate().map(|(byte, Byte { keep, .. })| {
        let [first, second] = outcomes[byte];
        let result = ByteResult {
            keep: *keep,
            first_nibble: roles[2 * byte].nibble,
            first_outcome: first.outcome,
            first_is_suspect: first.is_suspect,
            second_nibble: roles[2 * byte + 1].nibble,
            second_outcome: second.outcome,
            second_is_suspect: second.is_suspect,
        };
        result.pack()
    });
    let lanes: Vec<Vec<T>> = lanes.collect();
    StpX4Outputs {
        m_valid: vec![input.valid],
        m_discontinuity: vec![input.lost],
        m_pending: vec![pending],
        m_packet: first.packet.pack(),
        m_opcode: vec![first.code],
        m_state: state.pack(),
        m_lane: each(lanes),
    }
}
