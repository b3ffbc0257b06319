// SPDX-License-Identifier: MIT OR Apache-2.0
//! A row without records as that of a START.
//!
//! Its words stand where a row has them anyway, and are taken when the source is enabled: the row may
//! wait until another source is set. Lane 0 has the tag, and the first two words as its address, its
//! pair three more, and lane 2 the last two.

use super::groups::{GroupLane, RowPair};
use coretrace_abi::record_stream::tag;
use coretrace_hdl_dataflow::Word;

/// The words of a START, behind its tag word.
pub(super) type StartWords<T> = [T; 7];

/// Puts a START into an empty row, if there is one.
pub(super) fn put_start<T: Word>(
    start: T,
    words: StartWords<T>,
    lanes: &mut [GroupLane<T>],
    pair: &mut RowPair<T>,
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
    *pair = RowPair {
        word0: one(2, pair.word0),
        word1: one(3, pair.word1),
        word2: one(4, pair.word2),
    };
}
