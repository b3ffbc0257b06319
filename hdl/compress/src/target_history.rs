// SPDX-License-Identifier: MIT OR Apache-2.0
//! `TargetHistory`: the newest 2^T targets in block RAM, read at two places.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `write_target`, `write_place[15:0]`, `write_word[61:0]` | in | a target and its place |
//! | `candidate_place[15:0]`, `further_place[15:0]` | in | the places to read |
//! | `target[61:0]`, `further_target[61:0]` | out | the targets at these places in the cycle before, as they were before that cycle's write |
//!
//! Latency 1 cycle. Throughput one target written and two read per cycle.

use super::branch_bits::ADDRESS_W;
use super::history_places::PLACE_BITS;
use super::row_memory::RowMemory;
use coretrace_hdl_dataflow::Bus;
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
pub struct TargetHistory<const T: usize> {
    pub clock: Signal<In, Clock>,
    pub write_target: Signal<In, Bit>,
    pub write_place: Signal<In, Bits<PLACE_BITS>>,
    pub write_word: Signal<In, Bus<ADDRESS_W>>,
    pub candidate_place: Signal<In, Bits<PLACE_BITS>>,
    pub further_place: Signal<In, Bits<PLACE_BITS>>,
    pub target: Signal<Out, Bus<ADDRESS_W>>,
    pub further_target: Signal<Out, Bus<ADDRESS_W>>,
    targets: RowMemory<T, ADDRESS_W, 0>,
    further_targets: RowMemory<T, ADDRESS_W, 0>,
}

impl<const T: usize> Logic for TargetHistory<T> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, targets, further_targets);
        self.targets.read_address.next = self.candidate_place.val().get_bits::<T>(0);
        self.targets.write_address.next = self.write_place.val().get_bits::<T>(0);
        self.targets.write_data.next = self.write_word.val();
        self.targets.write_enable.next = self.write_target.val();
        self.targets.clear.next = false;
        self.targets.clear_row.next = 0.into();
        self.further_targets.read_address.next = self.further_place.val().get_bits::<T>(0);
        self.further_targets.write_address.next = self.write_place.val().get_bits::<T>(0);
        self.further_targets.write_data.next = self.write_word.val();
        self.further_targets.write_enable.next = self.write_target.val();
        self.further_targets.clear.next = false;
        self.further_targets.clear_row.next = 0.into();
        self.target.next = self.targets.read_data.val();
        self.further_target.next = self.further_targets.read_data.val();
    }
}
