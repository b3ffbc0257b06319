// SPDX-License-Identifier: MIT OR Apache-2.0
//! `PlaceDelay`: marks of bytes wait until the records that end in them are in a row.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock` | in | |
//! | `flags`, `octet[4]`, `lane[4]` | in | marks as from a [`Gearbox`](coretrace_hdl_etm::jump::Gearbox) |
//! | `place[31:0]` | in | the place of a row of the port that is no earlier than these bytes |
//! | `mark[4]`, `place_out[31:0]` | out | [`PlaceMark`](super::PlaceMark) of each byte, and the place, both later; no mark of a byte that has been reported is behind another source |
//!
//! Latency from the gearbox of `JumpDecoder<4, 2>` to the output of `RecordGroups` behind it, less that of `PlaceMarks`.
//! Throughput one word per cycle.

use super::place_marks::{MARK_W, PlaceMark};
use coretrace_hdl_dataflow::{Bus, Word, clocked_block, named};
use coretrace_hdl_etm::jump::layouts::{LANE_FLAGS_W, LaneFlags, WORD_FLAGS_W, WordFlags};
use rust_hdl::prelude::*;

clocked_block! {
    /// Delays marks; see the module text.
    pub struct PlaceDelay;
    inputs DelayInputs { flags: Bus<WORD_FLAGS_W>, place: Bits<32>, }
    lane_inputs { octet: Bits<8>, lane: Bus<LANE_FLAGS_W>, }
    outputs DelayOutputs { place_out: Bits<32>, }
    lane_outputs { mark: Bus<MARK_W>, }
    pair_outputs {}
    kernel place_delay;
}

/// Cycles of the delay, but for the output register.
const DELAY: u32 = 28;

#[named]
fn place_delay<T: Word, const N: usize, const P: usize>(
    i: DelayInputs<T::Port, N>,
) -> DelayOutputs<T, N, P> {
    let flags = WordFlags::<T>::unpack(&i.flags);
    let mark = std::array::from_fn(|number| {
        let lane = LaneFlags::<T>::unpack(&i.lane[number]);
        let mark = PlaceMark::split(T::field(&i.octet[number], 0, MARK_W as u32));
        let is_fresh = lane.fresh.and(flags.valid);
        let mark = PlaceMark {
            is_behind: mark.is_behind.and(is_fresh),
            ..mark
        };
        mark.map(|field| field.delay(DELAY)).pack()
    });
    DelayOutputs {
        place_out: vec![T::field(&i.place, 0, 32).delay(DELAY)],
        mark,
    }
}
