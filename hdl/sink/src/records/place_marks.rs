// SPDX-License-Identifier: MIT OR Apache-2.0
//! `PlaceMarks`: where each byte of a source is in the port, and whether it is behind bytes of a source beside it.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high |
//! | `valid`, `lost`, `keep[4]` | in | the row of the source; bytes were lost before it |
//! | `beside_valid`, `beside_keep[3:0]` | in | the row of the source beside it |
//! | `place[31:0]` | in | the place of both rows in the port |
//! | `valid_out`, `lost_out`, `keep_out[4]` | out | the row of the source, later |
//! | `mark[4]` | out | [`PlaceMark`] of each byte |
//!
//! The recurrence is one bit: bytes of the other source came since the last byte of this one. Latency 2 cycles.
//! Throughput one row per cycle.

use coretrace_abi::record_stream::{PLACE_LANE_W, PLACE_ROW_W};
use coretrace_hdl_dataflow::{Word, clocked_block, layout, named};
use rust_hdl::prelude::*;

layout! {
    /// The place of a byte, as the record stream has it, and what is in front of it.
    pub struct PlaceMark {
        lane: PLACE_LANE_W as usize,
        /// The lowest bits of its row.
        row: PLACE_ROW_W as usize,
        /// Bytes of the source beside are between it and the byte before.
        is_behind: 1,
    }
}

/// Bits of a mark.
pub const MARK_W: usize = PlaceMark::WIDTH;
/// Bits of the octets that carry one.
const OCTET_W: u32 = 8;

clocked_block! {
    /// Marks the bytes of a row; see the module text.
    pub struct PlaceMarks;
    inputs MarksInputs {
        reset: Bit,
        valid: Bit,
        lost: Bit,
        beside_valid: Bit,
        beside_keep: Bits<4>,
        place: Bits<32>,
    }
    lane_inputs { keep: Bit, }
    outputs MarksOutputs { valid_out: Bit, lost_out: Bit, }
    lane_outputs { keep_out: Bit, mark: Bits<8>, }
    pair_outputs {}
    kernel place_marks;
}

#[named]
fn place_marks<T: Word, const N: usize, const P: usize>(
    i: MarksInputs<T::Port, N>,
) -> MarksOutputs<T, N, P> {
    let bit = |port: &T::Port| T::field(port, 0, 1).reg();
    let (reset, valid, lost) = (bit(&i.reset), bit(&i.valid), bit(&i.lost));
    let keep: [T; N] = std::array::from_fn(|lane| bit(&i.keep[lane]));
    let beside = T::field(&i.beside_keep, 0, N as u32).reg();
    let beside = beside.mask(bit(&i.beside_valid));
    let row = T::field(&i.place, 0, PLACE_ROW_W).reg();

    let (first, held) = T::register(1, valid.stage());
    let mut is_behind = first;
    let mark = std::array::from_fn(|lane| {
        let mark = PlaceMark {
            lane: T::constant(lane as u64, PLACE_LANE_W),
            row,
            is_behind,
        };
        let ends = keep[lane].and(valid);
        is_behind = beside.bit(lane as u32).or(is_behind.and(ends.not()));
        let bits = mark.is_behind.concat(mark.row).concat(mark.lane);
        vec![bits.extend(OCTET_W)]
    });
    T::set_next(held, is_behind.and(reset.not()));
    MarksOutputs {
        valid_out: vec![valid],
        lost_out: vec![lost],
        keep_out: keep.map(|keep| vec![keep]),
        mark,
    }
}
