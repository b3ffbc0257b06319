// SPDX-License-Identifier: MIT OR Apache-2.0
//! `ByteStep`: takes a row apart, a byte in each cycle.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `reset` | in | no row is in hand |
//! | `room` | in | a byte may be put out |
//! | `head`, `head_valid` | in | [`Row`]: the one that comes next |
//! | `state` | in | [`Row`]: the one in hand |
//! | `state_after` | out | the same after the cycle |
//! | `take` | out | the next row is in hand after the cycle |
//! | `octet_valid`, `octet[7:0]`, `lost`, `place` | out | a byte, whether bytes were lost before it, and its [`Place`] |
//!
//! Combinational; `N` is 1.

use super::row::{PLACE_W, Place, ROW_W, Row};
use coretrace_hdl_dataflow::{Bus, Word, all, kernel_block, mux4, named, without_lowest};
use rust_hdl::prelude::*;

kernel_block! {
    /// See the module text.
    pub struct ByteStep;
    inputs StepInputs {
        reset: Bit,
        room: Bit,
        head: Bus<ROW_W>,
        head_valid: Bit,
        state: Bus<ROW_W>,
    }
    lane_inputs {}
    outputs StepOutputs {
        state_after: Bus<ROW_W>,
        take: Bit,
        octet_valid: Bit,
        octet: Bits<8>,
        lost: Bit,
        place: Bus<PLACE_W>,
    }
    lane_outputs {}
    kernel byte_step;
}

#[named]
fn byte_step<T: Word, const N: usize>(i: StepInputs<T::Port, N>) -> StepOutputs<T, N> {
    let bit = |port: &T::Port| T::field(port, 0, 1);
    let (row, next) = (Row::<T>::unpack(&i.state), Row::<T>::unpack(&i.head));
    let go = bit(&i.reset).not();
    let has_bytes = row.keep.any();
    let sends = all(&[has_bytes, bit(&i.room), go]);
    let left = without_lowest(row.keep);
    let is_done = has_bytes.not().or(sends.and(left.any().not()));
    let take = all(&[is_done, bit(&i.head_valid), go]);
    let sent = Row {
        keep: left,
        lost: row.lost.and(sends.not()),
        ..row
    };
    let after = Row::mux(take, next, Row::mux(sends, sent, row));
    let after = Row {
        keep: after.keep.mask(go),
        ..after
    };
    // The lane of the lowest bit that is set.
    let [first, second, third] = [0, 1, 2].map(|lane| row.keep.bit(lane));
    let high = first.or(second).not();
    let odd = high.mux(third.not(), first.not());
    let lane = high.concat(odd);
    let place = Place {
        lane,
        row: row.place,
    };
    let octets = [0, 1, 2, 3].map(|lane| row.data.slice(8 * lane, 8));
    StepOutputs {
        state_after: after.pack(),
        take: vec![take],
        octet_valid: vec![sends],
        octet: vec![mux4(lane, octets)],
        lost: vec![row.lost],
        place: place.pack(),
    }
}
