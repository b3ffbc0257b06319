// SPDX-License-Identifier: MIT OR Apache-2.0
//! `Packer`: beats of up to 64 bits to words of 64, one behind the other.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `reset` | in | no bit waits |
//! | `bits[63:0]`, `count[6:0]` | in | a beat, of 0 bits if there is none; bits from the count on are 0 |
//! | `flush` | in | with a beat of 0 bits: an unfinished word goes out, with zeros |
//! | `word_valid`, `word[63:0]` | out | a word; there is no TREADY |
//!
//! The only sum in a loop is that of the fill, 6 bits. A beat is turned by the fill, so that each bit has its place
//! in this word or in the next one.
//!
//! Latency 6 cycles. Throughput one beat per cycle. `N` and `P` are 1.

use super::beat::{BEAT_BITS, BEAT_COUNT_W};
use super::hash::before;
use coretrace_hdl_dataflow::{Bus, Word, clocked_block, join, mux_tree, named};
use rust_hdl::prelude::*;

/// Bits of a fill.
const FILL_W: u32 = BEAT_BITS.ilog2();

clocked_block! {
    /// See the module text.
    pub struct Packer;
    inputs PackerInputs {
        reset: Bit,
        bits: Bus<BEAT_BITS>,
        count: Bits<BEAT_COUNT_W>,
        flush: Bit,
    }
    lane_inputs {}
    outputs PackerOutputs { word_valid: Bit, word: Bus<BEAT_BITS>, }
    lane_outputs {}
    pair_outputs {}
    kernel packer;
}

#[named]
fn packer<T: Word, const N: usize, const P: usize>(
    i: PackerInputs<T::Port, N>,
) -> PackerOutputs<T, N, P> {
    let lives = T::field(&i.reset, 0, 1).not();
    let count = T::field(&i.count, 0, BEAT_COUNT_W as u32).mask(lives).reg();
    let flush = T::field(&i.flush, 0, 1).and(lives).reg();
    let bits = T::field(&i.bits, 0, BEAT_BITS as u32).reg();

    let (fill, fill_next) = T::register(FILL_W, count.stage());
    let sum = fill.extend(FILL_W + 1).add(count);
    let goes_on = flush.or(lives.reg().not()).not();
    T::set_next(fill_next, sum.slice(0, FILL_W).mask(goes_on));
    let completes = sum.bit(FILL_W).or(flush.and(fill.any())).reg();

    // Where each bit goes, and whether the place is in front of the first bit.
    let fill = fill.reg();
    let turned = turned(bits, fill);
    let is_next =
        join((0..BEAT_BITS as u64).map(|place| T::constant(place, FILL_W).lt(fill))).reg();
    let now = turned.and(is_next.not());
    // A word begins with what the beat that completed the last one has left over.
    let (held, held_next) = T::register(BEAT_BITS as u32, now.stage());
    let left_over = before(turned).and(before(is_next));
    let begins = before(completes.and(lives));
    let word = begins.mux(left_over, held).or(now);
    T::set_next(held_next, word.mask(lives));
    PackerOutputs {
        word_valid: vec![completes.and(lives)],
        word: vec![word],
    }
}

/// The bits moved up by a number of places; those that leave at the top come in below. Two registers.
#[named]
fn turned<T: Word>(bits: T, places: T) -> T {
    let step = |bits: T, low: u32| {
        let by = |number: u32| {
            let places = number << low;
            if places == 0 {
                return bits;
            }
            let kept = BEAT_BITS as u32 - places;
            bits.slice(0, kept).concat(bits.slice(kept, places))
        };
        mux_tree(&[0, 1, 2, 3].map(by), places.slice(low, 2), 2)
    };
    let by_ones = step(bits, 0).reg();
    let by_fours = step(by_ones, 2).reg();
    step(by_fours, 4)
}
