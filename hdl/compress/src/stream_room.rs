// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether an event that is cut into streams may have more bits than its block has left.

use super::block_control::FILL_W;
use coretrace_abi::compressed::stream_cache::CUT_BITS;
use coretrace_hdl_dataflow::{Word, minus, named};

/// Bits of the number of bits in a block.
const WIDTH: u32 = FILL_W as u32;

/// An event begins with at most `limit` bits in the block, less those of its cuts; `count` are the bits of each
/// beat since the start.
#[named]
pub(crate) fn overflows<T: Word>(limit: T, cuts: T, start: T, count: T) -> T {
    // One bit more, for what is below 0.
    let (left, left_next) = T::register(WIDTH + 1, count.stage());
    let fewer = minus(left, count.extend(WIDTH + 1));
    T::set_next(left_next, start.mux(limit.extend(WIDTH + 1), fewer));

    // 80 bits of a cut are five times 16.
    let unit = CUT_BITS.trailing_zeros();
    let units = left.slice(unit, WIDTH - unit);
    let cuts = cuts.extend(WIDTH - unit);
    let low = T::constant(0, 2);
    let fours = cuts.slice(0, WIDTH - unit - 2).concat(low);
    let needed = fours.add(cuts).reg();
    let is_below_0 = left.bit(WIDTH);
    is_below_0.or(units.lt(needed))
}
