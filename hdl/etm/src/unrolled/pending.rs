// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many bytes have come in since the last record.

use coretrace_hdl_dataflow::{Word, any, named};

/// Bits of a count of lanes.
const LANES_W: u32 = 3;
/// Bits of the count.
const WIDTH: u32 = 32;

/// The count before the word, saturating. `kept` and `ends` say which lanes have a byte and a
/// record; a loss starts the count again.
#[named]
pub(super) fn pending<T: Word>(kept: &[T], ends: &[T], lost: T, restart: T) -> T {
    let mut since = T::constant(0, LANES_W);
    for (kept, ends) in kept.iter().zip(ends) {
        since = since.add(kept.extend(LANES_W)).mask(ends.not());
    }
    let since = since.reg();
    let starts_over = any(ends).or(lost).reg();
    let (count, held) = T::register(WIDTH, since.stage());
    let kept = count.mask(starts_over.not());
    let sum = kept.extend(WIDTH + 1).add(since.extend(WIDTH + 1));
    let greatest = T::constant(u64::from(u32::MAX), WIDTH);
    let next = sum.bit(WIDTH).mux(greatest, sum.slice(0, WIDTH));
    let zero = T::constant(0, WIDTH);
    T::set_next(held, restart.reg().mux(zero, next));
    count
}
