// SPDX-License-Identifier: MIT OR Apache-2.0
//! The CRC-32 of the beats of a packet.
//!
//! What a beat changes and what it keeps of the CRC before it are both exclusive ors of bits: a tree
//! that can be pipelined, and a loop of 32 bits.

use super::group_words::WORDS;
use coretrace_abi::record_stream::crc_step;
use coretrace_hdl_dataflow::{Word, kernel_block, named};
use rust_hdl::prelude::*;

/// The CRC of a packet after some more words.
fn after(crc: u32, words: &[u32]) -> u32 {
    !words.iter().copied().fold(!crc, crc_step)
}

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
    let constant = after(0, &[0]);
    let sum = sum((0..32).map(|at| (both.bit(at), after(1 << at, &[0]) ^ constant)));
    CrcOutputs {
        after: vec![sum.xor(T::constant(constant.into(), 32))],
    }
}

/// The exclusive or of the columns whose bit is set.
#[named]
fn sum<T: Word>(bits: impl Iterator<Item = (T, u32)>) -> T {
    let mut terms: Vec<T> = bits
        .map(|(bit, column)| T::constant(column.into(), 32).mask(bit))
        .collect();
    while terms.len() > 1 {
        terms = terms
            .chunks(2)
            .map(|pair| pair.iter().copied().reduce(T::xor).expect("a term"))
            .collect();
    }
    terms[0]
}

/// The CRCs of packets: `words` is a beat, if `valid`; `ends` says that it is a tail, to which the
/// CRC before it belongs. Returns that CRC, two cycles later.
#[named]
pub(crate) fn crc<T: Word>(words: &[T; WORDS], valid: T, ends: T, reset: T) -> T {
    let constant = after(0, &[0; WORDS]);
    let of_word = |number: usize| {
        sum((0..32).map(|at| {
            let mut one = [0; WORDS];
            one[number] = 1 << at;
            (words[number].bit(at), after(0, &one) ^ constant)
        }))
        .reg()
    };
    let change = of_word(0)
        .xor(of_word(1))
        .xor(of_word(2).xor(of_word(3)))
        .xor(T::constant(constant.into(), 32))
        .reg();
    let now = change.stage();
    let (valid, ends) = (valid.at_stage(now), ends.at_stage(now));
    let go = reset.at_stage(now).not().and(ends.not());
    let (crc, next) = T::register(32, now);
    let kept = sum((0..32).map(|at| (crc.bit(at), after(1 << at, &[0; WORDS]) ^ constant)));
    T::set_next(next, valid.mux(kept.xor(change), crc).mask(go));
    crc
}
