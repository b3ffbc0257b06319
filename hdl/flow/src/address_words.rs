// SPDX-License-Identifier: MIT OR Apache-2.0
//! `AddressWords`: addresses with what branch events need to know of them.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock` | in | |
//! | `is_a32` | in | the events are those of A32 code, not of A64 code; steady |
//! | `item`, `address[63:0]`, `isa[1:0]` | in | as [`FlowUnit`](super::FlowUnit) takes them |
//! | `has_unit`, `unit[3:0]` | in | of an address, [`UNIT_LATENCY`](super::UNIT_LATENCY) cycles later: see [`Rank`](super::Rank) |
//! | `calls[15:0]` | in | a cycle later: the row of its unit; bit `u` says that an SVC, HVC or SMC is in front of unit `u` |
//! | `valid`, `word` | out | the item has an address: an [`AddressWord`] |
//!
//! Latency 7 cycles. Throughput one item per cycle.

use super::item::{ITEM_W, Item, ItemKind};
use super::rank::UNIT_LATENCY;
use coretrace_abi::branch_table::ADDRESS_BITS;
use coretrace_abi::flow_table::{ISA_BITS, ROW_UNITS};
use coretrace_hdl_dataflow::{Bus, Word, all, any, clocked_block, layout, mux_tree, named};
use rust_hdl::prelude::*;

layout! {
    /// An address.
    pub struct AddressWord {
        /// Without the two bits that are 0 in A64 and A32.
        address: ADDRESS_BITS as usize,
        /// Its instruction set is that of the events.
        is_same_isa: 1,
        /// An SVC, HVC or SMC is in front of it.
        is_call: 1,
    }
}

/// Bits of such a word.
pub const ADDRESS_WORD_W: usize = AddressWord::WIDTH;
/// Bits of an address that are always 0.
const ALIGNMENT: u32 = 64 - ADDRESS_BITS;
/// Units of a row, and bits of one of them.
const CALLS_W: usize = ROW_UNITS as usize;
const UNIT_W: u32 = ROW_UNITS.ilog2();

clocked_block! {
    /// Addresses in order; see the module text.
    pub struct AddressWords;
    inputs WordsInputs {
        is_a32: Bit,
        item: Bus<ITEM_W>,
        address: Bus<64>,
        isa: Bits<{ ISA_BITS as usize }>,
        has_unit: Bit,
        unit: Bits<{ UNIT_W as usize }>,
        calls: Bits<CALLS_W>,
    }
    lane_inputs {}
    outputs WordsOutputs { valid: Bit, word: Bus<ADDRESS_WORD_W>, }
    lane_outputs {}
    pair_outputs {}
    kernel address_words;
}

#[named]
fn address_words<T: Word, const N: usize, const P: usize>(
    i: WordsInputs<T::Port, N>,
) -> WordsOutputs<T, N, P> {
    let kind = Item::<T>::unpack(&i.item).kind;
    let kinds = [
        ItemKind::Address,
        ItemKind::AddressAndAtoms,
        ItemKind::Source,
    ];
    let valid = any(&kinds.map(|of| kind.is(of as u64)));
    let isa = T::field(&i.isa, 0, ISA_BITS);
    let (is_a64, is_t32) = (isa.bit(0), isa.bit(1));
    let is_a32 = T::field(&i.is_a32, 0, 1).steady();
    let is_same_isa = all(&[is_t32.not(), is_a64.xor(is_a32)]);
    // An A32 or T32 address has 32 bits.
    let high = T::field(&i.address, 32, 32).mask(is_a64);
    let address = high.concat(T::field(&i.address, ALIGNMENT, 32 - ALIGNMENT));
    let later = |word: T| (0..UNIT_LATENCY).fold(word, |word, _| word.next_word());
    let has_unit = later(T::field(&i.has_unit, 0, 1));
    let unit = later(T::field(&i.unit, 0, UNIT_W));
    let calls = later(T::field(&i.calls, 0, CALLS_W as u32)).next_word();
    let bits: Vec<T> = (0..CALLS_W as u32).map(|unit| calls.bit(unit)).collect();
    let is_call = has_unit.and(mux_tree(&bits, unit, UNIT_W));
    let word = AddressWord {
        address,
        is_same_isa,
        is_call,
    };
    WordsOutputs {
        valid: vec![valid],
        word: word.pack(),
    }
}
