// SPDX-License-Identifier: MIT OR Apache-2.0
//! `HistoryRecords`: slots to beats.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clear` | in | nothing was counted, no target was sent; it is 1 until the slots before a start are out |
//! | `slot` | in | a [`DecisionSlot`] |
//! | `beat_valid`, `beat_bits[63:0]`, `beat_count[6:0]`, `beat_last` | out | as from [`HistoryEncoder`](super::HistoryEncoder) |
//! | `events[31:0]`, `rest[31:0]` | out | what a control record behind the beat says |
//!
//! A record is one beat, and so is a slot without one. The size of a literal is in the beat of the record in front
//! of it.
//!
//! Latency 8 cycles. Throughput one slot per cycle. A run ends at 2^32 - 1, other numbers are modulo 2^32. The
//! model is `Records` of `coretrace_compress`.

use super::beat::{BEAT_BITS, BEAT_COUNT_W};
use super::branch_bits::INSTRUCTIONS_W;
use super::control::{control, kind};
use super::decision_queue::{DECISION_SLOT_W, DecisionSlot};
use super::literal::{HEADER_W, literal};
use super::rice::{MEAN_ONE_W, RUN_W, record};
use coretrace_abi::compressed::history::{Control, LENGTH_BITS, MEAN_MOST, MEAN_START};
use coretrace_abi::compressed::item::SHORT_BYTES;
use coretrace_hdl_dataflow::{Bus, Word, any, clocked_block, join, named};
use rust_hdl::prelude::*;

/// Bits of a mean below its point.
const POINT: u32 = 4;
/// Bits of a mean.
const MEAN_W: u32 = MEAN_ONE_W - 1 + POINT;
/// Bits of the number of bytes of a short note, less 1.
const LENGTH_W: u32 = SHORT_BYTES.ilog2() + 1;

clocked_block! {
    /// See the module text. `N` and `P` are 1.
    pub struct HistoryRecords;
    inputs RecordsInputs { clear: Bit, slot: Bus<DECISION_SLOT_W>, }
    lane_inputs {}
    outputs RecordsOutputs {
        beat_valid: Bit,
        beat_bits: Bus<BEAT_BITS>,
        beat_count: Bits<BEAT_COUNT_W>,
        beat_last: Bit,
        events: Bits<INSTRUCTIONS_W>,
        rest: Bits<INSTRUCTIONS_W>,
    }
    lane_outputs {}
    pair_outputs {}
    kernel records;
}

