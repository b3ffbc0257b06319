// SPDX-License-Identifier: MIT OR Apache-2.0
//! `RaptorRecords`: decisions to beats. `N` is the number of the preset, `P` is 1.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `start` | in | nothing was counted, no target was sent; it is 1 until the events before a start are out |
//! | `decision` | in | a [`RaptorDecision`] |
//! | `beat_valid`, `beat_bits[63:0]`, `beat_count[6:0]`, `beat_last` | out | as from [`RaptorEncoder`](super::RaptorEncoder) |
//! | `rest[31:0]` | out | instructions since the last record, the event of the beat included |
//! | `overflows` | out | with that event they are 2^32 or more |
//!
//! The count or the instructions are one beat, a target is one or two behind it: a record takes three
//! beats at most. An event without a record is a beat without bits.
//!
//! Latency 5 cycles. Throughput one event per cycle, and none in the two cycles behind an event that may have
//! a target. The model is `coretrace_compress::Raptor`.

use super::beat::{BEAT_BITS, BEAT_COUNT_W};
use super::branch_bits::INSTRUCTIONS_W;
use super::chunks::{Chunks, repeat};
use super::hash::before;
use super::raptor_targets::{RAPTOR_DECISION_W, RaptorDecision};
use coretrace_abi::compressed::raptor::{INSTRUCTION_CHUNKS, PRESETS};
use coretrace_hdl_dataflow::{Bus, Word, any, clocked_block, join, named};
use rust_hdl::prelude::*;
use std::ops::Range;

/// Chunks of a target in its first beat.
const FIRST_CHUNKS: usize = 5;

clocked_block! {
    /// See the module text.
    pub struct RaptorRecords;
    inputs RecordsInputs { start: Bit, decision: Bus<RAPTOR_DECISION_W>, }
    lane_inputs {}
    outputs RecordsOutputs {
        beat_valid: Bit,
        beat_bits: Bus<BEAT_BITS>,
        beat_count: Bits<BEAT_COUNT_W>,
        beat_last: Bit,
        rest: Bits<INSTRUCTIONS_W>,
        overflows: Bit,
    }
    lane_outputs {}
    pair_outputs {}
    kernel records;
}

/// Bits of a beat, 0 if there is none.
#[derive(Clone, Copy)]
struct Piece<T> {
    valid: T,
    bits: T,
    count: T,
}

impl<T: Word> Piece<T> {
    fn new(valid: T, bits: T, count: T) -> Piece<T> {
        Piece {
            valid,
            bits: bits.mask(valid),
            count: count.mask(valid),
        }
    }

    fn reg(self) -> Piece<T> {
        self.each(T::reg)
    }

    fn before(self) -> Piece<T> {
        self.each(before)
    }

    fn each(self, change: impl Fn(T) -> T) -> Piece<T> {
        Piece {
            valid: change(self.valid),
            bits: change(self.bits),
            count: change(self.count),
        }
    }

    fn or(self, other: Piece<T>) -> Piece<T> {
        Piece {
            valid: self.valid.or(other.valid),
            bits: self.bits.or(other.bits),
            count: self.count.or(other.count),
        }
    }
}

