// SPDX-License-Identifier: MIT OR Apache-2.0
//! `StreamStarts`: where the stream of a step starts, and where a cache may have it.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `is_a32` | in | addresses have 32 bits, else 48; steady |
//! | `step`, `led[61:0]` | in | as from [`StreamCuts`](super::StreamCuts) |
//! | `stream`, `set[4:0]` | out | a [`Stream`], and its set |
//!
//! Latency 2 cycles. Throughput one step per cycle. `N` and `P` are 1. The model is that of
//! `coretrace_compress::StreamCache`.

use super::branch_bits::ADDRESS_W;
use super::hash::before;
use super::stream_cuts::{LENGTH_W, STREAM_INSTRUCTIONS_W, STREAM_STEP_W, StreamStep};
use coretrace_abi::compressed::stream_cache::{
    ADDRESS_BITS, DISCONTINUITY, LENGTH_BITS, MOST_INSTRUCTIONS, SETS, Scheme,
};
use coretrace_hdl_dataflow::{Bus, Word, clocked_block, layout, named, priority_mux};
use rust_hdl::prelude::*;

/// Bits of a set of the cache.
pub(crate) const SET_W: usize = SETS.ilog2() as usize;
/// Bits of an address in instructions that the cache has: the lower ones.
pub(crate) const LOWER_W: u32 = 30 - Scheme::Reduced.upper_bits();
/// Bits of an address above them: A64, A32.
pub(crate) const UPPER_W: u32 = ADDRESS_BITS[1] - 2 - LOWER_W;
/// See [`UPPER_W`].
pub(crate) const SHORT_UPPER_W: u32 = ADDRESS_BITS[0] - 2 - LOWER_W;
/// Where an address in instructions has the bits of a set.
const SET_LOW: u32 = 2;
/// Bits of an address that the cache has beside its set.
const PLACE_W: usize = LOWER_W as usize - SET_W;
/// Bits of the number of cuts of an event.
pub(crate) const CUTS_W: usize = STREAM_INSTRUCTIONS_W - 7;

layout! {
    /// A step with the stream that ends with it.
    pub struct Stream {
        is_start: 1,
        valid: 1,
        /// The event ends.
        is_last: 1,
        /// A stream ends; with a discontinuity.
        is_stream: 1,
        is_discontinuity: 1,
        /// The image does not say where it starts.
        is_explicit: 1,
        /// The upper bits of its address are not those of the stream before.
        is_new: 1,
        /// The lower bits of its address, without those of the set.
        place: PLACE_W,
        /// As a record has it.
        length: LENGTH_W,
        /// Its instructions, and those behind it.
        executed: LENGTH_W,
        rest: LENGTH_W,
        /// So many times the event has 254 instructions.
        cuts: CUTS_W,
        /// Where the stream behind it starts.
        next: ADDRESS_W,
    }
}

/// Bits of a [`Stream`].
pub const STREAM_W: usize = Stream::WIDTH;

clocked_block! {
    /// See the module text.
    pub struct StreamStarts;
    inputs StartsInputs { is_a32: Bit, step: Bus<STREAM_STEP_W>, led: Bus<ADDRESS_W>, }
    lane_inputs {}
    outputs StartsOutputs { stream: Bus<STREAM_W>, set: Bits<SET_W>, }
    lane_outputs {}
    pair_outputs {}
    kernel stream_starts;
}

#[named]
fn stream_starts<T: Word, const N: usize, const P: usize>(
    i: StartsInputs<T::Port, N>,
) -> StartsOutputs<T, N, P> {
    let is_a32 = T::field(&i.is_a32, 0, 1).steady();
    let step = StreamStep::<T>::unpack(&i.step);
    let lives = |flag: T| flag.and(step.is_start.not());
    let (is_cut, is_stream) = (lives(step.is_cut), lives(step.is_stream));
    let led = T::field(&i.led, 0, ADDRESS_W as u32);

    // A cut is so far behind the event before, or behind the cut before.
    let (start, start_next) = T::register(ADDRESS_W as u32, 0);
    let begins = step.begins.or(step.is_start);
    let is_first_cut = is_cut.and(step.is_first);
    let base = priority_mux(&[(begins, led), (is_first_cut, before(led))], start);
    let most = T::constant(MOST_INSTRUCTIONS.into(), LENGTH_BITS);
    let distance = step.is_first.mux(step.up_to_cut, most).mask(is_cut);
    let next = base.add(distance.extend(ADDRESS_W as u32));
    T::set_next(start_next, next);

    let upper = start.slice(LOWER_W, UPPER_W);
    let (last, last_next) = T::register(UPPER_W, 0);
    let sent = is_stream.mux(upper, last);
    T::set_next(last_next, sent.mask(step.is_start.not()));
    let differs = |low: u32, width: u32| {
        let bits = |word: T| word.slice(low, width);
        bits(upper).eq_on_carry(bits(last)).not()
    };
    let is_short_new = differs(0, SHORT_UPPER_W);
    let is_above_new = differs(SHORT_UPPER_W, UPPER_W - SHORT_UPPER_W);
    let is_new = is_short_new.or(is_above_new.and(is_a32.not())).reg();

    let ones = (1 << LENGTH_BITS) - 1;
    let executed = step.executed.add_const(ones).reg();
    let rest = step.rest.add_const(ones).reg();
    let interrupted = T::constant(DISCONTINUITY.into(), LENGTH_BITS);
    let whole = step.is_discontinuity.mux(interrupted, executed);
    let length = whole.mask(step.is_cut.not());
    let set = start
        .slice(SET_LOW, SET_W as u32)
        .xor(length.slice(0, SET_W as u32));
    let behind = SET_LOW + SET_W as u32;
    let place = start
        .slice(behind, LOWER_W - behind)
        .concat(start.slice(0, SET_LOW));
    let stream = Stream {
        is_start: step.is_start,
        valid: lives(step.valid),
        is_last: step.is_last,
        is_stream,
        is_discontinuity: step.is_discontinuity,
        is_explicit: step.is_explicit,
        is_new,
        place,
        length,
        executed,
        rest,
        cuts: cuts(step.instructions),
        next,
    };
    StartsOutputs {
        stream: stream.pack(),
        set: vec![set],
    }
}

/// A number of instructions, divided by 254.
#[named]
fn cuts<T: Word>(instructions: T) -> T {
    // 256 are 254 and two more.
    let width = LENGTH_BITS + 1;
    let whole = instructions.slice(LENGTH_BITS, instructions.width() - LENGTH_BITS);
    let left = instructions.slice(0, LENGTH_BITS).extend(width);
    let twice = whole.concat(T::constant(0, 1)).extend(width);
    let left = left.add(twice).reg();
    let is_more = left.lt(T::constant(MOST_INSTRUCTIONS.into(), width)).not();
    let whole = whole.extend(CUTS_W as u32);
    whole.add(is_more.extend(CUTS_W as u32))
}
