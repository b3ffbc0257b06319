// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which bit of a value is the highest one, and values moved by constants.

use coretrace_hdl_dataflow::{Word, any, join, named};

/// A flag for each bit of a value: it or a higher one is set.
#[named]
pub(crate) fn up_to_highest<T: Word>(value: T) -> T {
    let width = value.width();
    let mut flags = value;
    let mut step = 1;
    while step < width {
        flags = flags.or(flags.slice(step, width - step).extend(width));
        step *= 2;
    }
    flags
}

/// The highest one of flags that are set from bit 0 on, alone.
pub(crate) fn last_of<T: Word>(flags: T) -> T {
    let width = flags.width();
    flags.and(flags.slice(1, width - 1).extend(width).not())
}

/// The number of the bit that alone is set.
pub(crate) fn number_of<T: Word>(one: T) -> T {
    let bits = (one.width() - 1).ilog2() + 1;
    join((0..bits).map(|bit| {
        let numbers = (0..one.width()).filter(|number| number >> bit & 1 == 1);
        any(&numbers.map(|number| one.bit(number)).collect::<Vec<T>>())
    }))
}

/// A word moved left, in a word of `width` bits; what is above them is lost.
pub(crate) fn moved<T: Word>(word: T, by: u32, width: u32) -> T {
    let kept = word.slice(0, word.width().min(width - by));
    match by {
        0 => kept.extend(width),
        _ => kept.concat(T::constant(0, by)).extend(width),
    }
}
