// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bytes of packets by their index: leads and continuation fields.

use super::lane::Byte;
use super::lane_registers::{
    CommitRule, Run, Runs, WordControl, Write, after_each, after_runs, last_of, last_write,
};
use coretrace_hdl_dataflow::{Word, join, named};

/// Bytes of a lead that are kept.
const LEAD_BYTES: usize = 9;
/// Groups of seven bits of a continuation field that are kept.
const GROUPS: usize = 5;

/// What [`run`] gives.
const RUNS: [usize; 3] = [2, 4, 8];

/// Lanes among which a byte of this index comes at most once: a packet has a header and the bytes
/// before it.
pub(super) const fn run(index: usize) -> usize {
    match index {
        0 | 1 => RUNS[0],
        2..=5 => RUNS[1],
        _ => RUNS[2],
    }
}

/// The bytes of the lead after each pair of lanes, in registers at time `end`: `list[pair][index]`.
/// `at` gives the bytes of the word at a time.
#[named]
pub(super) fn leads<T: Word>(
    lanes: usize,
    at: impl Fn(u32) -> Vec<Byte<T>>,
    end: u32,
    control: WordControl<T>,
) -> Vec<Vec<T>> {
    let by_run = RUNS.map(|run| at(end - lead_latency(lanes, run.min(lanes))));
    let mut list = vec![Vec::new(); lanes / 2];
    for index in 0..LEAD_BYTES {
        let run = run(index);
        let bytes = &by_run[RUNS.iter().position(|&other| other == run).expect("a run")];
        let run = run.min(lanes);
        let write = |byte: &Byte<T>| Write {
            write: byte.lead.and(byte.index.is(index as u64)).reg(),
            value: byte.octet,
        };
        let runs = bytes.chunks(run).map(|lanes| {
            let writes: Vec<Write<T>> = lanes.iter().map(write).collect();
            last_write(&writes)
        });
        let writes: Vec<Write<T>> = runs.collect();
        // Not so if a packet that ends in one run may be followed by a byte of this index in another.
        let taken = if writes.len() == 1 {
            CommitRule::Partial
        } else {
            CommitRule::Commit
        };
        let after = after_each(&writes, taken, control);
        for (pair, leads) in list.iter_mut().enumerate() {
            leads.push(after[2 * pair / run].reg().at_stage(end));
        }
    }
    list
}

/// Cycles from the bytes of a word of `lanes` lanes to a byte of their leads that comes once in a
/// run: one for the index, one or two to select in the run, and one for the register; with eight
/// runs, two more to find the last write and one to pass on four runs.
const fn lead_latency(lanes: usize, run: usize) -> u32 {
    let select = if run > 4 { 2 } else { 1 };
    let many = if lanes / run > 4 { 3 } else { 0 };
    2 + select + many
}

/// Cycles between the leads and the values that are made of them, in a word of `lanes` lanes.
pub(super) const fn lead_lateness(lanes: usize) -> u32 {
    if lanes > 8 { 1 } else { 0 }
}

/// Cycles from the bytes to fields, timestamps and context, in a word of `lanes` lanes: two, with
/// eight pairs two more to find the last of all writes and one to pass on four pairs.
pub(super) const fn value_latency(lanes: usize) -> u32 {
    if lanes > 8 { 5 } else { 2 }
}

/// The continuation field of two or more bytes that ends in each pair of lanes, 32 bits.
#[named]
pub(super) fn fields<T: Word>(bytes: &[Byte<T>], control: WordControl<T>) -> Vec<T> {
    let groups = (0..GROUPS).map(|group| match group {
        0 => first_groups(bytes, control),
        _ => after_each(
            &group_writes(bytes, group, control),
            CommitRule::Partial,
            control,
        ),
    });
    let groups: Vec<Vec<T>> = groups.collect();
    (0..bytes.len() / 2)
        .map(|pair| join(groups.iter().map(|group| group[pair])))
        .collect()
}

/// A byte of a field with this index.
#[named]
fn at<T: Word>(byte: &Byte<T>, index: usize) -> T {
    byte.field.and(byte.index.is(index as u64)).reg()
}

/// Group 0 after the first lane of each pair: what begins in the second lane is longer than a byte
/// only if it ends in a later pair.
#[named]
fn first_groups<T: Word>(bytes: &[Byte<T>], control: WordControl<T>) -> Vec<T> {
    let write = |byte: &Byte<T>| Write {
        write: at(byte, 0).reg(),
        value: byte.octet.slice(0, 7),
    };
    let pair = |lanes: &[Byte<T>]| last_of(&[write(&lanes[0]), write(&lanes[1])]);
    let writes: Vec<Write<T>> = bytes.chunks(2).map(pair).collect();
    let Runs { runs, .. } = after_runs(&writes, T::constant(0, 1), CommitRule::Partial, control);
    let firsts = bytes.iter().step_by(2).map(write);
    let first = |(run, first): (&Run<T>, Write<T>)| first.write.mux(first.value, run.before);
    runs.iter().zip(firsts).map(first).collect()
}

/// What each pair of lanes does to another group. The first byte of a field clears it; if that is
/// in the second lane of a pair, then in the next pair: a field may have ended in the first lane.
#[named]
fn group_writes<T: Word>(
    bytes: &[Byte<T>],
    group: usize,
    control: WordControl<T>,
) -> Vec<Write<T>> {
    let width = 7.min(32 - 7 * group as u32);
    let starts: Vec<T> = bytes.iter().map(|byte| at(byte, 0)).collect();
    let started = control.before(starts[starts.len() - 1]);
    let pair = |(number, lanes): (usize, &[Byte<T>])| {
        let (first, second) = (&lanes[0], &lanes[1]);
        let bits = |byte: &Byte<T>| byte.octet.slice(0, width);
        let written = at(first, group).or(at(second, group));
        let before = number
            .checked_sub(1)
            .map_or(started, |pair| starts[2 * pair + 1]);
        let cleared = starts[2 * number].or(before);
        let is_second = at(second, group).reg();
        let value = is_second.mux(bits(second), bits(first));
        Write {
            write: written.or(cleared).reg(),
            value: value.mask(written.reg()),
        }
    };
    bytes.chunks(2).enumerate().map(pair).collect()
}
