// SPDX-License-Identifier: MIT OR Apache-2.0
//! `ByteHead`: the words of a head after the results of a one-byte decoder.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high: the source was enabled |
//! | `settings` | in | `SourceSettings`; steady |
//! | `lost` | in | bytes were lost; a tag in the same cycle comes behind them |
//! | `takes`, `tag[7:0]` | in | a result has this tag |
//! | `lane`, `pair` | in | `LaneResult` and `PairResult` of the tag |
//! | `index[3:0]` | in | number of a word |
//! | `is_sent` | in | for one cycle: a packet ends, the next head is another one |
//! | `word[31:0]` | out | that word, three cycles later |
//! | `ete` | out | the source is an ETE |
//! | `mid_record` | out | the last tag was a continuation field: its record is to come |
//!
//! The same state as `head` has for rows; throughput one tag in 16 cycles, though nothing depends on
//! it.

use super::head::{CHANGES, Change, HAS_NO_ADDRESS, Held, State, words};
use super::start::start_words;
use coretrace_abi::record_stream::head;
use coretrace_hdl_dataflow::{Bus, Word, all, any, clocked_block, mux_tree, named};
use coretrace_hdl_etm::layouts::{LANE_RESULT_W, PAIR_RESULT_W};
use coretrace_hdl_etm::{LaneResult, PairResult, SOURCE_SETTINGS_W, SourceSettings};
use rust_hdl::prelude::*;

clocked_block! {
    /// The head of a packet; see the module text.
    pub struct ByteHead;
    inputs ByteHeadInputs {
        reset: Bit,
        settings: Bus<SOURCE_SETTINGS_W>,
        lost: Bit,
        takes: Bit,
        tag: Bits<8>,
        lane: Bus<LANE_RESULT_W>,
        pair: Bus<PAIR_RESULT_W>,
        index: Bits<4>,
        is_sent: Bit,
    }
    lane_inputs {}
    outputs ByteHeadOutputs { word: Bits<32>, mid_record: Bit, ete: Bit, }
    lane_outputs {}
    pair_outputs {}
    kernel byte_head;
}

#[named]
fn byte_head<T: Word, const N: usize, const P: usize>(
    i: ByteHeadInputs<T::Port, N>,
) -> ByteHeadOutputs<T, N, P> {
    let bit = |port: &T::Port| T::field(port, 0, 1).reg();
    let settings = SourceSettings::<T>::unpack(&i.settings).map(T::steady);
    let lane = LaneResult::<T>::unpack(&i.lane).map(T::reg);
    let pair = PairResult::<T>::unpack(&i.pair).map(T::reg);
    let (takes, lost, go) = (bit(&i.takes), bit(&i.lost), bit(&i.reset).not());
    let change = Change::split(T::field(&i.tag, 0, 8).reg().rom(&CHANGES));
    let change = change.map(|bit| bit.and(takes));
    let now = takes.stage();
    let no = T::constant(0, 1);
    let source = start_words(&settings, no, no);

    let number = pair.lead_low.slice(1, 5).extend(8);
    let zero = all(&[change.exception, settings.ete, number.rom(&HAS_NO_ADDRESS)]);
    let sets = change.address.or(zero);
    let low = lane.address.slice(1, 31).concat(lane.is1);
    let word = |width: u32, sets: T, value: T| {
        let cleared = T::constant(0, width);
        Held::new(width, now).change(&[(change.trace_info, cleared), (sets, value)], go)
    };
    let newest = |value: T| Held::new(32, now).change(&[(sets, value)], go);
    let announces = |bit: u32| change.context.and(pair.info.bit(bit));

    let short = lane.octet.slice(0, 7).extend(32);
    let own = lane
        .field_is_short
        .mux(short, pair.field)
        .mask(lane.field_ends);
    let field = Held::new(32, now).change(&[(change.field, own)], go);
    let plctl = pair.lead_low.slice(0, 5);
    let value = plctl.bit(4).mux(field, own).mask(plctl.bit(3));
    let threshold = Held::new(32, now).change(&[(change.trace_info, value)], go);
    let suspect = Held::new(1, now).change(
        &[
            (change.is_async, no),
            (change.error.or(lost), settings.lenient),
        ],
        go,
    );
    let mid_record = Held::new(1, now).change(&[(takes, change.field), (lost, no)], go);

    let is_sent = bit(&i.is_sent);
    let (started, next) = T::register(1, now);
    T::set_next(next, any(&[started, is_sent]).and(go));
    let (number, next) = T::register(32, now);
    T::set_next(next, is_sent.mux(number.add_const(1), number).mask(go));

    let words: [T; head::WORDS] = words(&State {
        source,
        is_start: started.not(),
        number,
        suspect,
        address: [newest(low), newest(lane.address.slice(32, 32))],
        timestamp: [0, 32].map(|low| word(32, change.timestamp, pair.timestamp.slice(low, 32))),
        info: word(8, change.context, pair.info),
        vmid: word(32, announces(6), pair.vmid),
        cid: word(32, announces(7), pair.cid),
        threshold,
    });
    let index = T::field(&i.index, 0, 4).reg();
    ByteHeadOutputs {
        word: vec![mux_tree(&words, index, 4).reg()],
        mid_record: vec![mid_record],
        ete: vec![settings.ete],
    }
}
