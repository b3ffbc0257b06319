// SPDX-License-Identifier: MIT OR Apache-2.0
//! `StreamRecords`: streams to beats.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `is_a32`, `limit[19:0]` | in | as in [`StreamCacheEncoder`](super::StreamCacheEncoder) |
//! | `stream`, `index[6:0]`, `is_known`, `is_predicted` | in | as from [`LastStream`](super::LastStream) |
//! | `sends`, `run` | in | of that stream, as from [`RunMonitor`](super::RunMonitor): a cycle later |
//! | `beat_valid`, `beat_bits[63:0]`, `beat_count[6:0]`, `beat_last`, `beat_overflows` | out | as from the encoder |
//! | `rest[7:0]`, `rest_start[61:0]`, `rest_run` | out | as from the encoder |
//!
//! The run before a stream and its index or its length are one beat. Where it starts and how much of it was
//! executed are another one: no step comes behind one that may have it.
//!
//! Latency 4 cycles. Throughput one step per cycle. `N` and `P` are 1. The model is that of
//! `coretrace_compress::StreamCache`.

use super::beat::{BEAT_BITS, BEAT_COUNT_W};
use super::bit_scan::moved;
use super::block_control::FILL_W;
use super::branch_bits::ADDRESS_W;
use super::hash::before;
use super::run_monitor::{RUN_BITS_W, STREAM_RUN_W, StreamRun};
use super::stream_cuts::LENGTH_W;
use super::stream_room::overflows;
use super::stream_starts::{LOWER_W, SHORT_UPPER_W, STREAM_W, Stream, UPPER_W};
use super::stream_ways::INDEX_W;
use coretrace_abi::compressed::stream_cache::{INDEX_BITS, LENGTH_BITS};
use coretrace_hdl_dataflow::{Bus, Word, all, clocked_block, join, mux4, named, priority_mux};
use rust_hdl::prelude::*;

/// Bits of a record without an address: a 0, an index, a length.
const RECORD_W: u32 = 1 + INDEX_BITS + LENGTH_BITS;
/// Bits of such a record that is moved by the bits of a run less one.
const MOVED_W: u32 = RECORD_W + (1 << RUN_BITS_W) - 1;
/// Bits of the lower part of an address and the flag in front of it.
const FLAGGED_W: u32 = 1 + LOWER_W;
/// Bits of a beat with an address and the instructions that were executed.
const ADDRESS_BEAT_W: u32 = FLAGGED_W + UPPER_W + LENGTH_BITS;

clocked_block! {
    /// See the module text.
    pub struct StreamRecords;
    inputs RecordsInputs {
        is_a32: Bit,
        limit: Bits<FILL_W>,
        stream: Bus<STREAM_W>,
        index: Bits<INDEX_W>,
        is_known: Bit,
        is_predicted: Bit,
        sends: Bit,
        run: Bus<STREAM_RUN_W>,
    }
    lane_inputs {}
    outputs RecordsOutputs {
        beat_valid: Bit,
        beat_bits: Bus<BEAT_BITS>,
        beat_count: Bits<BEAT_COUNT_W>,
        beat_last: Bit,
        beat_overflows: Bit,
        rest: Bits<LENGTH_W>,
        rest_start: Bus<ADDRESS_W>,
        rest_run: Bus<STREAM_RUN_W>,
    }
    lane_outputs {}
    pair_outputs {}
    kernel stream_records;
}

