// SPDX-License-Identifier: MIT OR Apache-2.0
//! `BlockWord`: a word of a block on its way to a [`BlockSender`](super::BlockSender): one of the first, as in
//! `coretrace_abi::compressed::block`, one of its records, or what is in front of its CRC.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `number[1:0]` | in | which word of 64 bits: 1 to 3 of the header, or 0 for `records` |
//! | `records[63:0]` | in | of a [`Packer`](super::Packer) |
//! | `first_word[31:0]` | in | mark, version and encoder |
//! | `block_number[15:0]`, `trace_id[6:0]` | in | the number of the block, the source |
//! | `is_first`, `lost_before`, `is_a32` | in | flags |
//! | `address[61:0]` | in | the first instruction, divided by 4 |
//! | `lost[31:0]` | in | events that were lost |
//! | `ends`, `bits[19:0]`, `is_short` | in | the block ends: the word is what is in front of its CRC; hardware does not know of the end of a trace |
//! | `row[64:0]` | out | the word, and `ends` |
//!
//! Combinational; `N` is 1. The context is 0.

use super::beat::BEAT_BITS;
use super::block_control::FILL_W;
use super::branch_bits::ADDRESS_W;
use super::fifo_entry::LOST_W;
use coretrace_abi::compressed::block::{Header, SHORT_BIT};
use coretrace_hdl_dataflow::{Bus, Word, join, kernel_block, mux_tree, named};
use rust_hdl::prelude::*;

/// Bits of the numbers of an encoder and its preset in the first word.
pub const ENCODER_W: usize = 12;
/// Bits of a word with its flag.
pub const BLOCK_ROW_W: usize = BEAT_BITS + 1;

/// The first 32 bits of each block of an encoder, from its number and that of its preset.
pub(crate) fn first_word(encoder: (u8, u8)) -> u32 {
    let header = Header {
        encoder,
        ..Header::default()
    };
    let [first_word, ..] = header.words();
    first_word
}

kernel_block! {
    /// See the module text.
    pub struct BlockWord;
    inputs WordInputs {
        number: Bits<2>,
        records: Bus<BEAT_BITS>,
        first_word: Bits<32>,
        block_number: Bits<16>,
        trace_id: Bits<7>,
        is_first: Bit,
        lost_before: Bit,
        is_a32: Bit,
        address: Bus<ADDRESS_W>,
        lost: Bits<LOST_W>,
        ends: Bit,
        bits: Bits<FILL_W>,
        is_short: Bit,
    }
    lane_inputs {}
    outputs WordOutputs { row: Bus<BLOCK_ROW_W>, }
    lane_outputs {}
    kernel block_word;
}

#[named]
fn block_word<T: Word, const N: usize>(i: WordInputs<T::Port, N>) -> WordOutputs<T, N> {
    let bit = |port: &T::Port| T::field(port, 0, 1);
    let none = |width: u32| T::constant(0, width);
    let flags = [
        bit(&i.is_first),
        bit(&i.lost_before),
        none(2),
        bit(&i.is_a32),
        none(3),
    ];
    let source = [
        T::field(&i.trace_id, 0, 7),
        none(1),
        T::field(&i.block_number, 0, 16),
    ];
    let first = [T::field(&i.first_word, 0, 32), join(flags), join(source)];
    let address = [none(2), T::field(&i.address, 0, ADDRESS_W as u32)];
    let context = [none(32), T::field(&i.lost, 0, LOST_W as u32)];
    let records = T::field(&i.records, 0, BEAT_BITS as u32);
    let words = [records, join(first), join(address), join(context)];
    let word = mux_tree(&words, T::field(&i.number, 0, 2), 2);
    let ends = bit(&i.ends);
    let trailer = [
        T::field(&i.bits, 0, FILL_W as u32),
        none(SHORT_BIT - FILL_W as u32),
        bit(&i.is_short),
        none(31 - SHORT_BIT),
    ];
    let low = ends.mux(join(trailer), word.slice(0, 32));
    WordOutputs {
        row: vec![low, word.slice(32, 32), ends],
    }
}
