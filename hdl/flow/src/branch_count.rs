// SPDX-License-Identifier: MIT OR Apache-2.0
//! The instructions of branch events: a sum of runs. The only loop of `BranchPlace` with an adder has no other logic.

use coretrace_hdl_dataflow::{Word, named};

/// The instructions since the last event in front of a step, and with its run. `restarts`: what is in front of the
/// step belongs to an event of its own. `ends`: the sum with the run belongs to an event.
#[named]
pub fn branch_count<T: Word>(run: T, restarts: T, ends: T) -> (T, T) {
    let now = run.stage();
    let (count, count_next) = T::register(run.width(), now);
    let (is_spent, is_spent_next) = T::register(1, now);
    let before = count.mask(is_spent.not());
    let total = before.mask(restarts.not()).add(run);
    T::set_next(count_next, total);
    T::set_next(is_spent_next, ends);
    (before, total)
}
