// SPDX-License-Identifier: MIT OR Apache-2.0
//! Index of each byte in its part of the packet.

use super::MAX_LANES;
use super::lane_registers::WordControl;
use coretrace_hdl_dataflow::{Table, Word, latest, named};
use std::sync::LazyLock;

/// Bits of an index.
const WIDTH: u32 = 4;
/// The greatest index: a longer part stays there.
const MAX: u64 = 15;

#[named]
fn number<T: Word>(value: u64) -> T {
    T::constant(value, WIDTH)
}

/// What an index becomes some lanes later, by the number of lanes.
static LATER: LazyLock<Vec<Table>> = LazyLock::new(|| {
    let later = |lanes: usize| Table::new(WIDTH, |index| MAX.min((index + lanes) as u64));
    (0..=MAX_LANES).map(later).collect()
});

#[named]
fn later<T: Word>(index: T, lanes: usize) -> T {
    index.extend(8).rom(&LATER[lanes])
}

/// The index of each byte; `part_ends` marks those after which a part starts. A lane's may be known
/// one cycle after that of the lane before.
#[named]
pub(super) fn indices<T: Word>(part_ends: &[T], control: WordControl<T>) -> Vec<T> {
    let mut known = T::constant(0, 1);
    let mut index = number::<T>(0);
    let mut list = Vec::new();
    for &ends in part_ends {
        let (known_before, before) = (known.reg(), index.reg());
        list.push((known_before, before));
        index = ends.mux(number(0), later(before, 1));
        known = ends.or(known_before);
    }
    let now = latest([known, index, control.commit]);
    let (before, held) = T::register(WIDTH, now);
    let next = known.mux(index, later(before, part_ends.len()));
    T::set_next(held, control.commit.mux(next, before));
    let by_lane =
        |(lane, (known, index)): (usize, (T, T))| known.mux(index, later(before, lane)).reg();
    list.into_iter().enumerate().map(by_lane).collect()
}
