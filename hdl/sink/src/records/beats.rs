// SPDX-License-Identifier: MIT OR Apache-2.0
//! `RecordBeats`: units of up to four words in, beats of four words out.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high |
//! | `row` | in | the row in hand, as from `RecordGroups` |
//! | `select` | in | [`UnitSelect`]: which unit of it comes now; see `slots` |
//! | `places` | in | those of the row in hand, as from `GroupPlaces` |
//! | `lost_words` | in | words of the trace port that were lost so far |
//! | `beat[127:0]`, `beat[128]` | out | four words, the first lowest; it is the last beat of a packet |
//! | `beat_valid` | out | for one cycle |
//!
//! A packet is a head, groups, places and losses, and a tail of a beat of its own: the number of words
//! before it, and their CRC. The beat before the tail is filled with words of 0.
//!
//! The recurrences are the number of words that wait, 0 to 3, the number of beats, the CRC (see
//! `crc`), and the trace state (see `head`). Latency 9 cycles. Throughput one unit per cycle.

use super::crc::crc;
use super::group_places::{PLACES_W, Places};
use super::group_sequencer::{SELECT_W, UnitSelect};
use super::group_words::{WORDS, slots};
use super::head::head_words;
use super::layouts::{GROUP_W, GroupPlan};
use coretrace_abi::record_stream::{MAX_PACKET_WORDS, tag, tail};
use coretrace_hdl_dataflow::{
    Bus, Word, all, any, clocked_block, kernel_block, mux4, named, priority_mux,
};
use rust_hdl::prelude::*;

clocked_block! {
    /// Words to beats; see the module text.
    pub struct RecordBeats;
    inputs BeatsInputs {
        reset: Bit,
        row: Bus<GROUP_W>,
        select: Bus<SELECT_W>,
        places: Bus<PLACES_W>,
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
const PACKET_W: u32 = (MAX_PACKET_WORDS / WORDS).ilog2() + 1;

/// A unit: its words, how many they are, and what it is.
struct Unit<T> {
    words: [T; WORDS],
    count: T,
    /// It fills the beat.
    fill: T,
    /// It is a tail.
    tail: T,
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
fn unit<T: Word, const N: usize>(i: &BeatsInputs<T::Port, N>, reset: T) -> Unit<T> {
    let select = UnitSelect::<T>::unpack(&i.select);
    let plan = GroupPlan::<T>::unpack(&i.row);
    let slots = slots(&i.row, select.number);
    let heads = head_words(&i.row, &select, reset);
    let zero = T::constant(0, 32);
    let lost_words = T::field(&i.lost_words, 0, 32).steady();
    let lost = [T::constant(tag::LOST.into(), 32), lost_words, zero, zero];
    let places = Places::<T>::unpack(&i.places);
    let of_tags = places.of_tags.concat(T::constant(tag::PLACE.into(), 8));
    let places = [of_tags, places.row, zero, zero];
    // The number of words and the CRC of a tail are put in when its beat is complete.
    let has_words = select.valid.and(select.fill.or(select.tail).not());
    let words_of = |slot: usize| {
        let cases = [
            (select.lost, lost[slot]),
            (select.places, places[slot]),
            (select.head, heads[slot]),
        ];
        let other = priority_mux(&cases, slots[slot]);
        other.mask(has_words).reg()
    };
    let number = |count: u64| T::constant(count, 3);
    let last = plan.tail.extend(3).add_const(1);
    let count = priority_mux(
        &[
            (select.fill, number(0)),
            (select.tail.or(select.head), number(4)),
            (select.lost.or(select.places), number(2)),
            (select.ends_group, last),
        ],
        number(4),
    );
    Unit {
        words: std::array::from_fn(words_of),
        count: count.mask(select.valid).reg(),
        fill: select.valid.and(select.fill).reg(),
        tail: all(&[select.valid, select.tail, select.fill.not()]).reg(),
    }
}

/// Where a unit goes.
struct Place<T> {
    /// Words that wait before it.
    before: T,
    /// A beat is complete with it, or filled up.
    complete: T,
    /// It is a tail.
    last: T,
    /// The number of beats before it in the packet.
    beats: T,
}

#[named]
fn place<T: Word>(unit: &Unit<T>, reset: T) -> Place<T> {
    let now = unit.count.stage();
    let go = reset.at_stage(now).not();
    let (before, before_held) = T::register(2, now);
    let (beats, beats_held) = T::register(PACKET_W, now);
    let sum = before.extend(3).add(unit.count);
    let keeps = unit.fill.not().and(go);
    T::set_next(before_held, sum.slice(0, 2).mask(keeps));
    let complete = any(&[sum.bit(2), unit.fill.and(before.any())]);
    let counted = complete.mux(beats.add_const(1), beats);
    T::set_next(beats_held, counted.mask(unit.tail.not().and(go)));
    Place {
        before: before.reg(),
        complete: complete.reg(),
        last: unit.tail.reg(),
        beats: beats.reg(),
    }
}

#[named]
fn record_beats<T: Word, const N: usize, const P: usize>(
    i: BeatsInputs<T::Port, N>,
) -> BeatsOutputs<T, N, P> {
    let reset = T::field(&i.reset, 0, 1);
    let unit = unit(&i, reset);
    let place = place(&unit, reset);
    let words = unit.words.map(T::reg);
    let rotated: [T; WORDS] = std::array::from_fn(|word| {
        let from = std::array::from_fn(|by| words[(word + WORDS - by) % WORDS]);
        mux4(place.before, from).reg()
    });
    let (before, complete) = (place.before.reg(), place.complete.reg());
    let beat: [T; WORDS] = std::array::from_fn(|word| {
        let new = rotated[word];
        if word + 1 == WORDS {
            return new;
        }
        let (waiting, held) = T::register(32, new.stage());
        let waits = T::constant(word as u64, 2).lt(before);
        let filled = waits.mux(waiting, new);
        T::set_next(held, complete.mux(new, filled));
        filled
    });
    let crc = crc(&beat, complete, place.last, reset);
    // The words of a tail are those of 0 words and the number in the upper half.
    let number = place.beats.extend(14).concat(T::constant(0, 2));
    let first = number.concat(T::constant(tail(0).into(), 16));
    let [word0, word1, rest @ ..] = beat;
    let mut beat = vec![place.last.mux(first, word0), place.last.mux(crc, word1)];
    beat.extend(rest);
    beat.push(place.last);
    BeatsOutputs {
        beat,
        beat_valid: vec![complete],
    }
}
