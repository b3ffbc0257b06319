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
//! | `m_state` | out | [`TraceState`](super::super::layouts::TraceState) after that record; after the word if there is none |
//!
//! `N` is 4 and `P` is 1. Lengths of records are as in [`StpDecoder`](super::super::StpDecoder). A record behind
//! the first one of its word is in the word whole: its data and its timestamp are nibbles of the lanes, and the
//! state after it is that of the first one with what they change.
//!
//! Latency [`LATENCY`](super::LATENCY) cycles. Throughput four bytes per cycle on any input. Source: MIPI STPv2, as far as Arm
//! IHI 0054 uses it.

use super::super::layouts::{PACKET_W, TRACE_STATE_W};
use super::super::trace_state::change;
use super::gather::gathered;
use super::hits::hits;
use super::layouts::{BYTE_RESULT_W, ByteResult};
use super::outcomes::outcomes;
use super::roles::roles;
use super::stream::places;
use super::trace_state::trace_state;
use crate::input::Input;
use crate::pending::pending_in_words;
use crate::words::{Byte, bytes, each};
use coretrace_hdl_dataflow::{Bus, Word, clocked_block, named};
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
    let bytes: Vec<Byte<T>> = bytes(&i.s_octet, &i.s_keep, input.valid);
    let restarts = input.lost.or(input.lives.not());
    let places = places(&bytes, restarts);
    let hits = hits(&bytes, restarts);
    let roles = roles(&places, &bytes);
    let gathered = gathered(&roles, restarts);
    let outcomes = outcomes(&roles, &hits, &input);

    let rows: Vec<[T; 2]> = roles.iter().map(|both| both.map(|it| it.row)).collect();
    let changes = outcomes.iter().zip(&rows).map(|(both, rows)| {
        let now = both[0].outcome.stage();
        let nibbles = [0, 1].map(|it| (both[it].outcome, rows[it].at_stage(now)));
        change(&nibbles).map(T::reg)
    });
    let changes: Vec<_> = changes.collect();
    let ends = roles.iter().map(|both| {
        let ends = both[0].outcome.any().or(both[1].outcome.any());
        ends.at_stage(changes[0].master.stage())
    });
    let ends: Vec<T> = ends.collect();
    let state = trace_state(&gathered, &changes, &ends, input.lives);

    let kept: Vec<T> = bytes.iter().map(|byte| byte.keep).collect();
    let read: Vec<[T; 2]> = outcomes
        .iter()
        .map(|both| both.map(|it| it.outcome.any().reg()))
        .collect();
    let pending = pending_in_words(&input, &kept, &read);
    let results = outcomes.iter().zip(&roles).zip(&kept);
    let lanes = results.map(|((outcomes, roles), &keep)| {
        let result = ByteResult {
            keep,
            first_nibble: roles[0].nibble,
            first_outcome: outcomes[0].outcome,
            first_row: roles[0].row,
            first_is_suspect: outcomes[0].is_suspect,
            second_nibble: roles[1].nibble,
            second_outcome: outcomes[1].outcome,
            second_row: roles[1].row,
            second_is_suspect: outcomes[1].is_suspect,
        };
        result.pack()
    });
    let lanes: Vec<Vec<T>> = lanes.collect();
    StpX4Outputs {
        m_valid: vec![input.valid],
        m_discontinuity: vec![input.lost],
        m_pending: vec![pending],
        m_packet: gathered.first.pack(),
        m_state: state.pack(),
        m_lane: each(lanes),
    }
}
