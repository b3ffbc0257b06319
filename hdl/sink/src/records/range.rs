// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether an address is in a range, in halves of 32 bits.

use coretrace_hdl_dataflow::{Word, named};

/// First and last address of a range; low half first. Steady.
pub(super) struct Range<T> {
    pub exists: T,
    pub first: [T; 2],
    pub last: [T; 2],
}

/// Whether there is a range and an address of 64 bits is not in it, two cycles later. Bit 0 of the
/// address does not count.
#[named]
pub(super) fn is_outside<T: Word>(address: T, range: &Range<T>) -> T {
    let (low, high) = (
        address.slice(0, 32).and_const(!1 & u64::from(u32::MAX)),
        address.slice(32, 32),
    );
    let below = less([low, high], range.first);
    let above = less(range.last, [low, high]);
    below.or(above).and(range.exists).reg()
}

/// Whether one number is less than another, a cycle later.
#[named]
fn less<T: Word>(a: [T; 2], b: [T; 2]) -> T {
    let low = a[0].lt(b[0]).reg();
    let (high, same) = (a[1].lt(b[1]).reg(), a[1].eq(b[1]).reg());
    high.or(same.and(low))
}
