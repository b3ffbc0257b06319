// SPDX-License-Identifier: MIT OR Apache-2.0
//! `TargetHistory`: the newest 2^T targets in block RAM, read at two places.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `write_target`, `write_place[15:0]`, `write_word[61:0]` | in | a target and its place |
//! | `candidate_place[15:0]`, `further_place[15:0]` | in | the places to read |
//! | `target[61:0]`, `further_target[61:0]` | out | the targets at these places in the cycle before, as they were before that cycle's write |
//!
//! The further place has the port that writes: in the cycle of a write `write_place` is read in its stead.
//!
//! Latency 1 cycle. Throughput one target written or one further target read, and one at a candidate, per cycle.

use super::branch_bits::ADDRESS_W;
use super::history_places::PLACE_BITS;
use coretrace_hdl_parts::stream::SharedMemory;
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
pub struct TargetHistory<const T: usize> {
    pub clock: Signal<In, Clock>,
    pub write_target: Signal<In, Bit>,
    pub write_place: Signal<In, Bits<PLACE_BITS>>,
    pub write_word: Signal<In, Bits<ADDRESS_W>>,
    pub candidate_place: Signal<In, Bits<PLACE_BITS>>,
    pub further_place: Signal<In, Bits<PLACE_BITS>>,
    pub target: Signal<Out, Bits<ADDRESS_W>>,
    pub further_target: Signal<Out, Bits<ADDRESS_W>>,
    targets: SharedMemory<T, ADDRESS_W>,
}

impl<const T: usize> Logic for TargetHistory<T> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, targets);
        self.targets.address_0.next = self.further_place.val().get_bits::<T>(0);
        if self.write_target.val() {
            self.targets.address_0.next = self.write_place.val().get_bits::<T>(0);
        }
        self.targets.enable_0.next = true;
        self.targets.write.next = self.write_target.val();
        self.targets.write_word.next = self.write_word.val();
        self.targets.address_1.next = self.candidate_place.val().get_bits::<T>(0);
        self.targets.enable_1.next = true;
        self.target.next = self.targets.word_1.val();
        self.further_target.next = self.targets.word_0.val();
    }
}
