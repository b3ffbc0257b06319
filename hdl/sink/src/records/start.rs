// SPDX-License-Identifier: MIT OR Apache-2.0
//! The words of a head that describe a source, and how they are in a row that has no records.
//!
//! In a row they take the places of the words of records, and are sampled when the source is
//! enabled: the row may wait until another source is set. Lane 0 has the flags and the first
//! register as its address, its pair three registers, and lane 2 the last two.

use super::layouts::{GroupLane, GroupPair};
use coretrace_abi::record_stream::head;
use coretrace_etm::Registers;
use coretrace_hdl_dataflow::{Word, named};
use coretrace_hdl_etm::SourceSettings;

/// The flags of a head that belong to the source, and the registers.
pub(super) type StartWords<T> = [T; 1 + Registers::NAMES.len()];

/// The words of a source.
#[named]
pub(super) fn start_words<T: Word>(
    source: &SourceSettings<T>,
    full_addresses: T,
    filtered: T,
) -> StartWords<T> {
    let fields = [
        (0, T::constant(0, 8)),
        (head::TRACE_ID, source.trace_id),
        (head::LENIENT, source.lenient),
        (head::ETE, source.ete),
        (head::V8M, source.v8m),
        (head::EXPLICIT, full_addresses),
        (head::FILTERED, filtered),
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

/// Puts a source into an empty row, if there is one.
#[named]
pub(super) fn put_start<T: Word>(
    start: T,
    words: StartWords<T>,
    lanes: &mut [GroupLane<T>],
    pair: &mut GroupPair<T>,
) {
    let two = |low: usize, other: T| start.mux(words[low + 1].concat(words[low]), other).reg();
    let one = |word: usize, other: T| start.mux(words[word], other).reg();
    lanes[0].address = two(0, lanes[0].address);
    lanes[2].address = two(5, lanes[2].address);
    *pair = GroupPair {
        word0: one(2, pair.word0),
        word1: one(3, pair.word1),
        word2: one(4, pair.word2),
    };
}

/// The words of a row that has a source.
#[named]
pub(super) fn taken_start<T: Word>(lanes: &[GroupLane<T>], pair: &GroupPair<T>) -> StartWords<T> {
    let half = |lane: usize, low: u32| lanes[lane].address.slice(low, 32);
    [
        half(0, 0),
        half(0, 32),
        pair.word0,
        pair.word1,
        pair.word2,
        half(2, 0),
        half(2, 32),
    ]
}
