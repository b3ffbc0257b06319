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
    let lives = input.lives.at_stage(now);
    T::set_next(next, grown(pending, count, restarts.not(), lives));
    pending
}

/// A number and `count` more, or `count` alone unless it `goes_on`; it saturates. Nothing unless it `lives`.
///
/// The bits above those of `count` change by a carry alone, so that they are a chain without multiplexers.
#[named]
fn grown<T: Word>(number: T, count: T, goes_on: T, lives: T) -> T {
    let (low_w, above_w) = (count.width(), number.width() - count.width());
    let (low, above) = (number.slice(0, low_w), number.slice(low_w, above_w));
    let sum = low
        .mask(goes_on)
        .extend(low_w + 1)
        .add(count.extend(low_w + 1));
    let carries = sum.bit(low_w);
    // There is no room for a carry: the bits above stay as they are.
    let is_full = carries.and(above.is((1 << above_w) - 1));
    let full = T::constant((1 << low_w) - 1, low_w);
    let low = is_full.mux(full, sum.slice(0, low_w));
    let grows = carries.and(is_full.not());
    let above = grows.mux(above.add_const(1), above);
    above.mask(goes_on.and(lives)).concat(low.mask(lives))
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_hdl_dataflow::Value;

    #[test]
    fn a_number_of_units_grows_up_to_the_greatest_one() {
        let most = u64::from(u32::MAX);
        let greatest = [most - 24, most - 16, most - 15, most - 8, most - 1, most];
        for number in [0, 7, 8, 15, 16, 0xFFF8].into_iter().chain(greatest) {
            for count in 0..9 {
                let after = |goes_on, lives| {
                    let [goes_on, lives] = [goes_on, lives].map(|bit| Value::constant(bit, 1));
                    let number = Value::constant(number, 32);
                    let count = Value::constant(count, COUNT_W);
                    grown(number, count, goes_on, lives).bits()
                };
                let sum = (number + count).min(most);
                assert_eq!(after(1, 1), sum, "{number:#x}, {count}");
                assert_eq!((after(0, 1), after(1, 0)), (count, 0), "{number:#x}");
            }
        }
    }
}
