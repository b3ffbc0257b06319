// SPDX-License-Identifier: MIT OR Apache-2.0
//! Words of several bytes.

use coretrace_hdl_dataflow::{Table, Word, join, mux4, named};
use std::sync::LazyLock;

/// A byte of a word, and whether it counts.
#[derive(Clone, Copy)]
pub(crate) struct Byte<T> {
    pub octet: T,
    pub keep: T,
}

/// The bytes of a word from their ports, through one register.
#[named]
pub(crate) fn bytes<T: Word>(octets: &[T::Port], keeps: &[T::Port], valid: T) -> Vec<Byte<T>> {
    let ports = octets.iter().zip(keeps);
    ports
        .map(|(octet, keep)| Byte {
            octet: T::field(octet, 0, 8).reg(),
            keep: T::field(keep, 0, 1).reg().and(valid),
        })
        .collect()
}

/// For each lane by the mask of those that count: the lane of the byte that comes there, and above it whether one
/// does.
static PACKED: LazyLock<[Table; 4]> = LazyLock::new(|| {
    std::array::from_fn(|place| {
        Table::new(3, move |mask| {
            let mut kept = (0..4).filter(|lane| mask >> lane & 1 == 1);
            kept.nth(place).map_or(3, |lane| 4 | lane as u64)
        })
    })
});

/// The bytes of a word of four, those first that count. One register.
#[named]
pub(crate) fn packed<T: Word>(bytes: &[Byte<T>]) -> Vec<Byte<T>> {
    let mask = join(bytes.iter().map(|byte| byte.keep)).extend(8);
    let octets = [0, 1, 2, 3].map(|lane: usize| bytes[lane].octet);
    let lanes = PACKED.iter().map(|table| {
        let from = mask.rom(table);
        Byte {
            octet: mux4(from.slice(0, 2), octets).reg(),
            keep: from.bit(2).reg(),
        }
    });
    lanes.collect()
}

/// The number of the last byte that counts, of those of [`packed`].
pub(crate) fn last_packed<T: Word>(keeps: &[T]) -> T {
    let is_second = keeps[1].and(keeps[2].not());
    keeps[2].concat(keeps[3].or(is_second))
}

/// The value at the first byte that ends a packet, or at the last byte.
pub(crate) fn at_first<T: Word>(ends: &[T], values: &[T]) -> T {
    let last = *values.last().expect("a byte");
    let pairs = ends.iter().zip(values).rev().skip(1);
    pairs.fold(last, |later, (end, value)| end.mux(*value, later))
}

/// A value for each lane.
///
/// # Panics
/// If there are more or fewer of them.
pub(crate) fn each<V, const N: usize>(values: Vec<V>) -> [V; N] {
    let array = values.try_into();
    array.unwrap_or_else(|_| panic!("a value for each lane"))
}
