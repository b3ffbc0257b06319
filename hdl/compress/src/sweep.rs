// SPDX-License-Identifier: MIT OR Apache-2.0
//! `Sweep`: the rows of the tables of an encoder, one after another, that a start clears.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `start` | in | clear all rows from the next cycle on |
//! | `is_sweeping` | out | `row` is cleared |
//! | `row[P-1:0]` | out | the row of this cycle |
//!
//! A sweep takes 2^P cycles; a start during one begins with row 0 again.

use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
pub struct Sweep<const P: usize> {
    pub clock: Signal<In, Clock>,
    pub start: Signal<In, Bit>,
    pub is_sweeping: Signal<Out, Bit>,
    pub row: Signal<Out, Bits<P>>,
    next_row: DFF<Bits<P>>,
    sweeping: DFF<Bit>,
}

impl<const P: usize> Logic for Sweep<P> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, next_row, sweeping);
        self.is_sweeping.next = self.sweeping.q.val();
        self.row.next = self.next_row.q.val();
        self.next_row.d.next = self.next_row.q.val() + 1;
        if self.next_row.q.val().all() {
            self.sweeping.d.next = false;
        }
        if self.start.val() {
            self.next_row.d.next = 0.into();
            self.sweeping.d.next = true;
        }
    }
}
