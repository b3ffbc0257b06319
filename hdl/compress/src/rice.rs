// SPDX-License-Identifier: MIT OR Apache-2.0
//! The record of a wrong decision: a class, and the run of right ones before it in Rice code.

use super::beat::{BEAT_BITS, BEAT_COUNT_W};
use super::bit_scan::{last_of, moved, number_of, up_to_highest};
use coretrace_abi::compressed::history::{ESCAPE_ONES, MEAN_MOST};
use coretrace_hdl_dataflow::{Word, any, join, mux_tree, named};

/// Bits of a run.
pub(crate) const RUN_W: u32 = 32;
/// The most low bits of a run: those below the highest one of the greatest mean and 1.
const LOW_MOST: u32 = (MEAN_MOST + 1).ilog2();
/// Bits of the mean of runs and 1.
pub(crate) const MEAN_ONE_W: u32 = LOW_MOST + 1;
/// Bits of a number of ones.
const ONES_W: u32 = ESCAPE_ONES.ilog2();

/// The bits of a record with a field behind it, and the number of its bits without that field.
///
/// Three registers are in the way. The mean has a 1 added to it.
#[named]
pub(crate) fn record<T: Word>(class: T, run: T, mean: T, behind: T) -> (T, T) {
    // Flags of the low bits, and the flag of the lowest high bit.
    let flags = up_to_highest(mean).reg();
    let one = last_of(flags);
    let below = flags.slice(1, LOW_MOST);

    let bit_from = |number: u32| {
        let bits = (0..=LOW_MOST).filter(|low| low + number < RUN_W);
        let cases = bits.map(|low| one.bit(low).and(run.bit(low + number)));
        any(&cases.collect::<Vec<T>>())
    };
    let ones = join((0..ONES_W).map(bit_from)).reg();
    let high = RUN_W - ONES_W;
    let is_escape = run.slice(ONES_W, high).and(below.extend(high).not()).any();
    let is_escape = is_escape.reg();

    let tail_w = LOW_MOST + behind.width();
    let placed = |low: u32| moved(behind.mask(one.bit(low)), low, tail_w);
    let low_bits = run.slice(0, LOW_MOST).and(below).extend(tail_w);
    let tail = (0..=LOW_MOST).map(placed).fold(low_bits, T::or).reg();
    let low_count = number_of(one).reg();

    // The tail behind the ones and the zero.
    let moved_w = tail_w + ESCAPE_ONES - 1;
    let by_some = |word: T, step: u32, select: T| {
        let choices = [0, 1, 2, 3].map(|number| moved(word, number * step, moved_w));
        mux_tree(&choices, select, 2)
    };
    let some = by_some(tail, 1, ones.slice(0, 2)).reg();
    let tail = by_some(some, 4, ones.slice(2, 2));
    let is_one = |number: u32| T::constant(number.into(), ONES_W).lt(ones).reg();
    let marks = join((0..ESCAPE_ONES - 1).map(is_one));
    let beat = |word: T| word.extend(BEAT_BITS as u32);
    let zero = T::constant(0, 1);
    let rice = beat(join([class, marks])).or(beat(join([class, zero, tail])));
    let escape_marks = T::constant((1 << ESCAPE_ONES) - 1, ESCAPE_ONES + 1);
    let escape = beat(join([class, escape_marks, run, behind]));

    let width = BEAT_COUNT_W as u32;
    let rice_count = low_count.extend(width).add(ones.extend(width)).add_const(2);
    let escape_count = T::constant((2 + ESCAPE_ONES + RUN_W).into(), width);
    let count = is_escape.mux(escape_count, rice_count).reg();
    (is_escape.mux(escape, rice), count)
}
