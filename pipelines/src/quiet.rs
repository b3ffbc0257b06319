// SPDX-License-Identifier: MIT OR Apache-2.0
//! `Quiet`: whether nothing has moved for 1023 cycles.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high: it counts as a move |
//! | `moves` | in | something moves in this cycle |
//! | `is_quiet` | out | nothing has moved in the 1023 cycles before |
//!
//! Latency 1 cycle.

use rust_hdl::prelude::*;

/// Bits of the count of cycles.
const CYCLES_W: usize = 10;

#[derive(LogicBlock, Default)]
pub struct Quiet {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub moves: Signal<In, Bit>,
    pub is_quiet: Signal<Out, Bit>,
    /// Cycles without a move, saturating.
    cycles: DFF<Bits<CYCLES_W>>,
}

impl Logic for Quiet {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, cycles);
        if !self.cycles.q.val().all() {
            self.cycles.d.next = self.cycles.q.val() + 1;
        }
        if self.moves.val() | self.reset.val() {
            self.cycles.d.next = 0.into();
        }
        self.is_quiet.next = self.cycles.q.val().all();
    }
}
