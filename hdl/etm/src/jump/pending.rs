// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many bytes have been put out since the last record.

use super::lane_registers::WordControl;
use coretrace_hdl_dataflow::{Word, any, join, named};

/// Bits that are counted in one cycle: no carry goes further.
const DIGIT_W: u32 = 16;
/// Digits of the count.
const DIGITS: u32 = 2;

/// Cycles from the lanes of a word of `lanes` lanes to the count.
pub(super) const fn latency(lanes: usize) -> u32 {
    lanes as u32 / 2 + DIGITS - 1
}

/// The count before the word, saturating. `fresh` and `ends` say which lanes have a new byte and
/// a record; a reported loss restarts it.
#[named]
pub(super) fn pending<T: Word>(
    fresh: &[T],
    ends: &[T],
    shown: T,
    report_loss: T,
    control: WordControl<T>,
) -> T {
    let lanes_w = fresh.len().ilog2() + 1;
    let mut since = T::constant(0, lanes_w);
    for (lane, (fresh, ends)) in fresh.iter().zip(ends).enumerate() {
        since = since.add(fresh.extend(lanes_w)).mask(ends.not());
        if lane % 2 == 1 {
            since = since.reg();
        }
    }
    let now = since.stage();
    let restarts = any(ends).or(report_loss).reg().at_stage(now);
    let mut carry = since.mask(shown.at_stage(now)).extend(DIGIT_W);
    let mut digits = Vec::new();
    let mut overflow = carry.bit(0);
    let zero = T::constant(0, DIGIT_W);
    let clears = |time: u32| restarts.and(shown.at_stage(now)).at_stage(time);
    for _ in 0..DIGITS {
        let time = carry.stage();
        let (digit, held) = T::register(DIGIT_W, time);
        let kept = digit.mask(clears(time).not());
        let sum = kept.extend(DIGIT_W + 1).add(carry.extend(DIGIT_W + 1));
        T::set_next(held, control.reset.mux(zero, sum.slice(0, DIGIT_W)));
        overflow = sum.bit(DIGIT_W);
        carry = overflow.reg().extend(DIGIT_W);
        digits.push(digit);
    }
    // Once over, the count stays at its greatest value.
    let end = overflow.stage();
    let (full, held) = T::register(1, end);
    let stays = full.and(clears(end).not()).or(overflow);
    T::set_next(held, stays.and(control.reset.not()));
    full.mux(T::constant(0xFFFF_FFFF, 32), join(digits))
}
