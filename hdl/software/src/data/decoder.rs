// SPDX-License-Identifier: MIT OR Apache-2.0
//! `DataHeaders<N, P>`: the headers of a data trace, `N` bytes in each cycle.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high, and in order: what came before it still comes out |
//! | `s_valid` | in | a word is there; it cannot be refused |
//! | `s_discontinuity` | in | with a word: bytes were lost before it |
//! | `s_octet[N]`, `s_keep[N]` | in | bytes, lane 0 first, and which of them count (any mask) |
//! | `m_valid` | out | the results of a word are there |
//! | `m_discontinuity`, `m_keep[N]` | out | as they came in with the word |
//! | `m_lane[N]` | out | [`LaneResult`](super::layouts::LaneResult) of each byte |
//!
//! The grammar is that of `coretrace_data_trace::Grammar::public`: packets that are whole with their header end
//! there, and behind any other nothing is read up to the next A-Sync. An A-Sync has the eleven bytes before its
//! last, as far as no packet has them. `P` is 1.
//!
//! Latency 3 cycles. Throughput `N` bytes per cycle on any input. Source: the header values in OpenCSD 1.8.

use super::layouts::LANE_RESULT_W;
use super::stream::{Input, predecode, results};
use coretrace_hdl_dataflow::{Bus, Word, clocked_block, named};
use rust_hdl::prelude::*;
use std::array::from_fn;

clocked_block! {
    /// The header classifier; see the module text.
    pub struct DataHeaders;
    inputs DataInputs {
        reset: Bit,
        s_valid: Bit,
        s_discontinuity: Bit,
    }
    lane_inputs {
        s_octet: Bits<8>,
        s_keep: Bit,
    }
    outputs DataOutputs {
        m_valid: Bit,
        m_discontinuity: Bit,
    }
    lane_outputs {
        m_keep: Bit,
        m_lane: Bus<LANE_RESULT_W>,
    }
    pair_outputs {}
    kernel data_headers;
}

#[named]
fn data_headers<T: Word, const N: usize, const P: usize>(
    i: DataInputs<T::Port, N>,
) -> DataOutputs<T, N, P> {
    let bit = |port: &T::Port| T::field(port, 0, 1);
    let lives = bit(&i.reset).not();
    let comes = bit(&i.s_valid).and(lives);
    let input = Input {
        lives: lives.reg(),
        valid: comes.reg(),
        lost: comes.and(bit(&i.s_discontinuity)).reg(),
    };
    let octets: [T; N] = from_fn(|lane| T::field(&i.s_octet[lane], 0, 8).reg());
    let keeps: [T; N] = from_fn(|lane| bit(&i.s_keep[lane]).reg());
    let lanes: Vec<_> = predecode(&input, &octets, &keeps)
        .into_iter()
        .map(|lane| lane.map(T::reg))
        .collect();
    let later = Input {
        lives: input.lives.reg(),
        valid: input.valid.reg(),
        lost: input.lost.reg(),
    };
    let results: Vec<_> = results(&later, &lanes)
        .into_iter()
        .map(|result| result.map(T::reg))
        .collect();
    DataOutputs {
        m_valid: vec![later.valid],
        m_discontinuity: vec![later.lost],
        m_keep: from_fn(|lane| vec![lanes[lane].keep]),
        m_lane: from_fn(|lane| results[lane].pack()),
    }
}
