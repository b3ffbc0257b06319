// SPDX-License-Identifier: MIT OR Apache-2.0
//! `OutcomeRing`: the newest outcomes in block RAM, 32 * 2^B of them, read at two places.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `write`, `write_number[11:0]`, `write_word[15:0]` | in | a word, as from [`OutcomeWords`](super::OutcomeWords) |
//! | `place[15:0]` | in | an outcome |
//! | `word[15:0]`, `behind[15:0]` | out | three cycles later: the outcomes from there on that are in its word, the first one in bit 0, and the next word |
//! | `further_request`, `further_number[11:0]` | in | a word to read |
//! | `further_valid`, `further_word[15:0]` | out | a cycle later: it is read, which it is not if its memory is written, and the word |
//!
//! Words of even and of odd numbers are in two memories of two ports: a place and the next word take one of each,
//! a word that is written or the further one the other.
//!
//! Latency 3 cycles. Throughput one place, and one word that is written or read, per cycle.

use super::hash::before;
use super::history_places::PLACE_BITS;
use super::outcome_words::{NUMBER_W, WORD, WORD_PLACE_W};
use coretrace_hdl_dataflow::{Word, clocked_block, mux4, named};
use coretrace_hdl_parts::stream::SharedMemory;
use rust_hdl::prelude::*;

/// Bits of the place of an outcome in a pair of words.
pub const PAIR_PLACE_W: usize = WORD_PLACE_W + 1;

#[derive(LogicBlock, Default)]
pub struct OutcomeRing<const B: usize> {
    pub clock: Signal<In, Clock>,
    pub write: Signal<In, Bit>,
    pub write_number: Signal<In, Bits<NUMBER_W>>,
    pub write_word: Signal<In, Bits<WORD>>,
    pub place: Signal<In, Bits<PLACE_BITS>>,
    pub word: Signal<Out, Bits<WORD>>,
    pub behind: Signal<Out, Bits<WORD>>,
    pub further_request: Signal<In, Bit>,
    pub further_number: Signal<In, Bits<NUMBER_W>>,
    pub further_valid: Signal<Out, Bit>,
    pub further_word: Signal<Out, Bits<WORD>>,
    even: SharedMemory<B, WORD>,
    odd: SharedMemory<B, WORD>,
    cut: WordCut<1, 1>,
    /// What was read a cycle ago.
    is_read: DFF<Bit>,
    is_odd: DFF<Bit>,
    writes_even: Signal<Local, Bit>,
    writes_odd: Signal<Local, Bit>,
}

impl<const B: usize> Logic for OutcomeRing<B> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, even, odd, cut);
        dff_setup!(self, clock, is_read, is_odd);
        // What follows an odd word is in the next pair.
        self.even.address_1.next = self.place.val().get_bits::<B>(5);
        if self.place.val().get_bit(4) {
            self.even.address_1.next = self.place.val().get_bits::<B>(5) + 1;
        }
        self.even.enable_1.next = true;
        self.odd.address_1.next = self.place.val().get_bits::<B>(5);
        self.odd.enable_1.next = true;
        self.cut.place.next = self.place.val().get_bits::<PAIR_PLACE_W>(0);
        self.cut.even.next = self.even.word_1.val();
        self.cut.odd.next = self.odd.word_1.val();
        self.word.next = self.cut.word.val();
        self.behind.next = self.cut.behind.val();

        self.writes_even.next = self.write.val() & !self.write_number.val().get_bit(0);
        self.writes_odd.next = self.write.val() & self.write_number.val().get_bit(0);
        self.even.address_0.next = self.further_number.val().get_bits::<B>(1);
        if self.writes_even.val() {
            self.even.address_0.next = self.write_number.val().get_bits::<B>(1);
        }
        self.even.enable_0.next = true;
        self.even.write.next = self.writes_even.val();
        self.even.write_word.next = self.write_word.val();
        self.odd.address_0.next = self.further_number.val().get_bits::<B>(1);
        if self.writes_odd.val() {
            self.odd.address_0.next = self.write_number.val().get_bits::<B>(1);
        }
        self.odd.enable_0.next = true;
        self.odd.write.next = self.writes_odd.val();
        self.odd.write_word.next = self.write_word.val();

        self.is_odd.d.next = self.further_number.val().get_bit(0);
        self.is_read.d.next = self.further_request.val() & !self.writes_even.val();
        if self.further_number.val().get_bit(0) {
            self.is_read.d.next = self.further_request.val() & !self.writes_odd.val();
        }
        self.further_valid.next = self.is_read.q.val();
        self.further_word.next = self.even.word_0.val();
        if self.is_odd.q.val() {
            self.further_word.next = self.odd.word_0.val();
        }
    }
}

clocked_block! {
    /// The word of a place, from there on, and the next one, of two words that are read a cycle after the place comes.
    pub struct WordCut;
    inputs CutInputs { place: Bits<PAIR_PLACE_W>, even: Bits<WORD>, odd: Bits<WORD>, }
    lane_inputs {}
    outputs CutOutputs { word: Bits<WORD>, behind: Bits<WORD>, }
    lane_outputs {}
    pair_outputs {}
    kernel word_cut;
}

#[named]
fn word_cut<T: Word, const N: usize, const P: usize>(
    i: CutInputs<T::Port, N>,
) -> CutOutputs<T, N, P> {
    let width = WORD as u32;
    let place = before(T::field(&i.place, 0, PAIR_PLACE_W as u32));
    let (even, odd) = (T::field(&i.even, 0, width), T::field(&i.odd, 0, width));
    let is_odd = place.bit(WORD_PLACE_W as u32);
    let word = is_odd.mux(odd, even).reg();
    let from = |word: T, bit: u32| {
        let from = |number: u32| {
            word.slice(number << bit, width - (number << bit))
                .extend(width)
        };
        mux4(place.slice(bit, 2), [0, 1, 2, 3].map(from))
    };
    CutOutputs {
        word: vec![from(from(word, 2), 0)],
        behind: vec![is_odd.mux(even, odd)],
    }
}
