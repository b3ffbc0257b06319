// SPDX-License-Identifier: MIT OR Apache-2.0
//! `RunMonitor`: predicted streams in a row, and how many bits the length of such a run has.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `stream`, `is_predicted` | in | as from [`LastStream`](super::LastStream) |
//! | `sends` | out | the run before it is sent: it ends, or its bits cannot say one more |
//! | `run` | out | a [`StreamRun`]: the run with the stream |
//!
//! A run is counted down from the most that its bits can say, so that its end is the same for all of them.
//!
//! Latency 1 cycle. Throughput one stream per cycle. `N` and `P` are 1. The model is that of
//! `coretrace_compress::StreamCache`.

use super::stream_starts::{STREAM_W, Stream};
use coretrace_abi::compressed::stream_cache::{
    MONITOR_LONG, MONITOR_MOST, MONITOR_SHORT, MONITOR_START, RUN_BITS,
};
use coretrace_hdl_dataflow::{Bus, Word, clocked_block, layout, named, priority_mux};
use rust_hdl::prelude::*;

/// Bits of the longest run.
pub(crate) const RUN_W: usize = RUN_BITS.2 as usize;
/// Bits of the number of bits of a run, less one.
pub(crate) const RUN_BITS_W: usize = RUN_W.ilog2() as usize;
/// Bits of a monitor.
const MONITOR_W: u32 = MONITOR_MOST.ilog2() + 1;

layout! {
    /// A run of predicted streams, which may be empty.
    pub struct StreamRun {
        length: RUN_W,
        /// One less than the bits of a length.
        bits: RUN_BITS_W,
        /// It has a stream.
        exists: 1,
    }
}

/// Bits of a [`StreamRun`].
pub const STREAM_RUN_W: usize = StreamRun::WIDTH;

clocked_block! {
    /// See the module text.
    pub struct RunMonitor;
    inputs MonitorInputs { stream: Bus<STREAM_W>, is_predicted: Bit, }
    lane_inputs {}
    outputs MonitorOutputs { sends: Bit, run: Bus<STREAM_RUN_W>, }
    lane_outputs {}
    pair_outputs {}
    kernel run_monitor;
}

#[named]
fn run_monitor<T: Word, const N: usize, const P: usize>(
    i: MonitorInputs<T::Port, N>,
) -> MonitorOutputs<T, N, P> {
    let stream = Stream::<T>::unpack(&i.stream);
    let start = stream.is_start;
    let is_predicted = T::field(&i.is_predicted, 0, 1);
    let breaks = stream.is_stream.and(is_predicted.not());
    let (first, _, _) = RUN_BITS;
    let (most, most_next) = T::register(RUN_W as u32, 0);
    let (left, left_next) = T::register(RUN_W as u32, 0);
    let (bits, bits_next) = T::register(RUN_BITS_W as u32, 0);
    let (monitor, monitor_next) = T::register(MONITOR_W, 0);
    let (exists, exists_next) = T::register(1, 0);
    let (is_full, is_full_next) = T::register(1, 0);
    let (is_short, is_short_next) = T::register(1, 0);

    // Whether the run says something of the number of its bits.
    let was_long = is_predicted.and(is_full);
    let ends = breaks.and(exists);
    let was_short = ends.and(is_short);
    let number = |value: u32| T::constant(value.into(), MONITOR_W);
    let is_high = number(MONITOR_MOST - MONITOR_LONG - 1).lt(monitor);
    let grows = was_long.and(is_high);
    let shrinks = was_short.and(monitor.is(MONITOR_SHORT.into()));
    let longer = monitor.add_const(MONITOR_LONG.into());
    let shorter = monitor.add_const(u64::from(MONITOR_MOST + 1 - MONITOR_SHORT));
    let moved = priority_mux(&[(was_long, longer), (was_short, shorter)], monitor);
    let again = number(MONITOR_START);
    let starts_again = start.or(grows).or(shrinks);
    T::set_next(monitor_next, starts_again.mux(again, moved));

    let one = T::constant(1, 1);
    let below = most.slice(0, RUN_W as u32 - 1);
    let above = most.slice(1, RUN_W as u32 - 1);
    let wider = below.concat(one);
    let narrower = above
        .or(T::constant(1, RUN_W as u32 - 1))
        .extend(RUN_W as u32);
    let adapted = priority_mux(&[(grows, wider), (shrinks, narrower)], most);
    let first_most = T::constant((1 << first) - 1, RUN_W as u32);
    let next_most = start.mux(first_most, adapted);
    T::set_next(most_next, next_most);
    let is_widest = most.bit(RUN_W as u32 - 1);
    let is_narrowest = most.bit(1).not();
    let ones = T::constant(RUN_W as u64 - 1, RUN_BITS_W as u32);
    let up = bits.add(is_widest.not().extend(RUN_BITS_W as u32));
    let down = is_narrowest.mux(bits, bits.add(ones));
    let adapted_bits = priority_mux(&[(grows, up), (shrinks, down)], bits);
    let first_bits = T::constant(u64::from(first) - 1, RUN_BITS_W as u32);
    let next_bits = start.mux(first_bits, adapted_bits);
    T::set_next(bits_next, next_bits);

    // How many more there may be. A run that was too long begins again with its last stream.
    let empties = start.or(breaks);
    let with_one = next_most.slice(1, RUN_W as u32 - 1).concat(one.not());
    let fewer = left.add_const((1 << RUN_W) - 1);
    let next_left = priority_mux(
        &[
            (empties, next_most),
            (was_long, with_one),
            (is_predicted, fewer),
        ],
        left,
    );
    T::set_next(left_next, next_left);
    let can_be_two = next_most.bit(1);
    let becomes_full = was_long.mux(can_be_two.not(), left.is(1));
    let next_full = is_predicted.mux(becomes_full, is_full).and(empties.not());
    T::set_next(is_full_next, next_full);
    let top = most.and(above.extend(RUN_W as u32).not());
    let stays_short = is_short.and(left.eq(top).not());
    let becomes_short = was_long.mux(can_be_two, stays_short);
    let next_short = is_predicted.mux(becomes_short, is_short).or(empties);
    T::set_next(is_short_next, next_short);
    let next_exists = exists.or(is_predicted).and(empties.not());
    T::set_next(exists_next, next_exists);

    let run = StreamRun {
        length: next_most.xor(next_left),
        bits: next_bits,
        exists: next_exists,
    };
    MonitorOutputs {
        sends: vec![was_long.or(ends)],
        run: run.pack(),
    }
}
