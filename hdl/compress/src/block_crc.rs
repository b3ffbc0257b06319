// SPDX-License-Identifier: MIT OR Apache-2.0
//! `BlockCrc`: the CRC-32 of a block, 64 bits per cycle.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `start` | in | a block begins |
//! | `word_valid`, `word[63:0]` | in | two words of the block in order, the first pair and all up to the last but one |
//! | `count_valid`, `count[31:0]` | in | the word in front of the CRC |
//! | `crc[31:0]` | out | the CRC |
//!
//! The words of a CRC are exclusive ors into it in front of each step. So the register has the high half of a word
//! in it already, and a step of 64 bits is two steps of the register and one of the low half that follows. In
//! front of the first word there is nothing, and the ones with which a CRC begins are in that word.
//!
//! What a word changes is a tree that can be pipelined; the loop is one of 32 bits.
//!
//! Latency 4 cycles. Throughput two words per cycle. `N` and `P` are 1.

use super::beat::BEAT_BITS;
use coretrace_abi::record_stream::crc_columns;
use coretrace_hdl_dataflow::{Bus, Word, clocked_block, named, xor_columns};
use rust_hdl::prelude::*;

/// What a word, and the CRC before a beat, make of the CRC.
const OF_WORD: [u32; 32] = crc_columns(1);
const OF_CRC: [u32; 32] = crc_columns(2);

clocked_block! {
    /// See the module text.
    pub struct BlockCrc;
    inputs CrcInputs {
        start: Bit,
        word_valid: Bit,
        word: Bus<BEAT_BITS>,
        count_valid: Bit,
        count: Bits<32>,
    }
    lane_inputs {}
    outputs CrcOutputs { crc: Bits<32>, }
    lane_outputs {}
    pair_outputs {}
    kernel block_crc;
}

#[named]
fn block_crc<T: Word, const N: usize, const P: usize>(
    i: CrcInputs<T::Port, N>,
) -> CrcOutputs<T, N, P> {
    let bit = |port: &T::Port| T::field(port, 0, 1);
    let start = bit(&i.start);
    let (word_valid, count_valid) = (bit(&i.word_valid), bit(&i.count_valid));
    let low = T::field(&i.word, 0, 32);
    let high = T::field(&i.word, 32, 32);

    let (is_later, is_later_next) = T::register(1, 0);
    T::set_next(is_later_next, is_later.or(word_valid).and(start.not()));
    let begins = word_valid.and(is_later.not());
    let steps = word_valid.or(count_valid).reg();
    let count = T::field(&i.count, 0, 32);
    let low = begins.mux(low.not(), low);
    let stepped = count_valid.mux(count, low).reg();
    let added = high.mask(word_valid).reg();
    let change = xor_columns(stepped, &OF_WORD).xor(added).reg();

    let (crc, crc_next) = T::register(32, change.stage());
    let kept = xor_columns(crc, &OF_CRC);
    let next = kept.mask(begins.reg().not()).xor(change);
    T::set_next(crc_next, steps.mux(next, crc));
    CrcOutputs {
        crc: vec![crc.not()],
    }
}
