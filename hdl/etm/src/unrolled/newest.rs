// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was written last, at every byte of a word.

use coretrace_hdl_dataflow::{Word, latest, named, priority_mux};

/// A value that a byte may write.
#[derive(Clone, Copy)]
pub(super) struct Write<T> {
    pub write: T,
    pub value: T,
}

/// The value that was written last before each lane, and at last that after the word. `start`, if it
/// is written, comes before lane 0. The register is cleared by `restart`.
#[named]
pub(super) fn newest<T: Word>(writes: &[Write<T>], start: Write<T>, restart: T) -> Vec<T> {
    let known = |lanes: usize| {
        let written: Vec<(T, T)> = writes[..lanes]
            .iter()
            .rev()
            .chain([&start])
            .map(|write| (write.write, write.value))
            .collect();
        let (last, rest) = written.split_last().expect("a start");
        let any = written.iter().map(|case| case.0).reduce(T::or);
        Write {
            write: any.expect("a start").reg(),
            value: priority_mux(rest, last.1).reg(),
        }
    };
    let known: Vec<Write<T>> = (0..=writes.len()).map(known).collect();
    let now = latest(known.iter().map(|write| write.value).chain([restart]));
    let (held, handle) = T::register(start.value.width(), now);
    let list: Vec<T> = known
        .iter()
        .map(|write| write.write.mux(write.value, held))
        .collect();
    let zero = T::constant(0, held.width());
    T::set_next(handle, restart.mux(zero, list[writes.len()]));
    list.into_iter().map(T::reg).collect()
}
