// SPDX-License-Identifier: MIT OR Apache-2.0
//! The CRC-32 of the beats of a packet.
//!
//! What a beat changes and what it keeps of the CRC before it are both exclusive ors of bits: a tree
//! that can be pipelined, and a loop of 32 bits.

use super::group_words::WORDS;
use coretrace_abi::record_stream::{self, crc_columns};
use coretrace_hdl_dataflow::{Word, kernel_block, named, xor_columns};
use rust_hdl::prelude::*;

/// What the inversions at the beginning and the end of a CRC make of a word and of a beat.
const WORD_INVERSIONS: u32 = record_stream::crc(&[0]);
const BEAT_INVERSIONS: u32 = record_stream::crc(&[0; WORDS]);
/// What a word makes of the CRC of a beat that begins with it, and has so many words; of none, nothing.
const OF_WORDS: [[u32; 32]; WORDS + 1] = {
    let (mut columns, mut words) = ([[0; 32]; WORDS + 1], 1);
    while words < columns.len() {
        columns[words] = crc_columns(words);
        words += 1;
    }
    columns
};

kernel_block! {
    /// The CRC of a packet after one more word. Combinational.
    pub struct CrcStep;
    inputs CrcInputs { crc: Bits<32>, word: Bits<32>, }
    lane_inputs {}
    outputs CrcOutputs { after: Bits<32>, }
    lane_outputs {}
    kernel crc_of_word;
}

#[named]
fn crc_of_word<T: Word, const N: usize>(i: CrcInputs<T::Port, N>) -> CrcOutputs<T, N> {
    // The bits of the word act as those of the CRC do.
    let both = T::field(&i.crc, 0, 32).xor(T::field(&i.word, 0, 32));
    let sum = xor_columns(both, &OF_WORDS[1]);
    CrcOutputs {
        after: vec![sum.xor(T::constant(WORD_INVERSIONS.into(), 32))],
    }
}

/// The CRCs of packets: `words` is a beat, if `valid`; `ends` says that it is a tail, to which the
/// CRC before it belongs. Returns that CRC, two cycles later.
#[named]
pub(crate) fn crc<T: Word>(words: &[T; WORDS], valid: T, ends: T, reset: T) -> T {
    let of_word = |number: usize| xor_columns(words[number], &OF_WORDS[WORDS - number]).reg();
    let change = of_word(0)
        .xor(of_word(1))
        .xor(of_word(2).xor(of_word(3)))
        .xor(T::constant(BEAT_INVERSIONS.into(), 32))
        .reg();
    let now = change.stage();
    let (valid, ends) = (valid.at_stage(now), ends.at_stage(now));
    let go = reset.at_stage(now).not().and(ends.not());
    let (crc, next) = T::register(32, now);
    let kept = xor_columns(crc, &OF_WORDS[WORDS]);
    T::set_next(next, valid.mux(kept.xor(change), crc).mask(go));
    crc
}
