// SPDX-License-Identifier: MIT OR Apache-2.0
//! Registers that some lanes of a word write and all lanes read.

use coretrace_hdl_dataflow::{Word, any, latest, mux_tree, named, priority_mux};

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

#[named]
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

/// A register in a word.
pub(super) struct Runs<T> {
    pub runs: Vec<Run<T>>,
    /// What the register takes over at the end of the word.
    pub next: T,
}

/// A register at a run of lanes.
#[derive(Clone, Copy)]
pub(super) struct Run<T> {
    pub before: T,
    /// After its write.
    pub after: T,
}

/// Which words write.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum CommitRule {
    /// All, also those that are not for good: the word that follows one has the same bytes in the
    /// same lanes and writes the same again. For this, what is written must not depend on what was
    /// there.
    Partial,
    /// Those for good.
    Commit,
}

/// Runs that are worked on in one cycle.
const RUNS_PER_CYCLE: usize = 4;

/// The register at each run of lanes, for runs in which at most one lane writes. `clear` says that
/// the word ends with the register cleared.
///
/// In a word of many runs the register looks at the last write only, which is found beforehand.
#[named]
pub(super) fn after_runs<T: Word>(
    writes: &[Write<T>],
    clear: T,
    taken: CommitRule,
    control: WordControl<T>,
) -> Runs<T> {
    let takes = match taken {
        CommitRule::Partial => control.valid,
        CommitRule::Commit => control.commit,
    };
    let last = (writes.len() > RUNS_PER_CYCLE).then(|| last_of(writes));
    let inputs = writes.iter().chain(&last);
    let inputs = inputs.flat_map(|write| [write.write, write.value]);
    let now = latest(inputs.chain([takes, clear]));
    let (register, held) = T::register(writes[0].value.width(), now);
    let mut after = register;
    let mut runs = Vec::new();
    for (run, write) in writes.iter().enumerate() {
        if run > 0 && run % RUNS_PER_CYCLE == 0 {
            after = after.reg();
        }
        let before = after;
        after = write.write.mux(write.value, before);
        runs.push(Run { before, after });
    }
    let next = match last {
        Some(last) => last.write.mux(last.value, register),
        None => after,
    };
    let zero = T::constant(0, register.width());
    let clears = control.reset.or(takes.and(clear));
    let next = clears.mux(zero, takes.mux(next, register));
    T::set_next(held, next);
    Runs {
        runs,
        next: next.at_stage(after.stage()),
    }
}

/// The register after each run, where no run clears it. After the last one it is what the register
/// takes over, so that both can share flip-flops.
#[named]
pub(super) fn after_each<T: Word>(
    writes: &[Write<T>],
    taken: CommitRule,
    control: WordControl<T>,
) -> Vec<T> {
    let Runs { runs, next } = after_runs(writes, T::constant(0, 1), taken, control);
    let mut list: Vec<T> = runs.iter().map(|run| run.after).collect();
    if let (CommitRule::Partial, Some(last)) = (taken, list.last_mut()) {
        *last = next;
    }
    list
}

/// Whether each run of lanes begins with a register that the word has cleared and not written since,
/// and whether the word ends with one. `clears` says whether a run ends with the register cleared.
#[named]
pub(super) fn cleared<T: Word>(writes: &[T], clears: &[T]) -> (Vec<T>, T) {
    let mut empty = T::constant(0, 1);
    let mut before = Vec::new();
    for (&write, &clear) in writes.iter().zip(clears) {
        before.push(empty);
        empty = clear.or(empty.and(write.not()));
    }
    (before, empty)
}

/// The last of some writes. Of two, it takes no cycle to find it.
#[named]
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
#[named]
pub(super) fn last_write<T: Word>(writes: &[Write<T>]) -> Write<T> {
    if let [write] = writes {
        return *write;
    }
    let groups: Vec<Write<T>> = writes.chunks(4).map(last_of_four).collect();
    last_write(&groups)
}

#[named]
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
        value: mux_tree(&values, select, bits),
    }
}

/// The register before the word and after each lane, where any lane may write. Lane by lane: a
/// lane's write may be known one cycle after that of the lane before. `start` is another value
/// before the word, and when it holds.
#[named]
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
        value = write.write.mux(write.value, value.reg());
        known = write.write.or(known.reg());
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
