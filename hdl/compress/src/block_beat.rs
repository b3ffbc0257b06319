// SPDX-License-Identifier: MIT OR Apache-2.0
//! `BlockBeat`: the beat that goes into a block in this cycle.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `accepts`, `beat_bits[63:0]`, `beat_count[6:0]` | in | a beat of an encoder |
//! | `takes_tail`, `tail` | in | a [`Beat`](super::Beat) behind the last event, or no bits; never with another beat |
//! | `bits[63:0]`, `count[6:0]` | out | one of them, or no bits |
//!
//! Combinational; `N` is 1.

use super::beat::{BEAT_BITS, BEAT_COUNT_W, BEAT_W, Beat};
use coretrace_hdl_dataflow::{Bus, Word, kernel_block, named};
use rust_hdl::prelude::*;

kernel_block! {
    /// See the module text.
    pub struct BlockBeat;
    inputs BeatInputs {
        accepts: Bit,
        beat_bits: Bus<BEAT_BITS>,
        beat_count: Bits<BEAT_COUNT_W>,
        takes_tail: Bit,
        tail: Bus<BEAT_W>,
    }
    lane_inputs {}
    outputs BeatOutputs { bits: Bus<BEAT_BITS>, count: Bits<BEAT_COUNT_W>, }
    lane_outputs {}
    kernel block_beat;
}

#[named]
fn block_beat<T: Word, const N: usize>(i: BeatInputs<T::Port, N>) -> BeatOutputs<T, N> {
    let accepts = T::field(&i.accepts, 0, 1);
    let bits = T::field(&i.beat_bits, 0, BEAT_BITS as u32).mask(accepts);
    let count = T::field(&i.beat_count, 0, BEAT_COUNT_W as u32).mask(accepts);
    // Behind a reset the tail of a block that was cut may still come.
    let takes_tail = T::field(&i.takes_tail, 0, 1);
    let tail = Beat::<T>::unpack(&i.tail).map(|field| field.mask(takes_tail));
    BeatOutputs {
        bits: vec![bits.or(tail.bits)],
        count: vec![count.or(tail.count)],
    }
}
