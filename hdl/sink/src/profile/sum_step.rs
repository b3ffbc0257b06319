// SPDX-License-Identifier: MIT OR Apache-2.0
//! `SumStep`: adds an event to what its place in a table holds.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high: nothing is in flight |
//! | `evt`, `counts` | in | [`Event`]; it is there |
//! | `flush` | in | instead of an event: empty the place `walk` |
//! | `walk[8:0]` | in | that place |
//! | `stored` | in | one cycle later: [`Stored`] at the place |
//! | `write_valid`, `write_index[8:0]`, `write_data` | out | what the place holds from now on |
//! | `entry_valid`, `entry` | out | [`SumEntry`] that the place has lost |
//!
//! An event with the key that is there is added to the sum, any other one displaces it; so does one
//! whose sum would be over 32 bits. What is read misses the four events before, which are still
//! in flight: their results are remembered here. Behind an event its place always has its key, so
//! that keys are compared ahead of the loop, which is a choice of five sums and an adder.
//!
//! Latency 4 cycles from the event. Throughput one event per cycle.

use super::events::{EVENT_W, Event, INDEX_W};
use coretrace_hdl_dataflow::{Bus, Word, all, clocked_block, layout, named, priority_mux};
use rust_hdl::prelude::*;

clocked_block! {
    /// A step of a sum; see the module text.
    pub struct SumStep;
    inputs StepInputs {
        reset: Bit,
        evt: Bus<EVENT_W>,
        counts: Bit,
        flush: Bit,
        walk: Bits<INDEX_W>,
        stored: Bus<STORED_W>,
    }
    lane_inputs {}
    outputs StepOutputs {
        write_valid: Bit,
        write_index: Bits<INDEX_W>,
        write_data: Bus<STORED_W>,
        entry_valid: Bit,
        entry: Bus<SUM_ENTRY_W>,
    }
    lane_outputs {}
    pair_outputs {}
    kernel sum_step;
}

layout! {
    /// What a place of a table holds.
    pub struct Stored {
        /// It holds something.
        valid: 1,
        kind: 2,
        key: 64,
        sum: 32,
    }
}

layout! {
    /// What leaves a table.
    pub struct SumEntry {
        kind: 2,
        key: 64,
        sum: 32,
    }
}

/// Bits of a place.
pub const STORED_W: usize = Stored::WIDTH;
/// Bits of what leaves.
pub const SUM_ENTRY_W: usize = SumEntry::WIDTH;

/// Events that are in flight when a place is read.
const IN_FLIGHT: usize = 4;

/// What a word was for each of the events before, the last one first; 0 behind a reset, if any.
#[named]
fn earlier<T: Word>(word: T, reset: Option<T>) -> [T; IN_FLIGHT] {
    let mut last = word;
    std::array::from_fn(|_| {
        let (before, held) = T::register(word.width(), word.stage());
        let next = reset.map_or(last, |reset| last.mask(reset.at_stage(word.stage()).not()));
        T::set_next(held, next);
        last = before;
        before
    })
}

#[named]
fn sum_step<T: Word, const N: usize, const P: usize>(
    i: StepInputs<T::Port, N>,
) -> StepOutputs<T, N, P> {
    let reset = T::field(&i.reset, 0, 1);
    let event = Event::<T>::unpack(&i.evt);
    let flush = T::field(&i.flush, 0, 1);
    let index = flush.mux(T::field(&i.walk, 0, INDEX_W as u32), event.index);
    let index = index.reg();
    let counts = T::field(&i.counts, 0, 1).and(event.valid).and(flush.not());
    let (flush, counts) = (flush.reg(), counts.reg());
    let (kind, key, weight) = (event.kind.reg(), event.key.reg(), event.weight.reg());
    let active = flush.or(counts);

    // Which of the events before was the last one at this place, and whether it had this key.
    let (actives, indices) = (earlier(active, Some(reset)), earlier(index, None));
    let (kinds, keys) = (earlier(kind, None), earlier(key, None));
    let here: [T; IN_FLIGHT] = std::array::from_fn(|n| actives[n].and(indices[n].eq(index)));
    let same: [T; IN_FLIGHT] =
        std::array::from_fn(|n| kinds[n].eq(kind).and(keys[n].eq_on_carry(key)));
    let (here, same) = (here.map(T::reg), same.map(T::reg));
    // What is read comes a cycle behind its event.
    let stored = Stored::<T>::unpack(&i.stored).map(|word| word.next_word().reg());
    let same_stored = stored.kind.eq(kind.reg()).and(stored.key.eq(key.reg()));
    let cases = |values: [T; IN_FLIGHT], other: T| {
        let cases: Vec<(T, T)> = here.into_iter().zip(values).collect();
        priority_mux(&cases, other)
    };
    let is_same = cases(same, same_stored).reg();
    let old_kind = cases(kinds.map(T::reg), stored.kind).reg();
    let old_key = cases(keys.map(T::reg), stored.key).reg();
    let here = here.map(T::reg);
    let (active, flush, weight) = (active.delay(2), flush.delay(2), weight.delay(2));
    let stored = stored.map(T::reg);

    let now = active.stage();
    let hold = |width| T::register(width, now);
    let (sum1, sum1_held) = hold(32);
    let (full1, full1_held) = hold(1);
    let chain = |first: T| {
        let mut last = first;
        std::array::from_fn::<T, IN_FLIGHT, _>(|n| {
            if n > 0 {
                let (before, held) = T::register(first.width(), now);
                T::set_next(held, last);
                last = before;
            }
            last
        })
    };
    let (sums, fulls) = (chain(sum1), chain(full1));
    let cases = |values: [T; IN_FLIGHT], other: T| {
        let cases: Vec<(T, T)> = here.into_iter().zip(values).collect();
        priority_mux(&cases, other)
    };
    let old_sum = cases(sums, stored.sum);
    let old_full = cases(fulls, stored.valid);
    let total = old_sum.extend(33).add(weight.extend(33));
    let adds = all(&[old_full, is_same, total.bit(32).not(), flush.not()]);
    let sum = adds.mux(total.slice(0, 32), weight);
    T::set_next(sum1_held, sum);
    T::set_next(full1_held, flush.not());
    let leaves = all(&[active, old_full, adds.not(), reset.at_stage(now).not()]);
    let data = Stored {
        valid: flush.not(),
        kind: kind.at_stage(now),
        key: key.at_stage(now),
        sum,
    };
    let entry = SumEntry {
        kind: old_kind,
        key: old_key,
        sum: old_sum,
    };
    StepOutputs {
        write_valid: vec![active],
        write_index: vec![index.at_stage(now)],
        write_data: data.pack(),
        entry_valid: vec![leaves],
        entry: entry.pack(),
    }
}
