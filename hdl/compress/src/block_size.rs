// SPDX-License-Identifier: MIT OR Apache-2.0
//! `BlockSize`: the size of blocks by its number in a register.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `size[2:0]` | in | the number of [`coretrace_abi::compressed::block::size`] |
//! | `last_place[12:0]` | out | the place of the last word but one of a block, in words of 64 bits |
//!
//! Combinational; `N` is 1.

use super::beat::BEAT_BITS;
use coretrace_abi::compressed::block::{SIZE_BITS, SIZES, size};
use coretrace_hdl_dataflow::{Word, kernel_block, mux_tree, named};
use rust_hdl::prelude::*;

/// Bits of a number of a size.
pub const SIZE_W: usize = SIZE_BITS as usize;
/// Bits of the place of a word in the greatest block.
pub const PLACE_W: usize = words(SIZES[2]).ilog2() as usize;

/// Words of 64 bits in so many bytes.
const fn words(bytes: usize) -> u64 {
    (8 * bytes / BEAT_BITS) as u64
}

kernel_block! {
    /// See the module text.
    pub struct BlockSize;
    inputs SizeInputs { size: Bits<SIZE_W>, }
    lane_inputs {}
    outputs SizeOutputs { last_place: Bits<PLACE_W>, }
    lane_outputs {}
    kernel block_size;
}

#[named]
fn block_size<T: Word, const N: usize>(i: SizeInputs<T::Port, N>) -> SizeOutputs<T, N> {
    let numbers = 0..1 << SIZE_BITS;
    let places = numbers.map(|number| T::constant(words(size(number)) - 2, PLACE_W as u32));
    let places: Vec<T> = places.collect();
    let number = T::field(&i.size, 0, SIZE_BITS);
    SizeOutputs {
        last_place: vec![mux_tree(&places, number, SIZE_BITS)],
    }
}
