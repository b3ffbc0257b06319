// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many bytes have been put out since the last record.

use super::latch::Keep;
use crate::dataflow::{Word, any, join};

/// Bits that are counted in one cycle: no carry goes further.
const DIGIT_W: u32 = 8;
/// Digits of the count.
const DIGITS: u32 = 4;

/// Cycles from the lanes of a word of `lanes` lanes to the count.
pub(super) const fn latency(lanes: usize) -> u32 {
    lanes as u32 / 2 + DIGITS - 1
}

/// The count before the word, saturating. `fresh` and `ends` tell which lanes have a new byte and
/// a record; a loss that is told starts anew.
pub(super) fn pending<T: Word>(
    fresh: &[T],
    ends: &[T],
    shown: T,
    tell_loss: T,
    keep: Keep<T>,
) -> T {
    let lanes_w = fresh.len().ilog2() + 1;
    let mut since = T::constant(0, lanes_w);
    for (lane, (fresh, ends)) in fresh.iter().zip(ends).enumerate() {
        since = since.add(fresh.extend(lanes_w)).gated(ends.not());
        if lane % 2 == 1 {
            since = since.reg();
        }
    }
    let now = since.time();
    let restarts = any(ends).or(tell_loss).reg().at(now);
    let mut carry = since.gated(shown.at(now)).extend(DIGIT_W);
    let mut digits = Vec::new();
    let mut overflow = carry.bit(0);
    let zero = T::constant(0, DIGIT_W);
    let clears = |time: u32| restarts.and(shown.at(now)).at(time);
    for _ in 0..DIGITS {
        let time = carry.time();
        let (digit, held) = T::hold(DIGIT_W, time);
        let kept = digit.gated(clears(time).not());
        let sum = kept.extend(DIGIT_W + 1).add(carry.extend(DIGIT_W + 1));
        T::drive(held, keep.restart.mux(zero, sum.slice(0, DIGIT_W)));
        overflow = sum.bit(DIGIT_W);
        carry = overflow.reg().extend(DIGIT_W);
        digits.push(digit);
    }
    // Once over, the count stays at its greatest value.
    let end = overflow.time();
    let (full, held) = T::hold(1, end);
    let stays = full.and(clears(end).not()).or(overflow);
    T::drive(held, stays.and(keep.restart.not()));
    full.mux(T::constant(0xFFFF_FFFF, 32), join(digits))
}
