// SPDX-License-Identifier: MIT OR Apache-2.0
//! `RecordBeats`: units of up to four words in, beats of four words out.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high |
//! | `row` | in | the row in hand, as from `RecordRows` |
//! | `select` | in | [`UnitSelect`]: which unit of it comes now |
//! | `trace_id[6:0]`, `lenient`, `ete`, `v8m`, `full_addresses`, `filtered`, `trcconfigr`, `trcidr0`, `trcidr1`, `trcidr2`, `trcidr8`, `trcdevarch` | in | the words of a START; steady while the source is enabled |
//! | `lost_words` | in | words of the trace port that were lost so far |
//! | `beat[127:0]`, `beat[128]` | out | four words, the first lowest; it is the last beat of a packet |
//! | `beat_valid` | out | for one cycle |
//!
//! A packet of the stream ends after 256 beats, that is 4 KiB, or after 64 cycles without a unit:
//! then the last beat is filled with words of 0. Packets say nothing about records.
//!
//! The recurrence is the number of words that wait, 0 to 3. Latency 7 cycles. Throughput one unit
//! per cycle.

use super::rows::{LANES, ROW_W, RowLane, RowPair, RowPlan};
use super::units::{SELECT_W, UnitSelect};
use crate::dataflow::{Bus, Table, Word, all, any, clocked_block, join, kernel_block, pick};
use etm4_protocol::record_stream::{VERSION, start, tag};
use rust_hdl::prelude::*;
use std::sync::LazyLock;

