// SPDX-License-Identifier: MIT OR Apache-2.0
//! `Delay`: a word of `N` bits, at most 64, `P` cycles later.
//!
//! Latency `P` cycles. Throughput one word per cycle.

use coretrace_hdl_dataflow::{Bus, Word, clocked_block, named};
use rust_hdl::prelude::*;

clocked_block! {
    /// A delay line; see the module text.
    pub struct Delay;
    inputs DelayInputs { word: Bus<N>, }
    lane_inputs {}
    outputs DelayOutputs { delayed: Bus<N>, }
    lane_outputs {}
    pair_outputs {}
    kernel delay;
}

#[named]
fn delay<T: Word, const N: usize, const P: usize>(
    i: DelayInputs<T::Port, N>,
) -> DelayOutputs<T, N, P> {
    let delayed = T::field(&i.word, 0, N as u32).delay(P as u32 - 1);
    DelayOutputs {
        delayed: vec![delayed],
    }
}