#[named]
fn records<T: Word, const N: usize, const P: usize>(
    i: RecordsInputs<T::Port, N>,
) -> RecordsOutputs<T, N, P> {
    let preset = PRESETS[N];
    let start = T::field(&i.start, 0, 1);
    let decision = RaptorDecision::<T>::unpack(&i.decision);
    let (size, is_negative) = since_last(start, decision.has_target, decision.next);
    // The other fields are those of the cycle before, so that the target is one behind them.
    let valid = before(decision.valid);
    let (is_record, is_exception) = (before(decision.is_record), before(decision.is_exception));
    let has_target = before(decision.has_target);
    let is_indirect = before(decision.is_indirect);
    let begins = any(&[start, is_record, is_exception]);

    // A branch is an instruction, so this sum is too large only if the other one is.
    let is_counted = before(decision.is_counted).extend(INSTRUCTIONS_W as u32);
    let (branches, _) = sum_since(begins, valid, is_counted);
    let amount = before(decision.instructions);
    let (instructions, overflows) = sum_since(begins, valid, amount);
    let rest = instructions.mask(valid.and(begins.not()));

    // The first beat.
    let branch = Chunks::of(branches.reg(), preset.count_chunks);
    let outcome = is_indirect.and(before(decision.taken));
    let every = 0..branch.most();
    let branch_bits = branch.bits(every.clone(), outcome);
    let indirect = is_indirect.extend(BEAT_COUNT_W as u32);
    let branch_count = branch.count(every, 0).add(indirect);
    let time = Chunks::of(instructions.reg(), INSTRUCTION_CHUNKS);
    let every = 0..time.most();
    let in_front = preset.count_chunks[0] + 1;
    let time_bits = time
        .bits(every.clone(), T::constant(0, 1))
        .slice(0, BEAT_BITS as u32 - in_front);
    let time_bits = join([T::constant(0, in_front), time_bits]);
    let time_count = time.count(every, in_front);
    let is_branch = is_record.and(is_exception.not());
    let branch = Piece::new(is_branch, branch_bits, branch_count).reg();
    let time = Piece::new(is_exception, time_bits, time_count).reg();

    // The target, as the complement of its size if that is negative.
    let size = size.concat(repeat(is_negative, 2)).reg();
    let is_complement = is_negative.reg();
    let target = Chunks::of_complement(size, is_complement, preset.target_chunks);
    let is_sent = before(has_target);
    let piece = |which: Range<usize>, valid: T| {
        let count = target.count(which.clone(), 1);
        let piece = Piece::new(valid, target.bits(which, is_negative), count);
        (piece.reg(), is_negative.and(valid).reg())
    };
    let shown = |(piece, is_complement): (Piece<T>, T), which: Range<usize>| Piece {
        bits: piece.bits.xor(target.places(which).mask(is_complement)),
        ..piece
    };
    let (low, high) = (0..FIRST_CHUNKS, FIRST_CHUNKS..target.most());
    let has_more = is_sent.and(target.ends_in(low.clone()).not());
    let (second, is_second_negative) = piece(high.clone(), has_more);
    let second = (second.before(), before(is_second_negative));
    let first = shown(piece(low.clone(), is_sent), low);
    let second = shown(second, high);

    let beat = branch.or(time).or(first).or(second);
    let is_last = any(&[
        valid.and(has_target.not()),
        first.valid.and(has_more.not()),
        second.valid,
    ]);
    RecordsOutputs {
        beat_valid: vec![valid.or(beat.valid)],
        beat_bits: vec![beat.bits],
        beat_count: vec![beat.count],
        beat_last: vec![is_last],
        rest: vec![rest],
        overflows: vec![overflows.and(valid)],
    }
}

/// The sum of amounts that are valid, this one included, and whether it is too large; the next one begins a new sum if
/// this one ends it.
#[named]
fn sum_since<T: Word>(ends: T, valid: T, amount: T) -> (T, T) {
    let width = amount.width();
    let (sum, next) = T::register(width, 0);
    let wide = sum.extend(width + 1).add(amount.extend(width + 1));
    let with = wide.slice(0, width);
    T::set_next(next, valid.or(ends).mux(with.mask(ends.not()), sum));
    (with, wide.bit(width))
}

/// How far a target is from the one before, or the complement of that if it is negative, and whether it is.
///
/// It is so two cycles behind the target, which must be the only one for three cycles: the sum of the target
/// and of the complement of the other one is one less than the distance without a carry, and the first of
/// these cycles finds out whether that one is wanted.
#[named]
fn since_last<T: Word>(start: T, is_target: T, target: T) -> (T, T) {
    let (this, this_next) = T::register(target.width(), 0);
    let (last, last_next) = T::register(target.width(), 0);
    let (is_negative, negative_next) = T::register(1, 0);
    T::set_next(this_next, is_target.mux(target, this).mask(start.not()));
    T::set_next(last_next, is_target.mux(this, last));
    let one = T::constant(1, 1);
    let sum = last.not().concat(one).add(this.concat(is_negative.not()));
    let distance = sum.slice(1, target.width());
    let sign = distance.bit(target.width() - 1);
    T::set_next(negative_next, sign.mask(is_target.not()));
    (distance, is_negative)
}
