// SPDX-License-Identifier: MIT OR Apache-2.0
//! `TimeOut`: whether a block has been open for long.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `most_cycles[31:0]` | in | how long a block with an event may be open; 0 is for ever |
//! | `is_open` | in | the block has an event |
//! | `is_over` | out | for one cycle: it has been open for so long |
//!
//! Latency 1 cycle.

use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
pub struct TimeOut {
    pub clock: Signal<In, Clock>,
    pub most_cycles: Signal<In, Bits<32>>,
    pub is_open: Signal<In, Bit>,
    pub is_over: Signal<Out, Bit>,
    left: DFF<Bits<32>>,
    over: DFF<Bit>,
}

impl Logic for TimeOut {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, left, over);
        self.over.d.next = self.is_open.val() & (self.left.q.val() == 1);
        self.is_over.next = self.over.q.val();
        if self.left.q.val().any() {
            self.left.d.next = self.left.q.val() - 1;
        }
        if !self.is_open.val() {
            self.left.d.next = self.most_cycles.val();
        }
    }
}
