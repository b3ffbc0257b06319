// SPDX-License-Identifier: MIT OR Apache-2.0
//! `AsyncDetector`: finds eleven zero bytes followed by 0x80, whatever they stand in.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `reset`, `discontinuity` | in | forget the zeros counted so far |
//! | `valid` | in | the word counts |
//! | `zeros` | in | zeros before the word, at most 11 |
//! | `octet[N]`, `keep[N]` | in | bytes of the word, lane 0 first, and which of them count |
//! | `zeros_after` | out | `zeros` for the next word |
//! | `hit[N]` | out | the byte ends an A-Sync |
//!
//! Combinational; the caller keeps `zeros` in a register. No legal packets hold such a run but an
//! A-Sync, so a hit may end any packet. Source: Arm IHI 0064, A-Sync packet.

use crate::encodings::is_async_end;
use coretrace_etm::ASYNC_ZEROS;
use coretrace_hdl_dataflow::{Word, kernel_block};
use rust_hdl::prelude::*;

/// Zero bytes of an A-Sync.
const ZEROS: u64 = ASYNC_ZEROS as u64;

kernel_block! {
    /// A-Sync detector; see the module text.
    pub struct AsyncDetector;
    inputs DetectorInputs {
        reset: Bit,
        discontinuity: Bit,
        valid: Bit,
        zeros: Bits<4>,
    }
    lane_inputs { octet: Bits<8>, keep: Bit, }
    outputs DetectorOutputs { zeros_after: Bits<4>, }
    lane_outputs { hit: Bit, }
    kernel async_detector;
}

fn async_detector<T: Word, const N: usize>(i: DetectorInputs<T::Port, N>) -> DetectorOutputs<T, N> {
    let valid = T::field(&i.valid, 0, 1);
    let before = T::field(&i.zeros, 0, 4);
    let restart = T::field(&i.reset, 0, 1).or(valid.and(T::field(&i.discontinuity, 0, 1)));
    let mut zeros = before.mask(restart.not());
    let hit = std::array::from_fn(|lane| {
        let octet = T::field(&i.octet[lane], 0, 8);
        let keep = T::field(&i.keep[lane], 0, 1).and(valid);
        let enough = zeros.is(ZEROS);
        let hit = is_async_end(octet).and(enough).and(keep);
        let more = enough.mux(zeros, zeros.add_const(1));
        zeros = keep.mux(more.mask(octet.is(0)), zeros);
        vec![hit]
    });
    DetectorOutputs {
        zeros_after: vec![zeros],
        hit,
    }
}
