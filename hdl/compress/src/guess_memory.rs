// SPDX-License-Identifier: MIT OR Apache-2.0
//! `GuessMemory`: 32 probabilities of a candidate for a target.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `read_place[4:0]` | in | the one to output in this cycle |
//! | `word[14:0]` | out | it, with the bit inverted that a probability starts with, so that it starts as 0 |
//! | `write`, `write_place[4:0]`, `write_word[14:0]` | in | a new one |
//! | `clear`, `clear_place[4:0]` | in | one begins again; nothing else is written |
//!
//! Latency 0 cycles. Throughput one probability read and one written per cycle.

use super::probability::PROBABILITY_W;
use coretrace_hdl_parts::stream::LutMemory;
use rust_hdl::prelude::*;

/// Bits of the place of a probability.
pub const GUESS_PLACE_W: usize = 5;
/// Bits of a probability.
pub(crate) const GUESS_W: usize = PROBABILITY_W as usize;

#[derive(LogicBlock, Default)]
pub struct GuessMemory {
    pub clock: Signal<In, Clock>,
    pub read_place: Signal<In, Bits<GUESS_PLACE_W>>,
    pub word: Signal<Out, Bits<GUESS_W>>,
    pub write: Signal<In, Bit>,
    pub write_place: Signal<In, Bits<GUESS_PLACE_W>>,
    pub write_word: Signal<In, Bits<GUESS_W>>,
    pub clear: Signal<In, Bit>,
    pub clear_place: Signal<In, Bits<GUESS_PLACE_W>>,
    probabilities: LutMemory<GUESS_PLACE_W, GUESS_W>,
}

impl Logic for GuessMemory {
    #[hdl_gen]
    fn update(&mut self) {
        self.probabilities.clock.next = self.clock.val();
        self.probabilities.read_address.next = self.read_place.val();
        self.word.next = self.probabilities.read_data.val();
        self.probabilities.write_enable.next = self.write.val() | self.clear.val();
        self.probabilities.write_address.next = self.write_place.val();
        self.probabilities.write_data.next = self.write_word.val();
        if self.clear.val() {
            self.probabilities.write_address.next = self.clear_place.val();
            self.probabilities.write_data.next = 0.into();
        }
    }
}
