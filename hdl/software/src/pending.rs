// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many units have come in since the last record.

use crate::input::Input;
use coretrace_hdl_dataflow::{Table, Word, any, named};
use std::sync::LazyLock;

/// The nibbles or bytes before a byte that no record has counted. `ends` says which units of the byte end one.
#[named]
pub(crate) fn pending<T: Word>(input: &Input<T>, ends: &[T]) -> T {
    let (pending, next) = T::register(32, input.valid.stage());
    let mut after = pending.mask(input.lost.not()).extend(33);
    for ends in ends {
        after = after.add_const(1).mask(ends.not());
    }
    let full = T::constant(u32::MAX.into(), 32);
    let after = after.bit(32).mux(full, after.slice(0, 32));
    let after = input.valid.mux(after, pending);
    T::set_next(next, after.mask(input.lives));
    pending
}

/// Bits of the number of units of a word.
const COUNT_W: u32 = 4;

/// What a byte does with the number of units since the last end of a record, in the bits above it.
mod step {
    /// It does not count.
    pub const STAYS: u64 = 0;
    /// No record ends in it.
    pub const GROWS: u64 = 1;
    /// A record ends with its last unit.
    pub const ENDS: u64 = 2;
    /// A record ends before its last unit.
    pub const ENDS_EARLY: u64 = 3;
}

/// The units since the last end, for bytes of one unit and of two.
static COUNTS: LazyLock<[Table; 2]> = LazyLock::new(|| {
    [1, 2].map(|units| {
        Table::new(COUNT_W, |index| {
            let count = index as u64 % (1 << COUNT_W);
            match index as u64 >> COUNT_W {
                step::STAYS => count,
                step::GROWS => (count + units) % (1 << COUNT_W),
                step::ENDS_EARLY => 1,
                _ => 0,
            }
        })
    })
});

/// What a byte of one unit or two does; `ends` says which of them end a record.
fn step_of<T: Word, const U: usize>(keep: T, ends: &[T; U]) -> T {
    let constant = |value: u64| T::constant(value, 2);
    let early = constant(step::ENDS_EARLY).mask(any(&ends[..U - 1]));
    let none = early.any().mux(early, constant(step::GROWS).mask(keep));
    ends[U - 1].mux(constant(step::ENDS), none)
}

/// The units before a word that no record has counted. `keeps` says which bytes of the word count, `ends` which
/// units of each byte end a record: one unit or two. Two registers.
#[named]
pub(crate) fn pending_in_words<T: Word, const U: usize>(
    input: &Input<T>,
    keeps: &[T],
    ends: &[[T; U]],
) -> T {
    let stage = ends[0][0].stage();
    let steps = keeps.iter().zip(ends);
    let steps = steps.map(|(keep, ends)| step_of(keep.at_stage(stage), ends).reg());
    let none = T::constant(0, COUNT_W);
    let count = steps.fold(none, |count, step| {
        step.concat(count).extend(8).rom(&COUNTS[U - 1])
    });
    let any_ends = any(&ends.concat()).reg().reg();
    let count = count.reg();
    let now = count.stage();
    let (pending, next) = T::register(32, now);
    let restarts = any_ends.or(input.lost.at_stage(now));
    let sum = pending
        .mask(restarts.not())
        .extend(33)
        .add(count.extend(33));
    let full = T::constant(u32::MAX.into(), 32);
    let after = sum.bit(32).mux(full, sum.slice(0, 32));
    T::set_next(next, after.mask(input.lives.at_stage(now)));
    pending
}
