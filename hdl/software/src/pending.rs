// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many units have come in since the last record.

use crate::input::Input;
use coretrace_hdl_dataflow::{Word, named};

/// The nibbles or bytes before a byte that no record has counted. `ends` says which units of the byte end one.
#[named]
pub(crate) fn pending<T: Word>(input: &Input<T>, ends: &[T]) -> T {
    let (pending, next) = T::register(32, input.valid.stage());
    let mut after = pending.mask(input.lost.not()).extend(33);
    for ends in ends {
        after = after.add_const(1).mask(ends.not());
    }
    let full = T::constant(u32::MAX.into(), 32);
    let after = after.bit(32).mux(full, after.slice(0, 32));
    let after = input.valid.mux(after, pending);
    T::set_next(next, after.mask(input.lives));
    pending
}