clocked_block! {
    /// Words to beats; see the module text.
    pub struct RecordBeats;
    inputs BeatsInputs {
        reset: Bit,
        row: Bus<ROW_W>,
        select: Bus<SELECT_W>,
        trace_id: Bits<7>,
        lenient: Bit,
        ete: Bit,
        v8m: Bit,
        full_addresses: Bit,
        filtered: Bit,
        trcconfigr: Bits<32>,
        trcidr0: Bits<32>,
        trcidr1: Bits<32>,
        trcidr2: Bits<32>,
        trcidr8: Bits<32>,
        trcdevarch: Bits<32>,
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

/// Words of a beat.
const WORDS: usize = 4;
/// Bits of a beat, without and with what says that it is the last of a packet.
pub const DATA_W: usize = 32 * WORDS;
pub const BEAT_W: usize = DATA_W + 1;
/// Bits of the number of beats in a packet.
const PACKET_W: u32 = 8;
/// Bits of the number of cycles before a beat is filled up.
const IDLE_W: u32 = 6;

/// Words of a unit that begins with a tag word, or goes on, by the words of its record.
static FIRST_WORDS: LazyLock<Table> =
    LazyLock::new(|| Table::new(3, |n| 1 + (n as u64 % 8).min(3)));
static MORE_WORDS: LazyLock<Table> =
    LazyLock::new(|| Table::new(3, |n| (n as u64 % 8).saturating_sub(3)));

/// A unit: its words, how many they are, and whether there is one.
struct Unit<T> {
    words: [T; WORDS],
    count: T,
    valid: T,
}

fn beat_fields<T: Word, const N: usize>(i: BeatInputs<T::Port, N>) -> BeatOutputs<T, N> {
    BeatOutputs {
        words: (0..WORDS as u32)
            .map(|word| T::field(&i.beat, 32 * word, 32))
            .collect(),
        last: vec![T::field(&i.beat, BEAT_W as u32 - 1, 1)],
    }
}

fn choose4<T: Word>(low: T, high: T, from: [T; 4]) -> T {
    high.mux(low.mux(from[3], from[2]), low.mux(from[1], from[0]))
}

/// The first word of a START.
fn source_word<T: Word, const N: usize>(i: &BeatsInputs<T::Port, N>) -> T {
    let fields = [
        (0, T::constant(VERSION.into(), 8)),
        (start::TRACE_ID, T::field(&i.trace_id, 0, 7)),
        (start::LENIENT, T::field(&i.lenient, 0, 1)),
        (start::ETE, T::field(&i.ete, 0, 1)),
        (start::V8M, T::field(&i.v8m, 0, 1)),
        (start::EXPLICIT, T::field(&i.full_addresses, 0, 1)),
        (start::FILTERED, T::field(&i.filtered, 0, 1)),
    ];
    let word = fields.into_iter().reduce(|(_, word), (low, field)| {
        let word = word.extend(low);
        (low, field.above(word))
    });
    let (_, word) = word.expect("fields");
    word.extend(32).steady()
}

fn unit<T: Word, const N: usize>(i: &BeatsInputs<T::Port, N>) -> Unit<T> {
    let select = UnitSelect::<T>::unpack(&i.select);
    let lane_at = |lane: usize| RowPlan::WIDTH + lane * RowLane::WIDTH;
    let pair_at = |pair: usize| lane_at(LANES) + pair * RowPair::WIDTH;
    let lanes: [RowLane<T>; LANES] =
        std::array::from_fn(|lane| RowLane::unpack_at(&i.row, lane_at(lane)));
    let [low, high] = [0, 1].map(|pair| RowPair::<T>::unpack_at(&i.row, pair_at(pair)));
    let tags = lanes.iter().zip(0..);
    let tags = tags.map(|(lane, number)| lane.tag.gated(select.tags.bit(number)));
    let tags = join(tags).reg();

    // The lane whose words are sent, and its pair.
    let is_odd = select.lane.bit(1).or(select.lane.bit(3));
    let is_upper = select.lane.bit(2).or(select.lane.bit(3));
    let [lane0, lane1, lane2, lane3] = lanes;
    let upper = RowLane::mux(is_odd, lane3, lane2);
    let lane = RowLane::mux(is_upper, upper, RowLane::mux(is_odd, lane1, lane0)).map(T::reg);
    let pair = RowPair::mux(is_upper, high, low).map(T::reg);
    let select = select.map(T::reg);
    let has_lane = select.lane.any();

    let own = lane.is_small.mux(lane.small.extend(32), pair.word2);
    let body = |place: u64, word: T| lane.own_at.is(place).mux(own, word).reg();
    let (w0, w1, w2) = (
        body(0, pair.word0),
        body(1, pair.word1),
        body(2, pair.word2),
    );
    let address = lane.address.reg();
    let (low, high) = (address.slice(0, 32), address.slice(32, 32));
    let words = lane.address_words.extend(3).add(lane.body_words.extend(3));
    let words = words.gated(has_lane).reg();
    let (one, two) = (
        lane.address_words.bit(0).reg(),
        lane.address_words.bit(1).reg(),
    );
    let by_address =
        |none: T, one_word: T, two_words: T| two.mux(two_words, one.mux(one_word, none));

    let source = source_word(i);
    let zero = T::constant(0, 32);
    let tag_word = |tag: u8| T::constant(tag.into(), 32);
    let steady = |port: &T::Port| T::field(port, 0, 32).steady();
    let firsts = [
        tags.reg(),
        by_address(w0, low, low),
        by_address(w1, w0, high),
        by_address(w2, w1, w0),
    ];
    let more = [by_address(zero, w2, w1), w2, zero, zero];
    let starts = [
        tag_word(tag::START),
        source,
        steady(&i.trcconfigr),
        steady(&i.trcidr0),
    ];
    let registers = [
        steady(&i.trcidr1),
        steady(&i.trcidr2),
        steady(&i.trcidr8),
        steady(&i.trcdevarch),
    ];
    let lost = [tag_word(tag::LOST), steady(&i.lost_words), zero, zero];
    let select = select.map(T::reg);
    let words_of = |index: usize| {
        let start = select.first.mux(starts[index], registers[index]);
        let lanes = select.first.mux(firsts[index], more[index]);
        let chosen = pick(&[(select.start, start), (select.lost, lost[index])], lanes);
        chosen.gated(select.valid).reg()
    };
    let length = |table| words.extend(8).look_up(table);
    let count = pick(
        &[
            (select.start, T::constant(4, 3)),
            (select.lost, T::constant(2, 3)),
        ],
        select.first.mux(length(&FIRST_WORDS), length(&MORE_WORDS)),
    );
    Unit {
        words: std::array::from_fn(words_of),
        count: count.gated(select.valid).reg(),
        valid: select.valid.reg(),
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

fn place<T: Word>(unit: &Unit<T>, reset: T) -> Place<T> {
    let now = unit.valid.time();
    let go = reset.at(now).not();
    let (before, before_held) = T::hold(2, now);
    let (idle, idle_held) = T::hold(IDLE_W, now);
    let (beats, beats_held) = T::hold(PACKET_W, now);
    let (open, open_held) = T::hold(1, now);
    let fills = idle.is((1 << IDLE_W) - 1).and(unit.valid.not());
    let sum = before.extend(3).add(unit.count);
    let keeps = fills.not().and(go);
    T::drive(before_held, sum.slice(0, 2).gated(keeps));
    let waits = all(&[open, unit.valid.not(), keeps]);
    T::drive(idle_held, idle.add_const(1).gated(waits));
    // A packet is open from its first word on until it ends with a beat that says so.
    let complete = sum.bit(2).or(fills);
    let last = fills.or(complete.and(beats.is((1 << PACKET_W) - 1)));
    let counted = complete.mux(beats.add_const(1), beats);
    T::drive(beats_held, counted.gated(last.not().and(go)));
    let stays = any(&[unit.valid, open.and(last.not())]);
    T::drive(open_held, stays.and(go));
    Place {
        before: before.reg(),
        complete: complete.reg(),
        last: last.reg(),
    }
}

fn record_beats<T: Word, const N: usize, const P: usize>(
    i: BeatsInputs<T::Port, N>,
) -> BeatsOutputs<T, N, P> {
    let reset = T::field(&i.reset, 0, 1);
    let unit = unit(&i);
    let place = place(&unit, reset);
    let (one, two) = (place.before.bit(0), place.before.bit(1));
    let words = unit.words.map(T::reg);
    let rotated: [T; WORDS] = std::array::from_fn(|word| {
        let from = std::array::from_fn(|by| words[(word + WORDS - by) % WORDS]);
        choose4(one, two, from).reg()
    });
    let (before, complete) = (place.before.reg(), place.complete.reg());
    let mut beat = Vec::new();
    for (word, &new) in rotated.iter().enumerate() {
        if word + 1 == WORDS {
            beat.push(new);
            continue;
        }
        let (waiting, held) = T::hold(32, new.time());
        let waits = T::constant(word as u64, 2).lt(before);
        let filled = waits.mux(waiting, new);
        T::drive(held, complete.mux(new, filled));
        beat.push(filled);
    }
    beat.push(place.last.reg());
    BeatsOutputs {
        beat,
        beat_valid: vec![complete],
    }
}
