// SPDX-License-Identifier: MIT OR Apache-2.0
//! A control record in five slots, each of at most 64 bits.

use super::beat::{BEAT_BITS, BEAT_COUNT_W};
use super::bit_scan::{last_of, number_of, up_to_highest};
use super::decision_entry::SLOTS;
use coretrace_abi::compressed::history::{CONTROL_ONES, Control};
use coretrace_hdl_dataflow::{Word, join, named};

/// Bits of the kind of a control record.
pub(crate) const CONTROL_W: u32 = 3;
/// Bits of what begins a control record: a 0, ones, the kind.
const FIRST_COUNT: u64 = (1 + CONTROL_ONES + CONTROL_W) as u64;

/// The kind of a control record.
pub(crate) fn kind<T: Word>(kind: Control) -> T {
    T::constant(kind as u64, CONTROL_W)
}

/// The bits of a slot, and how many they are.
///
/// A number in gamma code is two slots: zeros and its highest one; the bits below it. Two registers are in the way.
#[named]
pub(crate) fn control<T: Word>(kind: T, slots: T, events: T, instructions: T) -> (T, T) {
    let width = events.width() + 1;
    let is_events = slots.bit(1).or(slots.bit(2));
    let number = is_events
        .mux(events, instructions)
        .extend(width)
        .add_const(1)
        .reg();
    let one = last_of(up_to_highest(number)).reg();
    let below = number.and(one.not());
    let zeros = number_of(one).extend(BEAT_COUNT_W as u32);

    let beat = |word: T| word.extend(BEAT_BITS as u32);
    let marks = T::constant(((1 << CONTROL_ONES) - 1) << 1, 1 + CONTROL_ONES);
    let first = beat(join([marks, kind]));
    let first_count = T::constant(FIRST_COUNT, BEAT_COUNT_W as u32);
    let is_low = slots.bit(2).or(slots.bit(SLOTS as u32 - 1));
    let bits = is_low.mux(beat(below), beat(one));
    let count = is_low.mux(zeros, zeros.add_const(1));
    let is_first = slots.bit(0);
    let is_any = slots.any();
    (
        is_first.mux(first, bits).mask(is_any),
        is_first.mux(first_count, count).mask(is_any),
    )
}
