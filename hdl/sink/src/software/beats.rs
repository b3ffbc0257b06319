// SPDX-License-Identifier: MIT OR Apache-2.0
//! `SoftwareBeats`: entries in, the beats of a software stream out.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high |
//! | `entry` | in | [`Entry`]: the one in hand |
//! | `select` | in | [`UnitSelect`]: which beat comes now |
//! | `trace_id[6:0]`, `lenient`, `is_itm`, `itm_tcr[31:0]` | in | what a head says of the source; steady |
//! | `lost_words[31:0]` | in | words of the trace port that were lost so far |
//! | `beat[127:0]`, `beat[128]` | out | four words, the first lowest; it is the last beat of a packet |
//! | `beat_valid` | out | for one cycle |
//!
//! The recurrences are the number of packets, the number of beats, and the CRC. `N` and `P` are 1. Latency 4 cycles.
//! Throughput one beat per cycle.

use super::entry::{ENTRY_W, Entry};
use super::send_step::{SELECT_W, UnitSelect};
use crate::records::{BEAT_W, WORDS, crc};
use coretrace_abi::record_stream::{MAX_PACKET_WORDS, tail};
use coretrace_abi::software_stream as stream;
use coretrace_abi::software_stream::{BeatField, MAGIC, ending, head};
use coretrace_hdl_dataflow::{Bus, Word, all, clocked_block, named};
use rust_hdl::prelude::*;

clocked_block! {
    /// See the module text.
    pub struct SoftwareBeats;
    inputs BeatsInputs {
        reset: Bit,
        entry: Bus<ENTRY_W>,
        select: Bus<SELECT_W>,
        trace_id: Bits<7>,
        lenient: Bit,
        is_itm: Bit,
        itm_tcr: Bits<32>,
        lost_words: Bits<32>,
    }
    lane_inputs {}
    outputs BeatsOutputs { beat: Bus<BEAT_W>, beat_valid: Bit, }
    lane_outputs {}
    pair_outputs {}
    kernel software_beats;
}

/// Bits of the number of beats in a packet.
const PACKET_W: u32 = (MAX_PACKET_WORDS / WORDS).ilog2() + 1;

/// The words of the selected record: first beat, second beat.
#[named]
fn record_words<T: Word>(
    entry: &Entry<T>,
    select: &UnitSelect<T>,
    lost_words: T,
) -> [[T; WORDS]; 2] {
    let Entry {
        loss_length,
        first_length,
        second_length,
        ..
    } = *entry;
    let either = |first: T, second: T| select.second.mux(second, first);
    let lost = T::constant(ending::LOST, 3);
    let length = either(first_length, second_length);
    let data = entry.data.mask(select.is_behind.not());
    let values = [
        (
            stream::ENDING,
            select
                .loss
                .mux(lost, either(entry.first_ending, entry.second_ending)),
        ),
        (
            stream::SUSPECT,
            either(entry.first_suspect, entry.second_suspect),
        ),
        (
            stream::HEADER,
            either(entry.first_header, entry.second_header),
        ),
        (stream::SIZE, entry.size.mask(select.is_behind.not())),
        (stream::CODING, entry.coding),
        (stream::MASTER_KNOWN, entry.master_known),
        (stream::MASTER, entry.master),
        (stream::LAST, either(entry.first_last, entry.second_last)),
        (stream::CHANNEL, entry.channel),
        (stream::LANE, entry.lane),
        (stream::DATA, select.loss.mux(lost_words.extend(64), data)),
        (stream::TIME, entry.time),
        (stream::LENGTH, select.loss.mux(loss_length, length)),
        (stream::ROW, entry.row),
    ];
    [0, 2].map(|first| {
        let [low, high] = [first, first + 1].map(|number| wide_word(&values, number));
        let half = |word: T, half: u32| word.slice(32 * half, 32);
        [half(low, 0), half(low, 1), half(high, 0), half(high, 1)]
    })
}

/// A 64-bit word of a record; its fields follow one another from bit 0 on.
fn wide_word<T: Word>(values: &[(BeatField, T)], number: u32) -> T {
    let fields = values.iter().filter(|(field, _)| field.low / 64 == number);
    let mut word: Option<T> = None;
    for (field, value) in fields {
        let width = word.map_or(0, T::width);
        assert_eq!(
            (field.low % 64, field.width),
            (width, value.width()),
            "{}",
            field.name
        );
        word = Some(word.map_or(*value, |below| value.concat(below)));
    }
    word.expect("a field").extend(64)
}

#[named]
fn software_beats<T: Word, const N: usize, const P: usize>(
    i: BeatsInputs<T::Port, N>,
) -> BeatsOutputs<T, N, P> {
    let steady = |port: &T::Port, width: u32| T::field(port, 0, width).steady();
    let reset = T::field(&i.reset, 0, 1);
    let go = reset.not();
    let select = UnitSelect::<T>::unpack(&i.select);
    let entry = Entry::<T>::unpack(&i.entry);
    let is_head = select.valid.and(select.head);
    let is_tail = select.valid.and(select.tail);

    let (number, next_number) = T::register(32, is_head.stage());
    let counted = is_head.mux(number.add_const(1), number);
    T::set_next(next_number, counted.mask(go));
    let (has_begun, next_begun) = T::register(1, is_head.stage());
    T::set_next(next_begun, has_begun.or(is_head).and(go));
    let (beats, next_beats) = T::register(PACKET_W, is_head.stage());
    let more = select.valid.mux(beats.add_const(1), beats);
    T::set_next(next_beats, more.mask(all(&[is_tail.not(), go])));

    let flags = [
        (head::TRACE_ID, steady(&i.trace_id, 7)),
        (head::LENIENT, steady(&i.lenient, 1)),
        (head::ITM, steady(&i.is_itm, 1)),
        (head::START, has_begun.not()),
    ];
    let flags = flags
        .into_iter()
        .fold(None, |word: Option<T>, (low, flag)| {
            let below = word.map_or(T::constant(0, low), |word| word.extend(low));
            Some(flag.concat(below))
        });
    let mut of_head = [T::constant(MAGIC.into(), 32); WORDS];
    of_head[head::FLAGS] = flags.expect("flags").extend(32);
    of_head[head::NUMBER] = number;
    of_head[head::ITM_TCR] = steady(&i.itm_tcr, 32);
    let [low, high] = record_words(&entry, &select, steady(&i.lost_words, 32));
    let words: [T; WORDS] = std::array::from_fn(|word| {
        let of_record = select.high.mux(high[word], low[word]);
        let filled = select.head.mux(of_head[word], of_record);
        filled.mask(select.tail.not()).reg()
    });
    let (valid, is_tail) = (select.valid.reg(), is_tail.reg());
    let crc = crc(&words, valid, is_tail, reset);
    // The words of a tail are those of 0 words and the number in the upper half.
    let count = beats.extend(14).concat(T::constant(0, 2));
    let first = count.concat(T::constant(tail(0).into(), 16)).reg();
    let [word0, word1, rest @ ..] = words;
    let mut beat = vec![is_tail.mux(first, word0), is_tail.mux(crc, word1)];
    beat.extend(rest);
    beat.push(is_tail);
    BeatsOutputs {
        beat,
        beat_valid: vec![valid],
    }
}
