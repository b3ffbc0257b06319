// SPDX-License-Identifier: MIT OR Apache-2.0
//! `OutcomeHistory`: the newest outcomes of one kind, 32 * 2^B of them, at two places.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `valid`, `taken`, `outcome_place[15:0]` | in | an outcome and its place |
//! | `candidate_place[15:0]` | in | an earlier place |
//! | `word[15:0]`, `behind[15:0]` | out | three cycles later: what is there, as from [`OutcomeRing`](super::OutcomeRing) |
//! | `further_request` to `further_word[15:0]` | in, out | a word further on, as in [`OutcomeRing`](super::OutcomeRing) |
//!
//! An outcome is in memory when its word is complete.
//!
//! Latency 3 cycles. Throughput one outcome and one candidate per cycle, and a further word in nearly every one.

use super::history_places::PLACE_BITS;
use super::outcome_ring::OutcomeRing;
use super::outcome_words::{NUMBER_W, OutcomeWords, WORD};
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
pub struct OutcomeHistory<const B: usize> {
    pub clock: Signal<In, Clock>,
    pub valid: Signal<In, Bit>,
    pub taken: Signal<In, Bit>,
    pub outcome_place: Signal<In, Bits<PLACE_BITS>>,
    pub candidate_place: Signal<In, Bits<PLACE_BITS>>,
    pub word: Signal<Out, Bits<WORD>>,
    pub behind: Signal<Out, Bits<WORD>>,
    pub further_request: Signal<In, Bit>,
    pub further_number: Signal<In, Bits<NUMBER_W>>,
    pub further_valid: Signal<Out, Bit>,
    pub further_word: Signal<Out, Bits<WORD>>,
    words: OutcomeWords<1, 1>,
    ring: OutcomeRing<B>,
}

impl<const B: usize> Logic for OutcomeHistory<B> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, words, ring);
        self.words.valid.next = self.valid.val();
        self.words.taken.next = self.taken.val();
        self.words.place.next = self.outcome_place.val();
        self.ring.write.next = self.words.write.val();
        self.ring.write_number.next = self.words.write_number.val();
        self.ring.write_word.next = self.words.write_word.val();
        self.ring.place.next = self.candidate_place.val();
        self.ring.further_request.next = self.further_request.val();
        self.ring.further_number.next = self.further_number.val();
        self.word.next = self.ring.word.val();
        self.behind.next = self.ring.behind.val();
        self.further_valid.next = self.ring.further_valid.val();
        self.further_word.next = self.ring.further_word.val();
    }
}
