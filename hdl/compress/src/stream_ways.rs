// SPDX-License-Identifier: MIT OR Apache-2.0
//! `StreamWays`: whether a stream is in its set, and which way it has from then on.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `stream`, `set[4:0]` | in | as from [`StreamStarts`](super::StreamStarts) |
//! | `tag_0` to `tag_3[20:0]`, `order[5:0]` | in | what the set has: `{place, length}` of each way, and the [`order`] of their use |
//! | `clear`, `clear_set[4:0]` | in | a set is empty; nothing else is written |
//! | `found_stream`, `index[6:0]`, `is_found` | out | the stream, its index, and whether its record may be that: the set had it, and the upper bits of its address are known |
//! | `writes_0` to `writes_3`, `orders` | out | a way of the set is new; the order is |
//! | `write_set[4:0]`, `write_tag[20:0]`, `write_order[5:0]` | out | what is written |
//!
//! What the two streams before write is not in the memories yet, and is taken from here. Index 0 is none: way 0 of
//! set 0 is never chosen. No way needs a valid bit: a way that is free has the length of a discontinuity, and ways
//! that were never used are the oldest ones.
//!
//! Latency 2 cycles. Throughput one stream per cycle. `N` and `P` are 1. The model is that of
//! `coretrace_compress::StreamCache`.

use super::hash::before;
use super::stream_starts::{SET_W, STREAM_W, Stream};
use coretrace_abi::compressed::stream_cache::{INDEX_BITS, WAYS};
use coretrace_hdl_dataflow::{Bus, Word, all, any, clocked_block, join, named, priority_mux};
use rust_hdl::prelude::*;

/// Bits of what a way has of a stream.
pub(crate) const STREAM_TAG_W: usize = 21;
/// Bits of an order: for each pair of ways, whether the first one was used before the second one.
pub(crate) const ORDER_W: usize = PAIRS.len();
/// Bits of an index.
pub(crate) const INDEX_W: usize = INDEX_BITS as usize;
/// Pairs of ways.
const PAIRS: [(usize, usize); 6] = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];

clocked_block! {
    /// See the module text.
    pub struct StreamWays;
    inputs WaysInputs {
        stream: Bus<STREAM_W>,
        set: Bits<SET_W>,
        tag_0: Bits<STREAM_TAG_W>,
        tag_1: Bits<STREAM_TAG_W>,
        tag_2: Bits<STREAM_TAG_W>,
        tag_3: Bits<STREAM_TAG_W>,
        order: Bits<ORDER_W>,
        clear: Bit,
        clear_set: Bits<SET_W>,
    }
    lane_inputs {}
    outputs WaysOutputs {
        found_stream: Bus<STREAM_W>,
        index: Bits<INDEX_W>,
        is_found: Bit,
        writes_0: Bit,
        writes_1: Bit,
        writes_2: Bit,
        writes_3: Bit,
        orders: Bit,
        write_set: Bits<SET_W>,
        write_tag: Bits<STREAM_TAG_W>,
        write_order: Bits<ORDER_W>,
    }
    lane_outputs {}
    pair_outputs {}
    kernel stream_ways;
}

