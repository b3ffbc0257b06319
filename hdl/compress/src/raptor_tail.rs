// SPDX-License-Identifier: MIT OR Apache-2.0
//! `RaptorTail`: what a block of a T-raptor encoder has behind its records: the instructions since the last one.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `keeps` | in | the event that ends in this cycle is in the block |
//! | `rest[31:0]` | in | instructions since the last record, that event included |
//! | `slots[4:0]` | in | slot 0 is the tail; there is nothing in the others |
//! | `tail` | out | the [`Beat`](super::Beat) of the slot |
//! | `records[6:0]` | out | how many of its bits are records: none |
//!
//! Latency 1 cycle from an event, 0 from a slot. `N` and `P` are 1.

use super::beat::{BEAT_BITS, BEAT_COUNT_W, BEAT_W, Beat};
use super::block_control::TAIL_SLOTS;
use super::branch_bits::INSTRUCTIONS_W;
use coretrace_abi::compressed::block::REST_BITS;
use coretrace_hdl_dataflow::{Bus, Word, clocked_block, named};
use rust_hdl::prelude::*;

clocked_block! {
    /// See the module text.
    pub struct RaptorTail;
    inputs TailInputs { keeps: Bit, rest: Bits<INSTRUCTIONS_W>, slots: Bits<TAIL_SLOTS>, }
    lane_inputs {}
    outputs TailOutputs { tail: Bus<BEAT_W>, records: Bits<BEAT_COUNT_W>, }
    lane_outputs {}
    pair_outputs {}
    kernel raptor_tail;
}

#[named]
fn raptor_tail<T: Word, const N: usize, const P: usize>(
    i: TailInputs<T::Port, N>,
) -> TailOutputs<T, N, P> {
    let keeps = T::field(&i.keeps, 0, 1);
    let (rest, rest_next) = T::register(REST_BITS, 0);
    T::set_next(rest_next, keeps.mux(T::field(&i.rest, 0, REST_BITS), rest));
    let is_tail = T::field(&i.slots, 0, 1);
    let width = BEAT_COUNT_W as u32;
    let tail = Beat {
        bits: rest.mask(is_tail).extend(BEAT_BITS as u32),
        count: T::constant(REST_BITS.into(), width).mask(is_tail),
    };
    TailOutputs {
        tail: tail.pack(),
        records: vec![T::constant(0, width)],
    }
}
