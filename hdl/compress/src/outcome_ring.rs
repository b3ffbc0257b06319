// SPDX-License-Identifier: MIT OR Apache-2.0
//! `OutcomeRing`: the newest outcomes in block RAM, 64 * 2^B of them, and 32 in a row from any place on.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `write`, `write_row[B-1:0]`, `write_odd`, `write_word[31:0]` | in | outcomes of a row, the even or the odd half |
//! | `row[B-1:0]`, `place[5:0]` | in | a row and a place in it |
//! | `window[31:0]` | out | three cycles later: the outcomes from there on, the first one in bit 0 |
//!
//! Latency 3 cycles. Throughput one window and one half of a row written per cycle.

use super::hash::before;
use super::row_memory::RowMemory;
use coretrace_hdl_dataflow::{Bus, Word, clocked_block, mux_tree, named};
use rust_hdl::prelude::*;

/// Outcomes of a window, and of a half of a row.
pub const WINDOW: usize = 32;
/// Address bits of an outcome in a row.
pub const ROW_PLACE_W: usize = 6;

#[derive(LogicBlock, Default)]
pub struct OutcomeRing<const B: usize> {
    pub clock: Signal<In, Clock>,
    pub write: Signal<In, Bit>,
    pub write_row: Signal<In, Bits<B>>,
    pub write_odd: Signal<In, Bit>,
    pub write_word: Signal<In, Bus<WINDOW>>,
    pub row: Signal<In, Bits<B>>,
    pub place: Signal<In, Bits<ROW_PLACE_W>>,
    pub window: Signal<Out, Bus<WINDOW>>,
    even: RowMemory<B, WINDOW, 0>,
    odd: RowMemory<B, WINDOW, 0>,
    cut: WindowCut<1, 1>,
}

impl<const B: usize> Logic for OutcomeRing<B> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, even, odd, cut);
        self.even.write_enable.next = self.write.val() & !self.write_odd.val();
        self.even.write_address.next = self.write_row.val();
        self.even.write_data.next = self.write_word.val();
        self.even.clear.next = false;
        self.even.clear_row.next = 0.into();
        self.odd.write_enable.next = self.write.val() & self.write_odd.val();
        self.odd.write_address.next = self.write_row.val();
        self.odd.write_data.next = self.write_word.val();
        self.odd.clear.next = false;
        self.odd.clear_row.next = 0.into();
        // A window that begins in the odd half ends in the even half of the next row.
        self.even.read_address.next = self.row.val();
        if self.place.val().get_bit(5) {
            self.even.read_address.next = self.row.val() + 1;
        }
        self.odd.read_address.next = self.row.val();
        self.cut.place.next = self.place.val();
        self.cut.even.next = self.even.read_data.val();
        self.cut.odd.next = self.odd.read_data.val();
        self.window.next = self.cut.window.val();
    }
}

clocked_block! {
    /// Cuts a window out of two halves that are read a cycle after its place comes.
    pub struct WindowCut;
    inputs CutInputs { place: Bits<ROW_PLACE_W>, even: Bus<WINDOW>, odd: Bus<WINDOW>, }
    lane_inputs {}
    outputs CutOutputs { window: Bus<WINDOW>, }
    lane_outputs {}
    pair_outputs {}
    kernel window_cut;
}

#[named]
fn window_cut<T: Word, const N: usize, const P: usize>(
    i: CutInputs<T::Port, N>,
) -> CutOutputs<T, N, P> {
    let width = WINDOW as u32;
    let place = before(T::field(&i.place, 0, ROW_PLACE_W as u32));
    let (even, odd) = (T::field(&i.even, 0, width), T::field(&i.odd, 0, width));
    // One that begins in the odd half ends in the even one.
    let halves = [odd.concat(even), even.concat(odd)];
    let from = [0, 1, 2, 3].map(|number: usize| cut(halves[number / 2], number as u32 % 2, 4));
    let turned = mux_tree(&from, place.slice(4, 2), 2).reg();
    let window = [2, 0].into_iter().fold(turned, |outcomes, bit| {
        let from = [0, 1, 2, 3].map(|number| cut(outcomes, number, bit));
        mux_tree(&from, place.slice(bit, 2), 2)
    });
    CutOutputs {
        window: vec![window],
    }
}

/// Outcomes from `number` times 2^`bit` on; what the lower bits of a place cannot move into the window is left out.
fn cut<T: Word>(outcomes: T, number: u32, bit: u32) -> T {
    outcomes.slice(number << bit, WINDOW as u32 + (1 << bit) - 1)
}
