// SPDX-License-Identifier: MIT OR Apache-2.0
//! Windows over the bytes of a stream: what the bytes right before one say about it.

use crate::encodings::is_async_end;
use coretrace_etm::ASYNC_ZEROS;
use coretrace_hdl_dataflow::{Word, all, latest, named};

/// Bytes of a timestamp that may be followed by another one.
const TIME_BYTES: usize = 8;

/// One flag of the `count` bytes before the word, oldest first, and of those in it. `goes_on` says
/// whether the word becomes the past, `forget` clears what is past.
#[named]
fn with_past<T: Word>(flags: &[T], count: usize, goes_on: T, forget: T) -> Vec<T> {
    let now = latest(flags.iter().copied().chain([goes_on, forget]));
    let (past, held): (Vec<T>, Vec<T::RegisterHandle>) =
        (0..count).map(|_| T::register(1, now)).unzip();
    let known = past.iter().map(|flag| flag.and(forget.not()));
    let stream: Vec<T> = known
        .chain(flags.iter().map(|flag| flag.at_stage(now)))
        .collect();
    let next = &stream[stream.len() - count..];
    for ((held, &next), &before) in held.into_iter().zip(next).zip(&past) {
        T::set_next(held, goes_on.mux(next, before));
    }
    stream
}

/// For every byte whether it ends an A-Sync: eleven zeros and 0x80, without a loss between them.
#[named]
pub(super) fn async_hits<T: Word>(octets: &[T], goes_on: T, lost: T) -> Vec<T> {
    let zeros: Vec<T> = octets.iter().map(|octet| octet.is(0).reg()).collect();
    let stream = with_past(&zeros, ASYNC_ZEROS, goes_on, lost);
    (0..octets.len())
        .map(|lane| {
            let (far, near) = stream[lane..lane + ASYNC_ZEROS].split_at(6);
            let zeros = all(far).reg().and(all(near).reg());
            zeros.and(is_async_end(octets[lane]))
        })
        .collect()
}

/// For every byte whether it goes on as a byte of a timestamp: bit 7 is set, and not in all of the
/// eight bytes before.
#[named]
pub(super) fn more_time<T: Word>(octets: &[T], goes_on: T) -> Vec<T> {
    let more: Vec<T> = octets.iter().map(|octet| octet.bit(7)).collect();
    let stream = with_past(&more, TIME_BYTES, goes_on, T::constant(0, 1));
    (0..octets.len())
        .map(|lane| {
            let ninth = all(&stream[lane..lane + TIME_BYTES]).reg();
            more[lane].and(ninth.not()).reg()
        })
        .collect()
}
