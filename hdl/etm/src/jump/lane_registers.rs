// SPDX-License-Identifier: MIT OR Apache-2.0
//! Registers that some lanes of a word write and all lanes read.

use super::choose;
use coretrace_hdl_dataflow::{Word, any, latest, priority_mux};

/// A value that a lane, or a run of lanes, may give a register.
#[derive(Clone, Copy)]
pub(super) struct Write<T> {
    pub write: T,
    pub value: T,
}

/// How a word treats the registers.
#[derive(Clone, Copy)]
pub(super) struct WordControl<T> {
    /// There is a word.
    pub valid: T,
    /// The word is for good.
    pub commit: T,
    /// The registers become 0.
    pub reset: T,
}

impl<T: Word> WordControl<T> {
    /// Drives a register that is cleared at the end of the word if `clear` says so, and is `next`
    /// otherwise. Clearing is left to the reset pin of the flip-flops.
    pub(super) fn set_next(self, held: T::RegisterHandle, before: T, next: T, clear: T) {
        let clear = self.reset.or(self.commit.and(clear));
        let zero = T::constant(0, before.width());
        T::set_next(held, clear.mux(zero, self.commit.mux(next, before)));
    }

    /// What `value` was in the last word for good.
    pub(super) fn before(self, value: T) -> T {
        let (before, held) = T::register(value.width(), value.stage());
        T::set_next(held, self.commit.at_stage(value.stage()).mux(value, before));
        before
    }
}

/// A register at a run of lanes.
#[derive(Clone, Copy)]
pub(super) struct Run<T> {
    pub before: T,
    /// After its write, in a register.
    pub after: T,
}

/// Which words write.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum CommitRule {
    /// All, also those that are not for good: the word that follows one has the same bytes in the
    /// same lanes and writes the same again. For this, what is written must not depend on what was
    /// there. The register itself is what stands behind the last run.
    Partial,
    /// Those for good.
    Commit,
}

/// Runs that are worked on in one cycle.
const RUNS_PER_CYCLE: usize = 4;

/// The register at each run of lanes, for runs in which at most one lane writes.
///
/// In a word of more than two runs the register looks at the last write only, which is found
/// beforehand; what stands between is filled in behind it.
pub(super) fn after_runs<T: Word>(
    writes: &[Write<T>],
    taken: CommitRule,
    control: WordControl<T>,
) -> Vec<Run<T>> {
    let takes = match taken {
        CommitRule::Partial => control.valid,
        CommitRule::Commit => control.commit,
    };
    let last = last_of(writes);
    let inputs = writes.iter().chain([&last]);
    let inputs = inputs.flat_map(|write| [write.write, write.value]);
    let now = latest(inputs.chain([takes]));
    let (register, held) = T::register(last.value.width(), now);
    let zero = T::constant(0, register.width());
    let next = last.write.and(takes).mux(last.value, register);
    T::set_next(held, control.reset.mux(zero, next));
    let mut after = register;
    let mut list = Vec::new();
    for (run, write) in writes.iter().enumerate() {
        if run > 0 && run % RUNS_PER_CYCLE == 0 {
            after = after.reg();
        }
        let before = after;
        after = write.write.mux(write.value, before);
        list.push(Run {
            before,
            after: after.reg(),
        });
    }
    if taken == CommitRule::Partial {
        list.last_mut().expect("runs").after = register.next_word();
    }
    list
}

/// Whether a register is empty before each run of lanes: cleared, and not written since. `clears`
/// tells whether a run ends with the register cleared.
pub(super) fn empty_before<T: Word>(writes: &[T], clears: &[T], control: WordControl<T>) -> Vec<T> {
    let never = T::constant(0, 1);
    let (mut written, mut cleared) = (never, never);
    let mut list = Vec::new();
    for (run, (&write, &clear)) in writes.iter().zip(clears).enumerate() {
        if run > 0 && run % RUNS_PER_CYCLE == 0 {
            (written, cleared) = (written.reg(), cleared.reg());
        }
        list.push((written, cleared));
        written = written.or(write);
        cleared = clear.or(cleared.and(write.not()));
    }
    let (empty, held) = T::register(1, latest([written, cleared, control.valid]));
    let after = |(written, cleared): (T, T)| cleared.or(empty.and(written.not()));
    let next = control.valid.mux(after((written, cleared)), empty);
    T::set_next(held, control.reset.not().and(next));
    list.into_iter().map(after).collect()
}

/// The last of some writes. Of two, it takes no cycle to find it.
pub(super) fn last_of<T: Word>(writes: &[Write<T>]) -> Write<T> {
    match writes {
        [first, second] => Write {
            write: first.write.or(second.write),
            value: second.write.mux(second.value, first.value),
        },
        _ => last_write(writes),
    }
}

/// The last of many writes. It takes a cycle for every four of them to find it, but none from the
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
    let select = priority_mux(&cases, number(0)).reg();
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
    control: WordControl<T>,
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
    let now = latest([known, value, control.commit]);
    let (held, handle) = T::register(width, now);
    let before = match start {
        Some(start) => start.write.mux(start.value, held),
        None => held,
    };
    let next = known.mux(value, before);
    control.set_next(handle, held, next, T::constant(0, 1));
    let after = |(known, value): (T, T)| known.mux(value, before).reg();
    (before.reg(), list.into_iter().map(after).collect())
}
