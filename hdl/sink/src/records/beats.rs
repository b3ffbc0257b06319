// SPDX-License-Identifier: MIT OR Apache-2.0
//! `RecordBeats`: units of up to four words in, beats of four words out.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high |
//! | `row` | in | the row in hand, as from `RecordGroups` |
//! | `select` | in | [`UnitSelect`]: which unit of it comes now; see `slots` |
//! | `lost_words` | in | words of the trace port that were lost so far |
//! | `beat[127:0]`, `beat[128]` | out | four words, the first lowest; it is the last beat of a packet |
//! | `beat_valid` | out | for one cycle |
//!
//! A packet of the stream ends after 256 beats, that is 4 KiB, or after 64 cycles without a unit
//! behind the last one of a row: then the last beat is filled with words of 0. Packets say nothing
//! about records.
//!
//! The recurrence is the number of words that wait, 0 to 3. Latency 7 cycles. Throughput one unit
//! per cycle.

use super::group_sequencer::{SELECT_W, UnitSelect};
use super::group_words::{WORDS, slots};
use super::layouts::{GROUP_W, GroupPlan};
use coretrace_abi::record_stream::tag;
use coretrace_hdl_dataflow::{Bus, Word, all, any, clocked_block, kernel_block, mux4, named};
use rust_hdl::prelude::*;

clocked_block! {
    /// Words to beats; see the module text.
    pub struct RecordBeats;
    inputs BeatsInputs {
        reset: Bit,
        row: Bus<GROUP_W>,
        select: Bus<SELECT_W>,
        lost_words: Bits<32>,
    }
    lane_inputs {}
    outputs BeatsOutputs { beat: Bus<BEAT_W>, beat_valid: Bit, }
    lane_outputs {}
    pair_outputs {}
    kernel record_beats;
}

kernel_block! {
    /// Takes a beat apart: its words, and whether it is the last one of a packet.
    pub struct BeatFields;
    inputs BeatInputs { beat: Bus<BEAT_W>, }
    lane_inputs {}
    outputs BeatOutputs { words: Bus<DATA_W>, last: Bit, }
    lane_outputs {}
    kernel beat_fields;
}

/// Bits of a beat, without and with what says that it is the last of a packet.
pub const DATA_W: usize = 32 * WORDS;
pub const BEAT_W: usize = DATA_W + 1;
/// Bits of the number of beats in a packet.
const PACKET_W: u32 = 8;
/// Bits of the number of cycles before a beat is filled up.
const IDLE_W: u32 = 6;

/// A unit: its words, how many they are, whether there is one, and whether it ends a row.
struct Unit<T> {
    words: [T; WORDS],
    count: T,
    valid: T,
    last: T,
}

#[named]
fn beat_fields<T: Word, const N: usize>(i: BeatInputs<T::Port, N>) -> BeatOutputs<T, N> {
    BeatOutputs {
        words: (0..WORDS as u32)
            .map(|word| T::field(&i.beat, 32 * word, 32))
            .collect(),
        last: vec![T::field(&i.beat, BEAT_W as u32 - 1, 1)],
    }
}

#[named]
fn unit<T: Word, const N: usize>(i: &BeatsInputs<T::Port, N>) -> Unit<T> {
    let select = UnitSelect::<T>::unpack(&i.select);
    let plan = GroupPlan::<T>::unpack(&i.row);
    let slots = slots(&i.row, select.number);
    let zero = T::constant(0, 32);
    let lost_words = T::field(&i.lost_words, 0, 32).steady();
    let lost = [T::constant(tag::LOST.into(), 32), lost_words, zero, zero];
    let words_of = |slot: usize| {
        let word = select.lost.mux(lost[slot], slots[slot]);
        word.mask(select.valid).reg()
    };
    let more = |less_one: T| less_one.extend(3).add_const(1);
    let count = select.last.mux(more(plan.tail), T::constant(4, 3));
    let count = select.lost.mux(T::constant(2, 3), count);
    Unit {
        words: std::array::from_fn(words_of),
        count: count.mask(select.valid).reg(),
        valid: select.valid.reg(),
        last: select.last.reg(),
    }
}

/// Where a unit goes.
struct Place<T> {
    /// Words that wait before it.
    before: T,
    /// A beat is complete with it, or filled up.
    complete: T,
    /// It ends a packet.
    last: T,
}

#[named]
fn place<T: Word>(unit: &Unit<T>, reset: T) -> Place<T> {
    let now = unit.valid.stage();
    let go = reset.at_stage(now).not();
    let (before, before_held) = T::register(2, now);
    let (idle, idle_held) = T::register(IDLE_W, now);
    let (beats, beats_held) = T::register(PACKET_W, now);
    let (open, open_held) = T::register(1, now);
    // Between two units of a row, which a consumer that rests keeps apart: filling is for tags.
    let (inside, inside_held) = T::register(1, now);
    let stays_inside = unit.valid.mux(unit.last.not(), inside);
    T::set_next(inside_held, stays_inside.and(go));
    let fills = idle.is((1 << IDLE_W) - 1).and(unit.valid.not());
    let sum = before.extend(3).add(unit.count);
    let keeps = fills.not().and(go);
    T::set_next(before_held, sum.slice(0, 2).mask(keeps));
    let waits = all(&[open, inside.not(), unit.valid.not(), keeps]);
    T::set_next(idle_held, idle.add_const(1).mask(waits));
    // A packet is open from its first word on until it ends with a beat that says so.
    let complete = sum.bit(2).or(fills);
    let last = fills.or(complete.and(beats.is((1 << PACKET_W) - 1)));
    let counted = complete.mux(beats.add_const(1), beats);
    T::set_next(beats_held, counted.mask(last.not().and(go)));
    let stays = any(&[unit.valid, open.and(last.not())]);
    T::set_next(open_held, stays.and(go));
    Place {
        before: before.reg(),
        complete: complete.reg(),
        last: last.reg(),
    }
}

#[named]
fn record_beats<T: Word, const N: usize, const P: usize>(
    i: BeatsInputs<T::Port, N>,
) -> BeatsOutputs<T, N, P> {
    let reset = T::field(&i.reset, 0, 1);
    let unit = unit(&i);
    let place = place(&unit, reset);
    let words = unit.words.map(T::reg);
    let rotated: [T; WORDS] = std::array::from_fn(|word| {
        let from = std::array::from_fn(|by| words[(word + WORDS - by) % WORDS]);
        mux4(place.before, from).reg()
    });
    let (before, complete) = (place.before.reg(), place.complete.reg());
    let mut beat = Vec::new();
    for (word, &new) in rotated.iter().enumerate() {
        if word + 1 == WORDS {
            beat.push(new);
            continue;
        }
        let (waiting, held) = T::register(32, new.stage());
        let waits = T::constant(word as u64, 2).lt(before);
        let filled = waits.mux(waiting, new);
        T::set_next(held, complete.mux(new, filled));
        beat.push(filled);
    }
    beat.push(place.last.reg());
    BeatsOutputs {
        beat,
        beat_valid: vec![complete],
    }
}
