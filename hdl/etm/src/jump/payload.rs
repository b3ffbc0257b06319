// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bytes of packets by their index: leads and continuation fields.

use super::lane::Byte;
use super::lane_registers::{CommitRule, Run, WordControl, Write, after_runs, last_of, last_write};
use coretrace_hdl_dataflow::{Word, join};

/// Bytes of a lead that are kept.
const LEAD_BYTES: usize = 9;
/// Groups of seven bits of a continuation field that are kept.
const GROUPS: usize = 5;

/// Lanes among which a byte of this index comes at most once: a packet has a header and the bytes
/// before it.
pub(super) const fn run(index: usize) -> usize {
    match index {
        0 | 1 => 2,
        2..=5 => 4,
        _ => 8,
    }
}

/// The bytes of the lead after each pair of lanes: `list[pair][index]`.
pub(super) fn leads<T: Word>(bytes: &[Byte<T>], control: WordControl<T>) -> Vec<Vec<T>> {
    let mut list = vec![Vec::new(); bytes.len() / 2];
    for index in 0..LEAD_BYTES {
        let run = run(index).min(bytes.len());
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
        let after = after_runs(&writes, taken, control);
        for (pair, leads) in list.iter_mut().enumerate() {
            leads.push(after[2 * pair / run].after);
        }
    }
    list
}

/// Cycles from the bytes to their leads, in a word of `lanes` lanes.
pub(super) const fn lead_latency(lanes: usize) -> u32 {
    match lanes {
        4 => 3,
        8 => 4,
        _ => 6,
    }
}

/// Cycles from the bytes to fields, timestamps and context, in a word of `lanes` lanes: three, and
/// those that it takes to find the last of all writes.
pub(super) const fn value_latency(lanes: usize) -> u32 {
    match lanes {
        4 => 3,
        8 => 4,
        _ => 6,
    }
}

/// The continuation field of two or more bytes that ends in each pair of lanes, 32 bits.
pub(super) fn fields<T: Word>(bytes: &[Byte<T>], control: WordControl<T>) -> Vec<T> {
    let groups = (0..GROUPS).map(|group| match group {
        0 => first_groups(bytes, control),
        _ => {
            let runs = after_runs(
                &group_writes(bytes, group, control),
                CommitRule::Partial,
                control,
            );
            runs.iter().map(|run| run.after).collect()
        }
    });
    let groups: Vec<Vec<T>> = groups.collect();
    (0..bytes.len() / 2)
        .map(|pair| join(groups.iter().map(|group| group[pair])))
        .collect()
}

/// A byte of a field with this index.
fn at<T: Word>(byte: &Byte<T>, index: usize) -> T {
    byte.field.and(byte.index.is(index as u64)).reg()
}

/// Group 0 after the first lane of each pair: what begins in the second lane is longer than a byte
/// only if it ends in a later pair.
fn first_groups<T: Word>(bytes: &[Byte<T>], control: WordControl<T>) -> Vec<T> {
    let write = |byte: &Byte<T>| Write {
        write: at(byte, 0).reg(),
        value: byte.octet.slice(0, 7),
    };
    let pair = |lanes: &[Byte<T>]| last_of(&[write(&lanes[0]), write(&lanes[1])]);
    let writes: Vec<Write<T>> = bytes.chunks(2).map(pair).collect();
    let runs = after_runs(&writes, CommitRule::Partial, control);
    let firsts = bytes.iter().step_by(2).map(write);
    let first = |(run, first): (&Run<T>, Write<T>)| first.write.mux(first.value, run.before).reg();
    runs.iter().zip(firsts).map(first).collect()
}

/// What each pair of lanes does to another group. The first byte of a field clears it; if that is
/// in the second lane of a pair, then in the next pair: a field may have ended in the first lane.
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
        let value = at(second, group).mux(bits(second), bits(first)).reg();
        Write {
            write: written.or(cleared).reg(),
            value: value.mask(written.reg()),
        }
    };
    bytes.chunks(2).enumerate().map(pair).collect()
}
