// SPDX-License-Identifier: MIT OR Apache-2.0
//! Registers for the bytes of a part: the newest byte that was put into each.
//!
//! A packet has a header, so that a byte of some index comes at most once in a pair of lanes, and
//! from the second index on at most once in a word of four.

use coretrace_hdl_dataflow::{Word, any, latest, named, priority_mux};

/// A byte that may be put into a slot.
#[derive(Clone, Copy)]
pub(super) struct Put<T> {
    pub put: T,
    pub value: T,
}

/// The last one put of some bytes. The values may come a cycle after the flags that choose among
/// them, and are returned then.
#[named]
pub(super) fn last_put<T: Word>(puts: &[Put<T>]) -> Put<T> {
    let flags: Vec<T> = puts.iter().map(|put| put.put).collect();
    let number = |lane: usize| T::constant(lane as u64, 2);
    let cases: Vec<(T, T)> = (1..puts.len())
        .rev()
        .map(|lane| (flags[lane], number(lane)))
        .collect();
    let select = priority_mux(&cases, number(0)).reg();
    let value = |lane: usize| puts.get(lane).unwrap_or(&puts[0]).value;
    let pair = |low: usize| select.bit(0).mux(value(low + 1), value(low));
    Put {
        put: any(&flags).reg(),
        value: select.bit(1).mux(pair(2), pair(0)),
    }
}

/// A slot after the word, into which at most one byte of a word is put.
#[named]
pub(super) fn by_word<T: Word>(puts: &[Put<T>], restart: T) -> T {
    let last = last_put(puts);
    let (held, handle) = T::register(last.value.width(), latest([last.put, last.value, restart]));
    let zero = T::constant(0, held.width());
    T::set_next(handle, restart.mux(zero, last.put.mux(last.value, held)));
    held.next_word()
}

/// A slot after each pair of lanes, into which at most one byte of a pair is put.
#[named]
pub(super) fn by_pair<T: Word>(puts: &[Put<T>], restart: T) -> Vec<T> {
    let pairs: Vec<Put<T>> = puts.chunks(2).map(last_put).collect();
    let now = latest(pairs.iter().flat_map(|put| [put.put, put.value]));
    let (held, handle) = T::register(pairs[0].value.width(), now);
    let mut slot = held;
    let mut after: Vec<T> = Vec::new();
    for pair in &pairs {
        slot = pair.put.mux(pair.value, slot);
        after.push(slot.reg());
    }
    let zero = T::constant(0, held.width());
    T::set_next(handle, restart.mux(zero, slot));
    *after.last_mut().expect("pairs") = held.next_word();
    after
}

/// What a pair of lanes does to a register: clears it, or takes a value.
#[derive(Clone, Copy)]
pub(super) struct Change<T> {
    pub take: T,
    pub value: T,
    pub clear: T,
}

/// A register after each pair of lanes. Flags must be known a cycle before the values.
#[named]
pub(super) fn register<T: Word>(changes: &[Change<T>], restart: T) -> Vec<T> {
    let value_time = latest(changes.iter().map(|change| change.value));
    let (held, handle) = T::register(changes[0].value.width(), value_time);
    let zero = T::constant(0, held.width());
    let restart = restart.at_stage(value_time - 1);
    let mut after = Vec::new();
    let never = T::constant(0, 1);
    let (mut takes, mut clears) = (never, never);
    for pair in 0..changes.len() {
        let [take, clear] =
            [changes[pair].take, changes[pair].clear].map(|f| f.at_stage(value_time - 1));
        takes = take.or(takes.and(clear.not()));
        clears = take.not().and(clear.or(clears));
        // The value of the last pair up to this one that takes one.
        let value = (1..=pair).fold(changes[0].value, |value, pair| {
            changes[pair]
                .take
                .at_stage(value_time - 1)
                .reg()
                .mux(changes[pair].value, value)
        });
        let next = clears.reg().mux(zero, takes.reg().mux(value, held));
        after.push(next);
    }
    let last = after[changes.len() - 1];
    T::set_next(handle, restart.reg().mux(zero, last));
    let mut after: Vec<T> = after.into_iter().map(T::reg).collect();
    *after.last_mut().expect("pairs") = held.next_word();
    after
}
