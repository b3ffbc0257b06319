// SPDX-License-Identifier: MIT OR Apache-2.0
//! `JoinBytes`: a row of a source as a word of a FIFO.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `data[31:0]`, `keep[3:0]`, `lost`, `place[31:0]` | in | the row |
//! | `row` | out | [`Row`] |
//!
//! Combinational; `N` is 1.

use coretrace_hdl_dataflow::{Bus, Word, kernel_block, layout, named};
use rust_hdl::prelude::*;

layout! {
    /// A row of a source.
    pub struct Row {
        /// Which bytes are still to be put out.
        keep: 4,
        /// Bytes were lost before them.
        lost: 1,
        /// Four bytes.
        data: 32,
        /// Its place in the port.
        place: 32,
    }
}

layout! {
    /// Where a byte was.
    pub struct Place {
        /// The lane in the row.
        lane: 2,
        /// The place of the row in the port.
        row: 32,
    }
}

/// Bits of a [`Place`].
pub const PLACE_W: usize = Place::WIDTH;
/// Bits of a [`Row`].
pub const ROW_W: usize = Row::WIDTH;

kernel_block! {
    /// See the module text.
    pub struct JoinBytes;
    inputs JoinInputs { data: Bits<32>, keep: Bits<4>, lost: Bit, place: Bits<32>, }
    lane_inputs {}
    outputs JoinOutputs { row: Bus<ROW_W>, }
    lane_outputs {}
    kernel join_bytes;
}

#[named]
fn join_bytes<T: Word, const N: usize>(i: JoinInputs<T::Port, N>) -> JoinOutputs<T, N> {
    let row = Row {
        keep: T::field(&i.keep, 0, 4),
        lost: T::field(&i.lost, 0, 1),
        data: T::field(&i.data, 0, 32),
        place: T::field(&i.place, 0, 32),
    };
    JoinOutputs { row: row.pack() }
}
