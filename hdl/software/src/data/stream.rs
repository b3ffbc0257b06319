// SPDX-License-Identifier: MIT OR Apache-2.0
//! The stream state, stepped once for every byte. The software twin is `coretrace_data_trace::Parser`.

use super::layouts::{LaneResult, Predecode, StreamState, outcome, part};
use super::table::{extension, header};
use coretrace_hdl_dataflow::{Word, all, any, join, named, priority_mux};

/// Zeros of an A-Sync, at least, and the byte that ends it.
const ASYNC_ZEROS: u64 = 11;
const ASYNC_END: u64 = 0x80;

/// A word as it came in.
#[derive(Clone, Copy)]
pub(super) struct Input<T> {
    /// No reset.
    pub lives: T,
    /// There is a word.
    pub valid: T,
    /// Bytes were lost before it.
    pub lost: T,
}

/// What the bytes of a word are, whatever the stream state.
#[named]
pub(super) fn predecode<T: Word>(input: &Input<T>, octets: &[T], keeps: &[T]) -> Vec<Predecode<T>> {
    let (held, next) = T::register(4, input.valid.stage());
    let mut zeros = held.mask(input.lost.not());
    let mut lanes = Vec::new();
    for (&octet, &keep) in octets.iter().zip(keeps) {
        let keep = keep.and(input.valid);
        let is_full = zeros.is(ASYNC_ZEROS);
        let zero = octet.is(0);
        let (header, extension) = (header(octet), extension(octet));
        lanes.push(Predecode {
            keep,
            zero,
            hit: all(&[keep, octet.is(ASYNC_END), is_full]),
            header_known: header.known,
            header_whole: header.whole,
            header_index: header.index,
            extension_known: extension.known,
            extension_whole: extension.whole,
            extension_index: extension.index,
        });
        let after = is_full.mux(zeros, zeros.add_const(1)).mask(zero);
        zeros = keep.mux(after, zeros);
    }
    T::set_next(next, zeros.mask(input.lives));
    lanes
}

/// The state after a byte, and its result.
#[named]
fn step<T: Word>(state: StreamState<T>, lane: &Predecode<T>) -> (StreamState<T>, LaneResult<T>) {
    let in_part = |value: u64| state.part.is(value);
    let (is_header, is_extension) = (in_part(part::HEADER), in_part(part::EXTENSION));
    let known = is_extension.mux(lane.extension_known, lane.header_known);
    let whole = any(&[
        is_header.and(lane.header_whole),
        is_extension.and(lane.extension_whole),
    ]);
    let reads = all(&[lane.keep, state.is_synced, lane.hit.not()]);
    let ends = reads.and(whole).and(lane.zero.not());
    let stops = all(&[reads, whole.not(), lane.zero.not()]);
    let is_raw = known.and(in_part(part::ZEROS).not());

    let parts = |value: u64| T::constant(value, 2);
    let zeros_next = is_header.mux(parts(part::EXTENSION), parts(part::ZEROS));
    let part_next = zeros_next.mask(reads.and(lane.zero));
    let next = StreamState {
        is_synced: lane.hit.or(state.is_synced.and(stops.not())),
        part: lane.keep.mux(part_next, state.part),
    };
    let outcomes = |value: u64| T::constant(value, 3);
    let stopped = is_raw.mux(outcomes(outcome::RAW), outcomes(outcome::RESERVED));
    let result = LaneResult {
        outcome: priority_mux(
            &[
                (lane.hit, outcomes(outcome::ASYNC)),
                (ends, outcomes(outcome::PACKET)),
                (stops, stopped),
            ],
            outcomes(outcome::NONE),
        ),
        index: is_extension.mux(lane.extension_index, lane.header_index),
    };
    (next, result)
}

/// The result of each byte of a word.
#[named]
pub(super) fn results<T: Word>(input: &Input<T>, lanes: &[Predecode<T>]) -> Vec<LaneResult<T>> {
    let (held, next) = T::register(StreamState::WIDTH as u32, input.valid.stage());
    let mut state = StreamState::split(held.mask(input.lost.not()));
    let mut results = Vec::new();
    for lane in lanes {
        let (after, result) = step(state, lane);
        state = after;
        results.push(result);
    }
    T::set_next(next, join(state.pack()).mask(input.lives));
    results
}
