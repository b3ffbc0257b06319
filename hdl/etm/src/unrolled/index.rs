// SPDX-License-Identifier: MIT OR Apache-2.0
//! Index of each byte in its part of the packet.

use coretrace_hdl_dataflow::{Table, Word, any, join, named};
use std::sync::LazyLock;

/// Bits of an index.
const WIDTH: u32 = 4;
/// Bits of a number of lanes.
const LANES_W: u32 = 3;
/// The greatest number of lanes.
const LANES: usize = 4;
/// The greatest index: a longer part stays there.
const MAX: usize = 15;

/// An index, by one before and a number of lanes in the bits above.
static LATER: LazyLock<Table> =
    LazyLock::new(|| Table::new(WIDTH, |index| MAX.min(index % 16 + index / 16) as u64));

/// Number of lanes that count since a part began, by which lanes count and, in the bits above, after
/// which of them a part begins.
static SINCE: LazyLock<Table> = LazyLock::new(|| {
    let since = |index: usize| {
        let lanes = (0..LANES).filter(|lane| index >> lane & 1 == 1);
        lanes.fold(0, |count, lane| {
            let begins = index >> (LANES + lane) & 1 == 1;
            if begins { 0 } else { count + 1 }
        })
    };
    Table::new(LANES_W, since)
});

/// For every bound the indices from it on.
static FROM: LazyLock<Vec<Table>> = LazyLock::new(|| {
    let from = |bound: usize| Table::new(1, |index| (index % 16 >= bound).into());
    (0..=MAX).map(from).collect()
});

/// Whether an index is not less than a bound. A table: a carry chain is long to enter and to leave.
#[named]
pub(super) fn at_least<T: Word>(index: T, bound: usize) -> T {
    index.extend(8).rom(&FROM[bound])
}

/// The index of each byte. `kept` says which lanes count, `ends` after which ones a part begins.
#[named]
pub(super) fn indices<T: Word>(kept: &[T], ends: &[T]) -> Vec<T> {
    let none = T::constant(0, 1);
    let flags = |flags: &[T], lanes: usize| {
        let upto = flags[..lanes].iter().copied();
        join(upto.chain([none]))
            .extend(LANES as u32 + 1)
            .slice(0, LANES as u32)
    };
    let since = |lanes: usize| {
        let index = flags(ends, lanes).concat(flags(kept, lanes));
        (any(&ends[..lanes]).reg(), index.rom(&SINCE).reg())
    };
    let list: Vec<(T, T)> = (0..=kept.len()).map(since).collect();
    let now = list[kept.len()].1.stage();
    let (before, held) = T::register(WIDTH, now);
    let index = |&(begins, since): &(T, T)| {
        let later = since.concat(before).extend(8).rom(&LATER);
        begins.mux(since.extend(WIDTH), later)
    };
    let indices: Vec<T> = list.iter().map(index).collect();
    T::set_next(held, indices[kept.len()]);
    indices[..kept.len()]
        .iter()
        .map(|index| index.reg())
        .collect()
}