#[named]
fn stream_ways<T: Word, const N: usize, const P: usize>(
    i: WaysInputs<T::Port, N>,
) -> WaysOutputs<T, N, P> {
    let stream = Stream::<T>::unpack(&i.stream);
    let set = T::field(&i.set, 0, SET_W as u32);
    let clear = T::field(&i.clear, 0, 1).reg();
    let clear_set = T::field(&i.clear_set, 0, SET_W as u32);
    let tag = stream.place.concat(stream.length);
    let is_kept = stream.is_stream.and(stream.is_discontinuity.not());

    // The streams of the two cycles before, if they are in the same set.
    let (kept_1, set_1, tag_1) = (before(is_kept), before(set), before(tag));
    let (kept_2, set_2, tag_2) = (before(kept_1), before(set_1), before(tag_1));
    let meets_1 = kept_1.and(set_1.eq_on_carry(set)).reg();
    let meets_2 = kept_2.and(set_2.eq_on_carry(set)).reg();
    let is_same_1 = tag_1.eq_on_carry(tag).reg();
    let is_same_2 = tag_2.eq_on_carry(tag).reg();

    let tags = [&i.tag_0, &i.tag_1, &i.tag_2, &i.tag_3];
    let (writes_1, writes_next) = T::register(WAYS as u32, 1);
    let writes_2 = before(writes_1);
    let hits: Vec<T> = (0..WAYS)
        .map(|way| {
            let read = T::field(tags[way], 0, STREAM_TAG_W as u32)
                .eq_on_carry(tag)
                .reg();
            let bit = |writes: T| writes.bit(way as u32);
            let cases = [
                (meets_1.and(bit(writes_1)), is_same_1),
                (meets_2.and(bit(writes_2)), is_same_2),
            ];
            priority_mux(&cases, read)
        })
        .collect();
    let is_hit = any(&hits);

    let (order_1, order_next) = T::register(ORDER_W as u32, 1);
    let read = T::field(&i.order, 0, ORDER_W as u32).reg();
    let cases = [(meets_1, order_1), (meets_2, before(order_1))];
    let order = priority_mux(&cases, read);
    let oldest = oldest(order, set.is(0).reg());
    let ways: Vec<T> = (0..WAYS)
        .map(|way| is_hit.mux(hits[way], oldest[way]))
        .collect();
    let used = used(order, &ways);
    T::set_next(order_next, used);

    let is_new = is_kept.reg().and(is_hit.not());
    let writes: Vec<T> = oldest.iter().map(|&way| way.and(is_new)).collect();
    T::set_next(writes_next, join(writes.iter().copied()));

    let way = ways[2].or(ways[3]).concat(ways[1].or(ways[3]));
    let is_found = all(&[is_hit, is_kept, stream.is_new.not()]);
    WaysOutputs {
        found_stream: stream.pack(),
        index: vec![set.concat(way).mask(is_kept)],
        is_found: vec![is_found],
        writes_0: vec![clear.or(writes[0])],
        writes_1: vec![clear.or(writes[1])],
        writes_2: vec![clear.or(writes[2])],
        writes_3: vec![clear.or(writes[3])],
        orders: vec![clear.or(is_kept)],
        write_set: vec![clear.mux(clear_set, set)],
        write_tag: vec![all_if(clear, tag)],
        write_order: vec![all_if(clear, used)],
    }
}

/// A word, or ones in all of its bits: the tag of a free way, and the order before any use.
fn all_if<T: Word>(gate: T, word: T) -> T {
    let ones = T::constant((1 << word.width()) - 1, word.width());
    gate.mux(ones, word)
}

/// Whether a way was used before another one.
fn is_before<T: Word>(order: T, way: usize, other: usize) -> T {
    let pair = (way.min(other), way.max(other));
    let place = PAIRS.iter().position(|&each| each == pair);
    let is_first = order.bit(place.expect("a pair") as u32);
    if way < other {
        is_first
    } else {
        is_first.not()
    }
}

/// For each way, whether all others were used behind it. Way 0 of set 0 does not count.
#[named]
fn oldest<T: Word>(order: T, is_set_0: T) -> Vec<T> {
    let oldest = |way: usize| {
        let others = (0..WAYS).filter(|&other| other != way).map(|other| {
            let is_older = is_before(order, way, other);
            match (way, other) {
                (0, _) => is_older.and(is_set_0.not()),
                (_, 0) => is_older.or(is_set_0),
                _ => is_older,
            }
        });
        all(&others.collect::<Vec<T>>())
    };
    (0..WAYS).map(oldest).collect()
}

/// The order behind the use of a way.
#[named]
fn used<T: Word>(order: T, ways: &[T]) -> T {
    let pairs = PAIRS.iter().enumerate();
    join(pairs.map(|(place, &(first, second))| {
        let is_first = order.bit(place as u32);
        is_first.or(ways[second]).and(ways[first].not())
    }))
}
