// SPDX-License-Identifier: MIT OR Apache-2.0
//! Registers that some lanes of a word write and all lanes read.

use super::choose;
use crate::dataflow::{Word, any, latest, pick};

/// A value that a lane, or a run of lanes, may give a register.
#[derive(Clone, Copy)]
pub(super) struct Write<T> {
    pub write: T,
    pub value: T,
}

/// How a word treats the registers.
#[derive(Clone, Copy)]
pub(super) struct Keep<T> {
    /// The word is for good.
    pub update: T,
    /// The registers become 0.
    pub restart: T,
}

/// A register at a run of lanes.
#[derive(Clone, Copy)]
pub(super) struct Run<T> {
    pub before: T,
    /// After its write, before it is cleared.
    pub after: T,
}

/// Runs that are worked on in one cycle.
const RUNS_PER_CYCLE: usize = 4;

/// The register at each run of lanes, for runs in which at most one lane writes; `clears` says
/// whether it is cleared at the end of the run.
///
/// In a word of more than two runs the register itself looks at the last write only, which is found
/// beforehand; what stands between is filled in behind it.
pub(super) fn after_runs<T: Word>(
    writes: &[Write<T>],
    clears: Option<&[T]>,
    keep: Keep<T>,
) -> Vec<Run<T>> {
    let zero = T::constant(0, writes[0].value.width());
    let clear = |run: usize| clears.map_or(T::constant(0, 1), |clears| clears[run]);
    let effective = |(run, write): (usize, &Write<T>)| Write {
        write: write.write.or(clear(run)),
        value: clear(run).mux(zero, write.value),
    };
    let last = (writes.len() > 2).then(|| {
        let list: Vec<Write<T>> = writes.iter().enumerate().map(effective).collect();
        last_write(&list)
    });
    let inputs = writes.iter().chain(&last);
    let inputs = inputs.flat_map(|write| [write.write, write.value]);
    let now = latest(inputs.chain([keep.update]));
    let (before, held) = T::hold(zero.width(), now);
    let mut after = before;
    let mut list = Vec::new();
    for (run, write) in writes.iter().enumerate() {
        if run > 0 && run % RUNS_PER_CYCLE == 0 {
            after = after.reg();
        }
        let written = write.write.mux(write.value, after);
        list.push(Run {
            before: after,
            after: written,
        });
        after = clear(run).mux(zero, written);
    }
    let next = match last {
        Some(last) => last.write.mux(last.value, before),
        None => after,
    };
    T::drive(held, keep.restart.mux(zero, keep.update.mux(next, before)));
    list
}

/// The last of some writes. It takes a cycle for every four of them to find it, but none from the
/// values: these may come later.
pub(super) fn last_write<T: Word>(writes: &[Write<T>]) -> Write<T> {
    if let [write] = writes {
        return *write;
    }
    let groups: Vec<Write<T>> = writes.chunks(4).map(last_of_four).collect();
    last_write(&groups)
}

fn last_of_four<T: Word>(writes: &[Write<T>]) -> Write<T> {
    let number = |index: usize| T::constant(index as u64, 2);
    let cases: Vec<(T, T)> = writes
        .iter()
        .enumerate()
        .skip(1)
        .rev()
        .map(|(index, write)| (write.write, number(index)))
        .collect();
    let select = pick(&cases, number(0)).reg();
    let values: Vec<T> = writes.iter().map(|write| write.value).collect();
    let all: Vec<T> = writes.iter().map(|write| write.write).collect();
    let bits = writes.len().next_power_of_two().ilog2();
    Write {
        write: any(&all).reg(),
        value: choose(&values, select, bits),
    }
}

/// The register before the word and after each lane, where any lane may write. Lane by lane: a
/// lane's write may be known one cycle after that of the lane before. `start` is another value
/// before the word, and when it holds.
pub(super) fn after_lanes<T: Word>(
    writes: &[Write<T>],
    keep: Keep<T>,
    start: Option<Write<T>>,
) -> (T, Vec<T>) {
    let width = writes[0].value.width();
    let mut known = T::constant(0, 1);
    let mut value = T::constant(0, width);
    let mut list = Vec::new();
    for write in writes {
        value = write.write.mux(write.value, value).reg();
        known = write.write.or(known).reg();
        list.push((known, value));
    }
    let now = latest([known, value, keep.update]);
    let (held, handle) = T::hold(width, now);
    let before = match start {
        Some(start) => start.write.mux(start.value, held),
        None => held,
    };
    let next = known.mux(value, before);
    let zero = T::constant(0, width);
    T::drive(handle, keep.restart.mux(zero, keep.update.mux(next, held)));
    let after = |(known, value): (T, T)| known.mux(value, before).reg();
    (before.reg(), list.into_iter().map(after).collect())
}