#[named]
fn stream_records<T: Word, const N: usize, const P: usize>(
    i: RecordsInputs<T::Port, N>,
) -> RecordsOutputs<T, N, P> {
    let bit = |port: &T::Port| T::field(port, 0, 1);
    let is_a32 = bit(&i.is_a32).steady();
    let limit = T::field(&i.limit, 0, FILL_W as u32).steady();
    let stream = Stream::<T>::unpack(&i.stream);
    let is_known = bit(&i.is_known);
    let breaks = stream.is_stream.and(bit(&i.is_predicted).not());
    let misses = stream.is_stream.and(is_known.not());
    // The run behind the stream before is the one before this stream.
    let run = StreamRun::<T>::unpack(&i.run);
    let rest_run = run.map(T::next_word);
    let sends = bit(&i.sends).next_word();

    // The first beat: a run has a 1 in front of it.
    let index = T::field(&i.index, 0, INDEX_BITS).mask(is_known);
    let length = stream.length.mask(misses);
    let zero = T::constant(0, 1);
    let record = join([zero, index, length]).mask(breaks).reg();
    let places = run.bits.reg().mask(sends);
    let step = |word: T, low: u32, width: u32| {
        let by = |number: u32| moved(word, number << low, width);
        mux4(places.slice(low, 2), [0, 1, 2, 3].map(by)).reg()
    };
    let by_ones = step(record, 0, RECORD_W + 3);
    let by_fours = step(by_ones, 2, MOVED_W);
    let width = MOVED_W + 2;
    let flagged = run.length.concat(T::constant(1, 1)).extend(width);
    let behind = moved(by_fours, 2, width).or(flagged);
    let first = sends.mux(behind, by_fours.extend(width));
    let count = |bits: u32| T::constant(bits.into(), BEAT_COUNT_W as u32);
    let run_count = run.bits.reg().extend(BEAT_COUNT_W as u32).add_const(2);
    let record_count = misses.mux(count(RECORD_W), count(1 + INDEX_BITS));
    let first_count = run_count.mask(sends).add(record_count.mask(breaks)).reg();

    // The second one.
    let start = before(stream.next);
    let upper = start.slice(LOWER_W, UPPER_W).mask(stream.is_new);
    let short = upper.slice(0, SHORT_UPPER_W).extend(UPPER_W);
    let upper = is_a32.mux(short, upper);
    let address = join([stream.is_new, start.slice(0, LOWER_W), upper]);
    let is_explicit = stream.is_explicit.and(misses);
    let executed = stream.executed.mask(stream.is_discontinuity);
    let (is_whole, is_short) = (stream.is_new, stream.is_new.and(is_a32));
    let behind = |bits: u32| moved(executed, bits, ADDRESS_BEAT_W);
    let cases = [
        (stream.is_explicit.not(), behind(0)),
        (is_short, behind(FLAGGED_W + SHORT_UPPER_W)),
        (is_whole, behind(FLAGGED_W + UPPER_W)),
    ];
    let executed = priority_mux(&cases, behind(FLAGGED_W));
    let address = address.mask(is_explicit).extend(ADDRESS_BEAT_W);
    let second = address.or(executed.mask(misses)).reg();
    let cases = [
        (stream.is_new.not(), count(FLAGGED_W)),
        (is_a32, count(FLAGGED_W + SHORT_UPPER_W)),
    ];
    let address_count = priority_mux(&cases, count(FLAGGED_W + UPPER_W));
    let is_interrupted = stream.is_discontinuity;
    let executed_count = count(LENGTH_BITS).mask(is_interrupted);
    let second_count = address_count.mask(is_explicit).add(executed_count).reg();

    let has_second = misses.and(stream.is_explicit.or(is_interrupted));
    let is_second = before(has_second);
    let second = before(second.at_stage(first.stage()));
    let bits = first.extend(BEAT_BITS as u32);
    let beat_bits = bits.or(second.extend(BEAT_BITS as u32));
    let beat_count = first_count.or(before(second_count.at_stage(first_count.stage())));
    let ends = all(&[stream.valid, stream.is_last, has_second.not()]);
    let ends_second = before(has_second.and(stream.is_last));
    let start = stream.is_start.at_stage(beat_count.stage());
    RecordsOutputs {
        beat_valid: vec![stream.valid.or(is_second)],
        beat_bits: vec![beat_bits],
        beat_count: vec![beat_count],
        beat_last: vec![ends.or(ends_second)],
        beat_overflows: vec![overflows(limit, stream.cuts, start, beat_count)],
        rest: vec![stream.rest],
        rest_start: vec![stream.next],
        rest_run: rest_run.pack(),
    }
}
