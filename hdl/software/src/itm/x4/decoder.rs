// SPDX-License-Identifier: MIT OR Apache-2.0
//! `ItmX4`: four bytes of an ITM in each cycle, all packets of ITM and DWT.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high, and in order: what came before it still comes out |
//! | `lenient` | in | error policy: 0 resync, 1 lenient; steady while a stream is decoded |
//! | `itm_tcr[31:0]` | in | ITM_TCR, of which the prescaler counts; steady while a stream is decoded |
//! | `s_valid` | in | a word is there; it cannot be refused |
//! | `s_discontinuity` | in | with a word: bytes were lost before it |
//! | `s_octet[4]`, `s_keep[4]` | in | bytes, lane 0 first, and which of them count |
//! | `m_valid` | out | the results of a word are there |
//! | `m_discontinuity` | out | as it came in with the word |
//! | `m_pending[31:0]` | out | bytes before the word that no record has counted; saturates |
//! | `m_keep[4]` | out | which bytes count |
//! | `m_lane[4]` | out | [`LaneResult`] of each byte |
//! | `m_packet` | out | [`Packet`](super::super::layouts::Packet) of the first byte that ends a record, or of the last one |
//! | `m_state` | out | [`TraceState`](super::super::layouts::TraceState) after that record; after the word if there is none |
//!
//! `N` is 4 and `P` is 1. Lengths of records are as in [`ItmDecoder`](super::super::ItmDecoder). A record behind the
//! first one of its word is in the word whole: its bytes are those of the lanes, and the state after it is that of
//! the first one with what they change.
//!
//! Latency [`LATENCY`](super::LATENCY) cycles. Throughput four bytes per cycle on any input. Source: Arm DDI 0403,
//! appendix "Debug ITM and DWT Packet Protocol".

use super::super::layouts::{LANE_RESULT_W, LaneResult, PACKET_W, TRACE_STATE_W, outcome};
use super::gather::gathered;
use super::outcomes::outcomes;
use super::stream::roles;
use super::trace_state::trace_state;
use crate::input::Input;
use crate::pending::pending_in_words;
use crate::words::{Byte, bytes, each};
use coretrace_hdl_dataflow::{Bus, Word, clocked_block, named};
use rust_hdl::prelude::*;

clocked_block! {
    /// The ITM decoder for words; see the module text.
    pub struct ItmX4;
    inputs ItmX4Inputs {
        reset: Bit,
        lenient: Bit,
        itm_tcr: Bits<32>,
        s_valid: Bit,
        s_discontinuity: Bit,
    }
    lane_inputs { s_octet: Bits<8>, s_keep: Bit, }
    outputs ItmX4Outputs {
        m_valid: Bit,
        m_discontinuity: Bit,
        m_pending: Bits<32>,
        m_packet: Bus<PACKET_W>,
        m_state: Bus<TRACE_STATE_W>,
    }
    lane_outputs { m_keep: Bit, m_lane: Bus<LANE_RESULT_W>, }
    pair_outputs {}
    kernel itm_x4;
}

#[named]
fn itm_x4<T: Word, const N: usize, const P: usize>(
    i: ItmX4Inputs<T::Port, N>,
) -> ItmX4Outputs<T, N, P> {
    let bit = |port: &T::Port| T::field(port, 0, 1);
    let input = Input::new(
        bit(&i.reset),
        bit(&i.s_valid),
        bit(&i.s_discontinuity),
        bit(&i.lenient),
    );
    let bytes: Vec<Byte<T>> = bytes(&i.s_octet, &i.s_keep, input.valid);
    let itm_tcr = T::field(&i.itm_tcr, 0, 32).steady();
    let restarts = input.restarts();
    let roles = roles(&bytes, restarts);
    let gathered = gathered(&roles, restarts);
    let outcomes = outcomes(&roles, &input);

    let is_packet: Vec<T> = outcomes
        .iter()
        .map(|it| it.outcome.is(outcome::PACKET))
        .collect();
    let ends: Vec<T> = roles.iter().map(|role| role.ends).collect();
    let state = trace_state(&gathered, &is_packet, &ends, itm_tcr, input.lives);
    let keeps: Vec<T> = bytes.iter().map(|byte| byte.keep).collect();
    let read: Vec<[T; 1]> = outcomes.iter().map(|it| [it.outcome.any().reg()]).collect();
    let pending = pending_in_words(&input, &keeps, &read);
    let lanes = roles.iter().zip(&outcomes).map(|(role, outcome)| {
        let result = LaneResult {
            octet: role.octet,
            outcome: outcome.outcome,
            is_suspect: outcome.is_suspect,
        };
        result.pack()
    });
    let lanes: Vec<Vec<T>> = lanes.collect();
    ItmX4Outputs {
        m_valid: vec![input.valid],
        m_discontinuity: vec![input.lost],
        m_pending: vec![pending],
        m_packet: gathered.first.pack(),
        m_state: state.pack(),
        m_keep: each(keeps.iter().map(|keep| vec![*keep]).collect()),
        m_lane: each(lanes),
    }
}
