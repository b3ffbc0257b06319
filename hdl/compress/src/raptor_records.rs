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
use super::branch_bits::{ADDRESS_W, INSTRUCTIONS_W};
use super::chunks::Chunks;
use super::raptor_targets::{RAPTOR_DECISION_W, RaptorDecision};
use coretrace_abi::compressed::raptor::{INSTRUCTION_CHUNKS, PRESETS};
use coretrace_hdl_dataflow::{Bus, Word, all, any, clocked_block, join, latest, named};
use rust_hdl::prelude::*;

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
        Piece {
            valid: self.valid.reg(),
            bits: self.bits.reg(),
            count: self.count.reg(),
        }
    }

    fn or(self, other: Piece<T>) -> Piece<T> {
        Piece {
            valid: self.valid.or(other.valid),
            bits: self.bits.or(other.bits),
            count: self.count.or(other.count),
        }
    }

    /// The piece of the cycle before, at this stage.
    fn held(self, stage: u32) -> Piece<T> {
        let held = |word: T| {
            let (held, next) = T::register(word.width(), stage);
            T::set_next(next, word);
            held
        };
        Piece {
            valid: held(self.valid),
            bits: held(self.bits),
            count: held(self.count),
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
    let begins = any(&[start, decision.is_record, decision.is_exception]);

    // A branch is an instruction, so this sum is too large only if the other one is.
    let is_counted = decision.is_counted.extend(INSTRUCTIONS_W as u32);
    let (branches, _) = sum_since(begins, decision.valid, is_counted);
    let (instructions, overflows) = sum_since(begins, decision.valid, decision.instructions);
    let rest = instructions.mask(decision.valid.and(begins.not()));
    let distance = since_last(start, decision.has_target, decision.next);

    // The first beat.
    let branch = Chunks::of(branches.reg(), preset.count_chunks);
    let outcome = decision.is_indirect.and(decision.taken);
    let every = 0..branch.most();
    let branch_bits = branch.bits(every.clone(), outcome).reg();
    let is_indirect = decision.is_indirect.extend(BEAT_COUNT_W as u32);
    let branch_count = branch.count(every).add(is_indirect).reg();
    let time = Chunks::of(instructions.reg(), INSTRUCTION_CHUNKS);
    let every = 0..time.most();
    let none = T::constant(0, 1);
    let before = preset.count_chunks[0] + 1;
    let time_bits = time
        .bits(every.clone(), none)
        .slice(0, BEAT_BITS as u32 - before);
    let time_bits = join([T::constant(0, before), time_bits]).reg();
    let time_count = time.count(every).add_const(before.into()).reg();
    let is_time = decision.is_exception;
    let is_branch = decision.is_record.and(is_time.not());
    let branch = Piece::new(is_branch, branch_bits, branch_count).reg();
    let time = Piece::new(is_time, time_bits, time_count).reg();

    // The target.
    let is_negative = distance.bit(ADDRESS_W as u32 - 1);
    let size = negated_if(is_negative, distance).reg();
    let target = Chunks::of(size.concat(T::constant(0, 2)), preset.target_chunks);
    let piece = |first: usize, end: usize, valid: T| {
        let ends = target.ends_in(first..end).extend(BEAT_COUNT_W as u32);
        let count = target.count(first..end).add(ends);
        let bits = target.bits(first..end, is_negative);
        Piece::new(valid, bits.reg(), count.reg())
    };
    let has_target = decision.has_target;
    let first = piece(0, FIRST_CHUNKS, has_target);
    let has_more = has_target.and(target.ends_in(0..FIRST_CHUNKS).not()).reg();
    let second = piece(FIRST_CHUNKS, target.most(), has_more);

    let stage = latest([first.bits, branch.bits, time.bits]);
    let first_held = first.held(stage);
    let second_held = second.held(stage).held(stage);
    let beat = branch.or(time).or(first_held).or(second_held);
    let (has_more_held, has_more_next) = T::register(1, stage);
    T::set_next(has_more_next, has_more);
    let valid = decision.valid.at_stage(stage);
    let is_last = any(&[
        valid.and(has_target.not()),
        all(&[first_held.valid, has_more_held.not()]),
        second_held.valid,
    ]);
    RecordsOutputs {
        beat_valid: vec![valid.or(beat.valid)],
        beat_bits: vec![beat.bits],
        beat_count: vec![beat.count],
        beat_last: vec![is_last],
        rest: vec![rest],
        overflows: vec![overflows.and(decision.valid)],
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

/// How far a target is from the one before.
#[named]
fn since_last<T: Word>(start: T, is_target: T, target: T) -> T {
    let (last, next) = T::register(target.width(), 0);
    T::set_next(next, is_target.mux(target, last).mask(start.not()));
    // One sum: the complement is one less than the negative.
    let one = T::constant(1, 1);
    let difference = target.concat(one).add(last.not().concat(one));
    difference.slice(1, target.width()).reg()
}

/// A number, or its negative.
#[named]
fn negated_if<T: Word>(is_negative: T, number: T) -> T {
    let complement = is_negative.mux(number.not(), number);
    complement.add(is_negative.extend(number.width()))
}
