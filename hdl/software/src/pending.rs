// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many units have come in since the last record.

use crate::input::Input;
use coretrace_hdl_dataflow::{Word, named};

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

/// The units before a word that no record has counted. `keeps` says which bytes of the word count, `ends` which
/// units of each byte end a record.
#[named]
pub(crate) fn pending_in_words<T: Word, const U: usize>(
    input: &Input<T>,
    keeps: &[T],
    ends: &[[T; U]],
) -> T {
    let stage = ends[0][0].stage();
    let mut count = T::constant(0, COUNT_W);
    let mut any_ends = T::constant(0, 1);
    for (&keep, ends) in keeps.iter().zip(ends) {
        for &end in ends {
            let counted = count.add(keep.at_stage(stage).extend(COUNT_W));
            count = counted.mask(end.not());
            any_ends = any_ends.or(end);
        }
    }
    let (count, any_ends) = (count.reg(), any_ends.reg());
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

/// Bits of the number of units of a word.
const COUNT_W: u32 = 4;
