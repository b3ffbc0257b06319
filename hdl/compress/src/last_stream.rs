// SPDX-License-Identifier: MIT OR Apache-2.0
//! `LastStream`: whether a stream is the one that followed the stream before the last time.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `stream`, `index[6:0]`, `is_found` | in | as from [`StreamCache`](super::StreamCache) |
//! | `followed_stream`, `followed_index[6:0]` | out | the same, a cycle later |
//! | `is_known` | out | its record may be its index |
//! | `is_predicted` | out | that, and it followed before: it has no record of its own |
//! | `clear`, `clear_place[6:0]` | in | nothing followed an index; nothing else is written |
//!
//! What followed is found by the index of the stream before, so each stream but one that a discontinuity ends is
//! written where it was looked for. A stream that follows itself is looked for where the one before is being written.
//!
//! Latency 1 cycle; nothing follows an index 2 cycles behind its `clear`. Throughput one stream per cycle. The model is that of `coretrace_compress::StreamCache`.

use super::hash::before;
use super::stream_starts::{STREAM_W, Stream};
use super::stream_ways::INDEX_W;
use coretrace_hdl_dataflow::{Bus, Word, all, clocked_block, named};
use coretrace_hdl_parts::stream::LutMemory;
use rust_hdl::prelude::*;

clocked_block! {
    /// The logic of [`LastStream`]: `followed[6:0]` is what the memory has at `previous`. `N` and `P` are 1.
    pub struct StreamFollows;
    inputs FollowsInputs {
        stream: Bus<STREAM_W>,
        index: Bits<INDEX_W>,
        is_found: Bit,
        followed: Bits<INDEX_W>,
        clear: Bit,
        clear_place: Bits<INDEX_W>,
    }
    lane_inputs {}
    outputs FollowsOutputs {
        previous: Bits<INDEX_W>,
        write_place: Bits<INDEX_W>,
        write_index: Bits<INDEX_W>,
        writes: Bit,
        followed_stream: Bus<STREAM_W>,
        followed_index: Bits<INDEX_W>,
        is_known: Bit,
        is_predicted: Bit,
    }
    lane_outputs {}
    pair_outputs {}
    kernel stream_follows;
}

#[named]
fn stream_follows<T: Word, const N: usize, const P: usize>(
    i: FollowsInputs<T::Port, N>,
) -> FollowsOutputs<T, N, P> {
    let stream = Stream::<T>::unpack(&i.stream);
    let index = T::field(&i.index, 0, INDEX_W as u32);
    let is_found = T::field(&i.is_found, 0, 1);
    let clear = T::field(&i.clear, 0, 1);
    let clear_place = T::field(&i.clear_place, 0, INDEX_W as u32);
    let (previous, previous_next) = T::register(INDEX_W as u32, 0);
    let last = stream.is_stream.mux(index, previous);
    let last = last.mask(stream.is_start.not());
    T::set_next(previous_next, last);

    let writes = stream.is_stream.and(stream.is_discontinuity.not());
    let repeats = index.eq_on_carry(previous);
    let is_written = before(writes.and(repeats));
    let is_read = index.eq_on_carry(T::field(&i.followed, 0, INDEX_W as u32));
    let follows = is_written.mux(repeats, is_read);
    FollowsOutputs {
        previous: vec![last],
        write_place: vec![clear.mux(clear_place, previous)],
        write_index: vec![index.mask(clear.not())],
        writes: vec![clear.or(writes)],
        followed_stream: stream.pack(),
        followed_index: vec![index],
        is_known: vec![is_found],
        is_predicted: vec![all(&[stream.is_stream, is_found, follows])],
    }
}

#[derive(LogicBlock, Default)]
pub struct LastStream {
    pub clock: Signal<In, Clock>,
    pub stream: Signal<In, Bus<STREAM_W>>,
    pub index: Signal<In, Bits<INDEX_W>>,
    pub is_found: Signal<In, Bit>,
    pub followed_stream: Signal<Out, Bus<STREAM_W>>,
    pub followed_index: Signal<Out, Bits<INDEX_W>>,
    pub is_known: Signal<Out, Bit>,
    pub is_predicted: Signal<Out, Bit>,
    pub clear: Signal<In, Bit>,
    pub clear_place: Signal<In, Bits<INDEX_W>>,
    follows: StreamFollows<1, 1>,
    followers: LutMemory<INDEX_W, INDEX_W>,
}

impl Logic for LastStream {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, follows, followers);
        self.followers.read_address.next = self.follows.previous.val();
        self.follows.stream.next = self.stream.val();
        self.follows.index.next = self.index.val();
        self.follows.is_found.next = self.is_found.val();
        self.follows.followed.next = self.followers.read_data.val();

        self.follows.clear.next = self.clear.val();
        self.follows.clear_place.next = self.clear_place.val();
        self.followers.write_address.next = self.follows.write_place.val();
        self.followers.write_data.next = self.follows.write_index.val();
        self.followers.write_enable.next = self.follows.writes.val();
        self.followed_stream.next = self.follows.followed_stream.val();
        self.followed_index.next = self.follows.followed_index.val();
        self.is_known.next = self.follows.is_known.val();
        self.is_predicted.next = self.follows.is_predicted.val();
    }
}
