// SPDX-License-Identifier: MIT OR Apache-2.0
//! The words of a START: as a row that has no records, or one by one by [`StartWord`].
//!
//! In a row they take the places of the words of records, and are sampled when the source is enabled: the row may
//! wait until another source is set. Lane 0 has the tag, and the first two words as its address, its
//! pair three more, and lane 2 the last two.

use super::layouts::{GroupLane, GroupPair};
use coretrace_abi::record_stream::{START_WORDS, VERSION, start, tag};
use coretrace_hdl_dataflow::{Bus, Word, kernel_block, named, priority_mux};
use coretrace_hdl_etm::{SOURCE_SETTINGS_W, SourceSettings};
use rust_hdl::prelude::*;

/// The words of a START, behind its tag word.
pub(super) type StartWords<T> = [T; START_WORDS];

/// The words of a START of a source.
#[named]
pub(super) fn start_words<T: Word>(
    source: &SourceSettings<T>,
    full_addresses: T,
    filtered: T,
) -> StartWords<T> {
    let fields = [
        (0, T::constant(VERSION.into(), 8)),
        (start::TRACE_ID, source.trace_id),
        (start::LENIENT, source.lenient),
        (start::ETE, source.ete),
        (start::V8M, source.v8m),
        (start::EXPLICIT, full_addresses),
        (start::FILTERED, filtered),
    ];
    let word = fields.into_iter().reduce(|(_, word), (low, field)| {
        let word = word.extend(low);
        (low, field.concat(word))
    });
    let (_, word) = word.expect("fields");
    [
        word.extend(32),
        source.trcconfigr,
        source.trcidr0,
        source.trcidr1,
        source.trcidr2,
        source.trcidr8,
        source.trcdevarch,
    ]
}

/// Puts a START into an empty row, if there is one.
#[named]
pub(super) fn put_start<T: Word>(
    start: T,
    words: StartWords<T>,
    lanes: &mut [GroupLane<T>],
    pair: &mut GroupPair<T>,
) {
    let add = |word: T, more: u64| word.or(T::constant(more, word.width()).mask(start));
    let two = |low: usize, other: T| start.mux(words[low + 1].concat(words[low]), other).reg();
    let one = |word: usize, other: T| start.mux(words[word], other).reg();
    lanes[0] = GroupLane {
        tag: add(lanes[0].tag, tag::START.into()),
        address_words: add(lanes[0].address_words, 2),
        words: add(lanes[0].words, 5),
        address: two(0, lanes[0].address),
        ..lanes[0]
    };
    lanes[2] = GroupLane {
        address_words: add(lanes[2].address_words, 2),
        words: add(lanes[2].words, 2),
        address: two(5, lanes[2].address),
        ..lanes[2]
    };
    *pair = GroupPair {
        word0: one(2, pair.word0),
        word1: one(3, pair.word1),
        word2: one(4, pair.word2),
    };
}

kernel_block! {
    /// A word of a START that drops nothing and has short addresses, 0 to 6. Combinational.
    pub struct StartWord;
    inputs StartInputs { source: Bus<SOURCE_SETTINGS_W>, index: Bits<3>, }
    lane_inputs {}
    outputs StartOutputs { word: Bits<32>, ete: Bit, }
    lane_outputs {}
    kernel start_word;
}

#[named]
fn start_word<T: Word, const N: usize>(i: StartInputs<T::Port, N>) -> StartOutputs<T, N> {
    let source = SourceSettings::<T>::unpack(&i.source);
    let index = T::field(&i.index, 0, 3);
    let no = T::constant(0, 1);
    let [words @ .., last] = start_words(&source, no, no);
    let cases: Vec<(T, T)> = (0..).map(|at| index.is(at)).zip(words).collect();
    StartOutputs {
        word: vec![priority_mux(&cases, last)],
        ete: vec![source.ete],
    }
}
