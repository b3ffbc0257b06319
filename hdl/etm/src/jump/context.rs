// SPDX-License-Identifier: MIT OR Apache-2.0
//! Timestamp and context after each pair of lanes.

use super::at_least;
use super::lane::Byte;
use super::lane_registers::{CommitRule, Runs, WordControl, Write, after_runs, cleared};
use super::payload::run;
use coretrace_hdl_dataflow::{Word, any, join, named, priority_mux};

/// Groups of bits of a timestamp, one a byte.
const GROUPS: usize = 9;
/// Bytes of an identifier that stand before its last one.
const BEFORE: usize = 3;

/// Whether a lane of each pair does something.
#[named]
fn by_pair<T: Word>(bytes: &[Byte<T>], does: impl Fn(&Byte<T>) -> T) -> Vec<T> {
    let pair = |lanes: &[Byte<T>]| does(&lanes[0]).or(does(&lanes[1])).reg();
    bytes.chunks(2).map(pair).collect()
}

/// A register as the records see it that end in each pair of lanes. `run` is the number of pairs in
/// which at most one packet writes it: all of them belong to that packet or come after it, so that
/// one value serves the run, unless a Trace Info clears the register. `value` is that of a run.
#[named]
fn register<T: Word>(
    run: usize,
    control: WordControl<T>,
    writes: &[T],
    clears: &[T],
    value: impl Fn(usize) -> T,
) -> Vec<T> {
    let any_in_run =
        |flags: &[T]| -> Vec<T> { flags.chunks(run).map(|run| any(run).reg()).collect() };
    let written = any_in_run(writes);
    let write = |(run, &write): (usize, &T)| Write {
        write,
        value: value(run),
    };
    let values: Vec<Write<T>> = written.iter().enumerate().map(write).collect();
    let (empty, clear) = cleared(&written, &any_in_run(clears));
    let Runs { runs, next } = after_runs(&values, clear, CommitRule::Partial, control);
    let pairs = clears.len();
    let seen = |pair: usize| {
        // The last pair and the register can share flip-flops.
        if pair + 1 == pairs {
            return next;
        }
        let of_pair = pair / run;
        let cleared = any(&clears[of_pair * run..=pair]).reg();
        let stays_empty = empty[of_pair].and(written[of_pair].not());
        runs[of_pair].after.mask(cleared.or(stays_empty).not())
    };
    (0..pairs).map(seen).collect()
}

/// The timestamp of each pair: as many groups of seven bits as were read.
#[named]
pub(super) fn timestamps<T: Word>(
    bytes: &[Byte<T>],
    lead: &[Vec<T>],
    control: WordControl<T>,
) -> Vec<T> {
    let clears = by_pair(bytes, |byte| byte.clear);
    let ends = by_pair(bytes, |byte| byte.timestamp);
    let index = |pair: &[Byte<T>]| pair[1].timestamp.mux(pair[1].index, pair[0].index).reg();
    let indices: Vec<T> = bytes.chunks(2).map(index).collect();
    let groups = (0..GROUPS).map(|group| {
        let bits = if group == GROUPS - 1 { 8 } else { 7 };
        let reaches = |(&ends, &index): (&T, &T)| ends.and(at_least(index, group));
        let writes: Vec<T> = ends.iter().zip(&indices).map(reaches).collect();
        let run = run(group).min(bytes.len()) / 2;
        // All pairs of a run have the same byte.
        let value = |number: usize| lead[number * run][group].slice(0, bits);
        register(run, control, &writes, &clears, value)
    });
    let groups: Vec<Vec<T>> = groups.collect();
    (0..lead.len())
        .map(|pair| join(groups.iter().map(|group| group[pair])))
        .collect()
}

/// The context of each pair.
pub(super) struct Context<T> {
    pub info: Vec<T>,
    pub vmid: Vec<T>,
    pub cid: Vec<T>,
}

/// The last four bytes up to the lane of each pair in which an identifier ends, last one first.
#[named]
fn windows<T: Word>(bytes: &[Byte<T>], control: WordControl<T>) -> Vec<[T; BEFORE + 1]> {
    let octets: Vec<T> = bytes.iter().map(|byte| byte.octet).collect();
    let past = octets[octets.len() - BEFORE..].iter();
    let past: Vec<T> = past.map(|&octet| control.before(octet)).collect();
    let stream: Vec<T> = past.into_iter().chain(octets).collect();
    (0..bytes.len() / 2)
        .map(|pair| {
            let byte = &bytes[2 * pair + 1];
            let second = byte.vmid.or(byte.cid).delay(2);
            std::array::from_fn(|back| {
                let from = |lane: usize| stream[BEFORE + lane - back];
                second.mux(from(2 * pair + 1), from(2 * pair))
            })
        })
        .collect()
}

/// The context of each pair; `vmid_last` is the index of the last byte of a VMID.
#[named]
pub(super) fn context<T: Word>(
    bytes: &[Byte<T>],
    vmid_last: T,
    control: WordControl<T>,
) -> Context<T> {
    let windows = windows(bytes, control);
    let none = T::constant(0, 8);
    let (is_one, is_two, is_four) = (vmid_last.is(0), vmid_last.is(1), vmid_last.bit(1));
    let info = |pair: usize| {
        let (first, second) = (&bytes[2 * pair], &bytes[2 * pair + 1]);
        second.info.delay(2).mux(second.octet, first.octet)
    };
    let cid = |pair: usize| join(windows[pair].into_iter().rev());
    let vmid = |pair: usize| {
        let w = windows[pair];
        let byte0 = priority_mux(&[(is_one, w[0]), (is_two, w[1])], w[3]);
        let byte1 = priority_mux(&[(is_one, none), (is_two, w[0])], w[2]);
        let upper = w[0].concat(w[1]).mask(is_four);
        upper.concat(byte1).concat(byte0)
    };
    let clears = by_pair(bytes, |byte| byte.clear);
    let of_pair = |does: &dyn Fn(&Byte<T>) -> T, value: &dyn Fn(usize) -> T| {
        register(1, control, &by_pair(bytes, does), &clears, value)
    };
    Context {
        info: of_pair(&|byte| byte.info, &info),
        vmid: of_pair(&|byte| byte.vmid, &vmid),
        cid: of_pair(&|byte| byte.cid, &cid),
    }
}
