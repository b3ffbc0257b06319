// SPDX-License-Identifier: MIT OR Apache-2.0
//! `StreamTail`: what a block of a stream cache encoder has behind its records: the run that has not ended, and the
//! stream that has not.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `keeps` | in | the event that ends in this cycle is in the block |
//! | `rest[7:0]`, `rest_start[61:0]`, `rest_run` | in | behind that event, as from [`StreamCacheEncoder`](super::StreamCacheEncoder) |
//! | `slots[4:0]` | in | slot 0 is the run, slot 1 the instructions, slot 2 their start; there is nothing in the others |
//! | `tail` | out | the [`Beat`](super::Beat) of the slot |
//! | `records[6:0]` | out | how many of its bits are records: those of the run |
//!
//! Latency 1 cycle from an event, 1 from a slot. `N` and `P` are 1.

use super::beat::{BEAT_BITS, BEAT_COUNT_W, BEAT_W, Beat};
use super::block_control::TAIL_SLOTS;
use super::branch_bits::ADDRESS_W;
use super::run_monitor::{STREAM_RUN_W, StreamRun};
use super::stream_cuts::LENGTH_W;
use coretrace_abi::compressed::block::REST_BITS;
use coretrace_hdl_dataflow::{Bus, Word, clocked_block, named};
use rust_hdl::prelude::*;

clocked_block! {
    /// See the module text.
    pub struct StreamTail;
    inputs TailInputs {
        keeps: Bit,
        rest: Bits<LENGTH_W>,
        rest_start: Bus<ADDRESS_W>,
        rest_run: Bus<STREAM_RUN_W>,
        slots: Bits<TAIL_SLOTS>,
    }
    lane_inputs {}
    outputs TailOutputs { tail: Bus<BEAT_W>, records: Bits<BEAT_COUNT_W>, }
    lane_outputs {}
    pair_outputs {}
    kernel stream_tail;
}

#[named]
fn stream_tail<T: Word, const N: usize, const P: usize>(
    i: TailInputs<T::Port, N>,
) -> TailOutputs<T, N, P> {
    let keeps = T::field(&i.keeps, 0, 1);
    let kept = |new: T| {
        let (old, next) = T::register(new.width(), 0);
        T::set_next(next, keeps.mux(new, old));
        old
    };
    let rest = kept(T::field(&i.rest, 0, LENGTH_W as u32));
    let start = kept(T::field(&i.rest_start, 0, ADDRESS_W as u32));
    let run = StreamRun::<T>::unpack(&i.rest_run).map(kept);

    let width = BEAT_COUNT_W as u32;
    let slot = |number: u32| T::field(&i.slots, number, 1);
    let bits = |word: T, gate: T| word.extend(BEAT_BITS as u32).mask(gate);
    let is_run = slot(0).and(run.exists);
    let flagged = run.length.concat(T::constant(1, 1));
    let run_count = run.bits.extend(width).add_const(2).mask(is_run);
    let address = start.concat(T::constant(0, 2));
    let rest_count = T::constant(REST_BITS.into(), width).mask(slot(1));
    let start_count = T::constant(BEAT_BITS as u64, width).mask(slot(2));
    let tail = Beat {
        bits: bits(flagged, is_run)
            .or(bits(rest, slot(1)))
            .or(bits(address, slot(2))),
        count: run_count.or(rest_count).or(start_count),
    };
    TailOutputs {
        tail: tail.pack(),
        records: vec![run_count],
    }
}
