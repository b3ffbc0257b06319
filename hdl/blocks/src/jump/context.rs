// SPDX-License-Identifier: MIT OR Apache-2.0
//! Timestamp and context after each pair of lanes.

use super::at_least;
use super::lane::Byte;
use super::latch::{Keep, Write, after_runs};
use super::payload::run;
use crate::dataflow::{Word, any, latest, pick};

/// Groups of bits of a timestamp, one a byte.
const GROUPS: usize = 9;
/// Bytes of an identifier that stand before its last one.
const BEFORE: usize = 3;

/// Whether one of some lanes does something.
fn any_of<T: Word>(lanes: &[Byte<T>], does: impl Fn(&Byte<T>) -> T) -> T {
    let list: Vec<T> = lanes.iter().map(does).collect();
    any(&list).reg()
}

/// A register as the records see it that end in each pair of lanes. `run` is the number of lanes in
/// which at most one packet writes it: all of them belong to that packet or come after it, so that
/// one value serves the run, unless a Trace Info clears the register. `value` is that of a run.
fn register<T: Word>(
    bytes: &[Byte<T>],
    run: usize,
    keep: Keep<T>,
    does: impl Fn(&Byte<T>) -> T,
    value: impl Fn(usize) -> T,
) -> Vec<T> {
    let run = run.min(bytes.len());
    let runs = || bytes.chunks(run).enumerate();
    let write = |(number, lanes): (usize, &[Byte<T>])| Write {
        write: any_of(lanes, &does).reg(),
        value: value(number),
    };
    let writes: Vec<Write<T>> = runs().map(write).collect();
    let clears: Vec<T> = runs()
        .map(|(_, lanes)| any_of(lanes, |byte| byte.clear).reg())
        .collect();
    let list = after_runs(&writes, Some(&clears), keep);
    let seen = |pair: usize| {
        let (run_of_pair, end) = (2 * pair / run, 2 * pair + 2);
        let cleared = any_of(&bytes[run_of_pair * run..end], |byte| byte.clear).reg();
        let value = list[run_of_pair].after;
        cleared.mux(T::constant(0, value.width()), value)
    };
    (0..bytes.len() / 2).map(seen).collect()
}

/// The timestamp of each pair: as many groups of seven bits as were read.
pub(super) fn timestamps<T: Word>(bytes: &[Byte<T>], lead: &[Vec<T>], keep: Keep<T>) -> Vec<T> {
    let groups = (0..GROUPS).map(|group| {
        let bits = if group == GROUPS - 1 { 8 } else { 7 };
        let reaches = |byte: &Byte<T>| byte.timestamp.and(at_least(byte.index, group));
        let run = run(group).min(bytes.len());
        // All pairs of a run have the same byte.
        let value = |number: usize| lead[number * run / 2][group].slice(0, bits);
        register(bytes, run, keep, reaches, value)
    });
    let groups: Vec<Vec<T>> = groups.collect();
    (0..lead.len())
        .map(|pair| {
            let parts = groups.iter().map(|group| group[pair]);
            parts.reduce(|low, high| high.above(low)).expect("groups")
        })
        .collect()
}

/// The context of each pair.
pub(super) struct Context<T> {
    pub info: Vec<T>,
    pub vmid: Vec<T>,
    pub cid: Vec<T>,
}

/// The last four bytes up to the lane of each pair in which an identifier ends, last one first.
fn windows<T: Word>(bytes: &[Byte<T>], keep: Keep<T>) -> Vec<[T; BEFORE + 1]> {
    let octets: Vec<T> = bytes.iter().map(|byte| byte.octet).collect();
    let now = latest(octets.iter().copied());
    let (past, held): (Vec<T>, Vec<T::Held>) = (0..BEFORE).map(|_| T::hold(8, now)).unzip();
    let stream: Vec<T> = past.iter().chain(&octets).copied().collect();
    let next = &stream[stream.len() - BEFORE..];
    for ((held, &next), &before) in held.into_iter().zip(next).zip(&past) {
        T::drive(held, keep.update.at(now).mux(next, before));
    }
    (0..bytes.len() / 2)
        .map(|pair| {
            let byte = &bytes[2 * pair + 1];
            let second = byte.vmid.or(byte.cid).reg();
            std::array::from_fn(|back| {
                let from = |lane: usize| stream[BEFORE + lane - back];
                second.mux(from(2 * pair + 1), from(2 * pair)).reg()
            })
        })
        .collect()
}

/// The context of each pair; `vmid_last` is the index of the last byte of a VMID.
pub(super) fn context<T: Word>(bytes: &[Byte<T>], vmid_last: T, keep: Keep<T>) -> Context<T> {
    let windows = windows(bytes, keep);
    let none = T::constant(0, 8);
    let (is_one, is_two, is_four) = (vmid_last.is(0), vmid_last.is(1), vmid_last.bit(1));
    let info = |pair: usize| {
        let (first, second) = (&bytes[2 * pair], &bytes[2 * pair + 1]);
        second.info.reg().mux(second.octet, first.octet).reg()
    };
    let cid = |pair: usize| {
        let bytes = windows[pair].into_iter().rev();
        bytes.reduce(|low, high| high.above(low)).expect("bytes")
    };
    let vmid = |pair: usize| {
        let w = windows[pair];
        let byte0 = pick(&[(is_one, w[0]), (is_two, w[1])], w[3]);
        let byte1 = pick(&[(is_one, none), (is_two, w[0])], w[2]);
        let upper = w[0].above(w[1]).gated(is_four);
        upper.above(byte1).above(byte0)
    };
    Context {
        info: register(bytes, 2, keep, |byte| byte.info, info),
        vmid: register(bytes, 2, keep, |byte| byte.vmid, vmid),
        cid: register(bytes, 2, keep, |byte| byte.cid, cid),
    }
}
