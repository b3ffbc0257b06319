// SPDX-License-Identifier: MIT OR Apache-2.0
//! `OutcomeCounters`: counters of outcomes in 2^P pairs, in block RAM. They start as the pair `START`.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `valid`, `pair[P-1:0]`, `is_high`, `taken` | in | a conditional branch, its counter, its outcome |
//! | `counter[2:0]` | out | three cycles later: its counter before it |
//! | `clear`, `clear_row[8:0]` | in | the counters of a row begin again; nothing else is written |
//!
//! A counter goes up with each branch that was taken and down with each other one, and stays at its ends.
//!
//! Latency 3 cycles. Throughput one branch per cycle. The model is `count` of `coretrace_compress`.

use super::forwarded::forwarded;
use super::hash::before;
use super::row_memory::{ROW_W, RowMemory};
use coretrace_abi::compressed::history::{COUNTER_MOST, COUNTER_START};
use coretrace_hdl_dataflow::{Bus, Word, clocked_block, named};
use rust_hdl::prelude::*;

/// Bits of a counter.
pub const COUNTER_W: usize = COUNTER_MOST.count_ones() as usize;
/// Bits of two counters.
const PAIR_W: usize = 2 * COUNTER_W;
/// Where two counters of outcomes start.
pub(crate) const PAIR_START: u64 = (COUNTER_START as u64) << COUNTER_W | COUNTER_START as u64;

#[derive(LogicBlock, Default)]
pub struct OutcomeCounters<const P: usize, const START: u64> {
    pub clock: Signal<In, Clock>,
    pub valid: Signal<In, Bit>,
    pub pair: Signal<In, Bits<P>>,
    pub is_high: Signal<In, Bit>,
    pub taken: Signal<In, Bit>,
    pub counter: Signal<Out, Bits<COUNTER_W>>,
    pub clear: Signal<In, Bit>,
    pub clear_row: Signal<In, Bits<ROW_W>>,
    pairs: RowMemory<P, PAIR_W, START>,
    step: CounterStep<P, 1>,
}

impl<const P: usize, const START: u64> Logic for OutcomeCounters<P, START> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, pairs, step);
        self.pairs.read_address.next = self.pair.val();
        self.step.valid.next = self.valid.val();
        self.step.pair.next = self.pair.val();
        self.step.is_high.next = self.is_high.val();
        self.step.taken.next = self.taken.val();
        self.step.stored.next = self.pairs.read_data.val();
        self.pairs.write_enable.next = self.step.write_valid.val();
        self.pairs.write_address.next = self.step.write_pair.val();
        self.pairs.write_data.next = self.step.write_word.val();
        self.pairs.clear.next = self.clear.val();
        self.pairs.clear_row.next = self.clear_row.val();
        self.counter.next = self.step.counter.val();
    }
}

clocked_block! {
    /// The pipeline around the memory, for `N` address bits of a pair.
    pub struct CounterStep;
    inputs CounterStepInputs {
        valid: Bit,
        pair: Bits<N>,
        is_high: Bit,
        taken: Bit,
        stored: Bus<PAIR_W>,
    }
    lane_inputs {}
    outputs CounterStepOutputs {
        counter: Bits<COUNTER_W>,
        write_valid: Bit,
        write_pair: Bits<N>,
        write_word: Bus<PAIR_W>,
    }
    lane_outputs {}
    pair_outputs {}
    kernel counter_step;
}

#[named]
fn counter_step<T: Word, const N: usize, const P: usize>(
    i: CounterStepInputs<T::Port, N>,
) -> CounterStepOutputs<T, N, P> {
    let width = COUNTER_W as u32;
    let valid = T::field(&i.valid, 0, 1);
    let pair = T::field(&i.pair, 0, N as u32);
    let is_high = before(before(T::field(&i.is_high, 0, 1)));
    let taken = before(before(T::field(&i.taken, 0, 1)));
    let stored = T::field(&i.stored, 0, PAIR_W as u32);
    let learnt = forwarded(valid, pair, stored, |old| {
        let low = counted(old.slice(0, width), taken);
        let high = counted(old.slice(width, width), taken);
        let low = is_high.mux(old.slice(0, width), low);
        is_high.mux(high, old.slice(width, width)).concat(low)
    });
    let old = learnt.old;
    CounterStepOutputs {
        counter: vec![is_high.mux(old.slice(width, width), old.slice(0, width))],
        write_valid: vec![learnt.valid],
        write_pair: vec![learnt.place],
        write_word: vec![learnt.new],
    }
}

/// A counter behind an outcome.
#[named]
fn counted<T: Word>(counter: T, taken: T) -> T {
    let most = u64::from(COUNTER_MOST);
    let up = counter.is(most).mux(counter, counter.add_const(1));
    let down = counter.is(0).mux(counter, counter.add_const(most));
    taken.mux(up, down)
}
