// SPDX-License-Identifier: MIT OR Apache-2.0
//! Words of several bytes.

use coretrace_hdl_dataflow::{Word, named};

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
