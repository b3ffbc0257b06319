// SPDX-License-Identifier: MIT OR Apache-2.0
//! `RaptorCounter`: a counter of the outcomes of conditional branches.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `step` | in | a [`RaptorEvent`](super::RaptorEvent) |
//! | `counter[1:0]`, `is_upper` | in | its counter, from 2 on it says *taken*, and whether it is in the upper half |
//! | `learnt[1:0]`, `write_lower`, `write_upper` | out | the counter behind it, and where it is written; a step that clears writes 1 to both halves |
//! | `is_surprise` | out | the event has another outcome |
//!
//! Combinational. `N` is 1.

use super::raptor_places::{RAPTOR_EVENT_W, RaptorEvent};
use coretrace_hdl_dataflow::{Bus, Word, kernel_block, named};
use rust_hdl::prelude::*;

kernel_block! {
    /// See the module text.
    pub struct RaptorCounter;
    inputs CounterInputs { step: Bus<RAPTOR_EVENT_W>, counter: Bits<2>, is_upper: Bit, }
    lane_inputs {}
    outputs CounterOutputs {
        learnt: Bits<2>,
        write_lower: Bit,
        write_upper: Bit,
        is_surprise: Bit,
    }
    lane_outputs {}
    kernel counter;
}

#[named]
fn counter<T: Word, const N: usize>(i: CounterInputs<T::Port, N>) -> CounterOutputs<T, N> {
    let event = RaptorEvent::<T>::unpack(&i.step);
    let counter = T::field(&i.counter, 0, 2);
    let is_upper = T::field(&i.is_upper, 0, 1);
    let number = |value: u64| T::constant(value, 2);
    let up = counter.is(3).mux(counter, counter.add(number(1)));
    let down = counter.is(0).mux(counter, counter.add(number(3)));
    let is_surprise = counter.bit(1).xor(event.taken);
    CounterOutputs {
        learnt: vec![event.clears.mux(number(1), event.taken.mux(up, down))],
        write_lower: vec![event.is_conditional.and(is_upper.not()).or(event.clears)],
        write_upper: vec![event.is_conditional.and(is_upper).or(event.clears)],
        is_surprise: vec![is_surprise.and(event.is_conditional)],
    }
}
