// SPDX-License-Identifier: MIT OR Apache-2.0
//! `OutcomeRows`: outcomes one by one to words of the ring of outcomes.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `valid`, `taken`, `place[15:0]` | in | an outcome and its place in the ring |
//! | `write`, `write_half[10:0]`, `write_word[31:0]` | out | a half of a row as it is now |
//!
//! Latency 1 cycle. Throughput one outcome per cycle. The places of a half behind the newest outcome are 0.

use super::history_places::PLACE_BITS;
use super::outcome_ring::WINDOW;
use coretrace_hdl_dataflow::{Bus, Word, clocked_block, join, named};
use rust_hdl::prelude::*;

/// Bits of the number of a half of a row.
pub const HALF_W: usize = PLACE_BITS - WINDOW.ilog2() as usize;

clocked_block! {
    /// See the module text.
    pub struct OutcomeRows;
    inputs RowsInputs { valid: Bit, taken: Bit, place: Bits<PLACE_BITS>, }
    lane_inputs {}
    outputs RowsOutputs {
        write: Bit,
        write_half: Bits<HALF_W>,
        write_word: Bus<WINDOW>,
    }
    lane_outputs {}
    pair_outputs {}
    kernel outcome_rows;
}

#[named]
fn outcome_rows<T: Word, const N: usize, const P: usize>(
    i: RowsInputs<T::Port, N>,
) -> RowsOutputs<T, N, P> {
    let bits = WINDOW.ilog2();
    let valid = T::field(&i.valid, 0, 1);
    let taken = T::field(&i.taken, 0, 1);
    let place = T::field(&i.place, 0, PLACE_BITS as u32);
    let (place, half) = (place.slice(0, bits), place.slice(bits, HALF_W as u32));
    let (word, word_next) = T::register(WINDOW as u32, 0);
    let kept = word.mask(place.any());
    let came = join((0..WINDOW as u64).map(|number| place.is(number).and(taken)));
    let with = kept.or(came);
    T::set_next(word_next, valid.mux(with, word));
    RowsOutputs {
        write: vec![valid],
        write_half: vec![half],
        write_word: vec![with],
    }
}