#[named]
fn records<T: Word, const N: usize, const P: usize>(
    i: RecordsInputs<T::Port, N>,
) -> RecordsOutputs<T, N, P> {
    let clear = T::field(&i.clear, 0, 1);
    let slot = DecisionSlot::<T>::unpack(&i.slot);
    let instructions = slot.value.slice(0, INSTRUCTIONS_W as u32);
    let is_record = slot.is_decision.and(slot.is_right.not());
    let ends_control = slot.control.bit(slot.control.width() - 1);
    let begins = any(&[is_record, ends_control, clear]);

    let (events, events_next) = T::register(INSTRUCTIONS_W as u32, 0);
    let is_counted = slot.is_counted;
    let sum = events.add(is_counted.extend(INSTRUCTIONS_W as u32));
    let above = sum.slice(1, INSTRUCTIONS_W as u32 - 1);
    let events_behind = above
        .mask(begins.not())
        .concat(begins.mux(is_counted, sum.bit(0)));
    T::set_next(events_next, events_behind);

    let is_right = slot.is_decision.and(slot.is_right);
    let run_of = |is_sure: T, is_before_sure: T| {
        let before = slot.has_one_before.and(is_before_sure);
        run(begins, before, is_right.and(is_sure))
    };
    let doubtful = run_of(slot.is_sure.not(), slot.is_one_before_sure.not());
    let sure = run_of(slot.is_sure, slot.is_one_before_sure);
    let run = slot.is_sure.mux(sure, doubtful).reg();
    let mean = mean(clear, is_record, slot.is_sure, run);

    let literal = literal(clear, slot.is_literal, slot.value);
    let has_header = slot.has_header;
    let header = literal.header.mask(has_header);
    let (record_bits, record_count) = record(slot.is_sure, run, mean, header);
    let is_bytes = slot.is_bytes;
    let kind = is_bytes.mux(kind(Control::Bytes), kind(Control::Discontinuity));
    let (control_bits, control_count) = control(kind, slot.control, events, instructions);

    let beat = |word: T| word.extend(BEAT_BITS as u32);
    let is_header = has_header.and(is_record.not());
    // Their number less 1 is in front of them.
    let has_bytes = is_bytes.and(slot.control.any().not());
    let width = BEAT_COUNT_W as u32;
    let eight = T::constant(0, LENGTH_W);
    let bytes_count = join([eight, slot.value.slice(0, LENGTH_W)]).extend(width);
    let bytes_count = bytes_count.add_const((LENGTH_BITS + 8).into());
    let bits = [
        record_bits.mask(is_record),
        control_bits,
        beat(literal.header.mask(is_header)),
        beat(literal.bits.mask(slot.is_literal)),
        beat(slot.value.mask(has_bytes)),
    ];
    let header_count = T::constant(HEADER_W.into(), width).mask(has_header);
    let counts = [
        record_count.mask(is_record),
        control_count,
        literal.count.mask(slot.is_literal),
        bytes_count.mask(has_bytes),
    ];
    let count = counts.into_iter().reduce(T::or).expect("counts");
    RecordsOutputs {
        beat_valid: vec![slot.valid],
        beat_bits: vec![bits.into_iter().reduce(T::or).expect("bits")],
        beat_count: vec![count.add(header_count)],
        beat_last: vec![slot.is_last],
        events: vec![events_behind],
        rest: vec![instructions.mask(slot.is_rest)],
    }
}

/// Right decisions of a class, with one in front of this one; the greatest number stays. One that is wrong begins a
/// new run.
#[named]
fn run<T: Word>(begins: T, is_before: T, is_right: T) -> T {
    let (length, length_next) = T::register(RUN_W, 0);
    let (is_over, is_over_next) = T::register(1, 0);
    // 0 to 2.
    let both = is_before.and(is_right);
    let amount = join([is_before.xor(is_right), both]);
    let sum = length.extend(RUN_W + 1).add(amount.extend(RUN_W + 1));
    let is_over_now = is_over.or(sum.bit(RUN_W));
    T::set_next(length_next, sum.slice(0, RUN_W).mask(begins.not()));
    T::set_next(is_over_next, is_over_now.and(begins.not()));
    let most = T::constant(u32::MAX.into(), RUN_W);
    is_over_now.mux(most, sum.slice(0, RUN_W))
}

/// The mean of the runs of a class before this one, and 1.
#[named]
fn mean<T: Word>(clear: T, is_record: T, is_sure: T, run: T) -> T {
    let start = T::constant(MEAN_START.into(), MEAN_W);
    let limit = MEAN_MOST.count_ones();
    let most = T::constant(MEAN_MOST, limit);
    let is_long = run.slice(limit, RUN_W - limit).any();
    let amount = is_long.mux(most, run.slice(0, limit)).reg().extend(MEAN_W);
    let (doubtful, doubtful_next) = T::register(MEAN_W, amount.stage());
    let (sure, sure_next) = T::register(MEAN_W, amount.stage());
    let mean = is_sure.mux(sure, doubtful);
    let whole = mean.slice(POINT, MEAN_W - POINT).extend(MEAN_W);
    // One sum: the complement is one less than the negative.
    let one = T::constant(1, 1);
    let rest = mean.concat(one).add(whole.not().concat(one));
    let behind = rest.slice(1, MEAN_W).add(amount);
    let next = |is_this: T, mean: T| clear.mux(start, is_record.and(is_this).mux(behind, mean));
    T::set_next(doubtful_next, next(is_sure.not(), doubtful));
    T::set_next(sure_next, next(is_sure, sure));
    let mean = mean.reg();
    mean.slice(POINT, MEAN_W - POINT)
        .extend(MEAN_ONE_W)
        .add_const(1)
        .reg()
}
