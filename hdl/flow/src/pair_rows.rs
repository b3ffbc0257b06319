// SPDX-License-Identifier: MIT OR Apache-2.0
//! `PairRows`: rows of two walkers in, rows of the flow stream out.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high: the row is discarded |
//! | `valid[2]`, `rows[2]`, `ready[2]` | | the oldest row of each walker, see [`MarkQueue`](super::MarkQueue), and whether it is taken in this cycle |
//! | `row_valid`, `row`, `row_ready` | | the row |
//!
//! Rows of a walker stay in their order, those of both come in turns. Both walkers have a row of each
//! read-out, and all rows before these come before it: that of walker 1 has the atoms of its walker, and
//! that of walker 0 reads out.
//!
//! The atoms of a row are those of its walker up to this row, and those of the other one up to its
//! last row. So a row that reads out has all atoms before it.
//!
//! Latency 1 cycle. Throughput one row per cycle.

use super::mark_row::{MARK_ROW_W, MarkRow};
use coretrace_hdl_dataflow::{Bus, Word, all, any, kernel_block, layout, named};
use rust_hdl::prelude::*;

layout! {
    /// What is known of the walkers.
    pub struct PairState {
        /// The last row was of walker 1.
        last: 1,
        /// Walker 1 has read out, and walker 0 has not.
        waits: 1,
        /// Atoms of each walker up to its last row, those of them that were skipped.
        atoms_0: 32,
        skipped_0: 32,
        atoms_1: 32,
        skipped_1: 32,
    }
}

/// Bits of the state.
const STATE_W: usize = PairState::WIDTH;

#[derive(LogicBlock, Default)]
pub struct PairRows {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub valid: [Signal<In, Bit>; 2],
    pub rows: [Signal<In, Bus<MARK_ROW_W>>; 2],
    pub ready: [Signal<Out, Bit>; 2],
    pub row_valid: Signal<Out, Bit>,
    pub row: Signal<Out, Bus<MARK_ROW_W>>,
    pub row_ready: Signal<In, Bit>,
    step: PairRowStep<2>,
    state: DFF<Bus<STATE_W>>,
    held: DFF<Bus<MARK_ROW_W>>,
    held_valid: DFF<Bit>,
}

impl Logic for PairRows {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, held, held_valid);
        self.step.reset.next = self.reset.val();
        self.step.is_free.next = !self.held_valid.q.val() | self.row_ready.val();
        self.step.state.next = self.state.q.val();
        for i in 0..2 {
            self.step.valid[i].next = self.valid[i].val();
            self.step.rows[i].next = self.rows[i].val();
            self.ready[i].next = self.step.ready[i].val();
        }
        self.state.d.next = self.step.state_next.val();
        if self.step.takes.val() {
            self.held.d.next = self.step.row.val();
        }
        if self.row_ready.val() {
            self.held_valid.d.next = false;
        }
        if self.step.takes.val() {
            self.held_valid.d.next = true;
        }
        self.row_valid.next = self.held_valid.q.val();
        self.row.next = self.held.q.val();
        if self.reset.val() {
            self.held_valid.d.next = false;
        }
    }
}

kernel_block! {
    /// The next row of `N` = 2 walkers; see the module text.
    pub struct PairRowStep;
    inputs PairRowInputs { reset: Bit, is_free: Bit, state: Bus<STATE_W>, }
    lane_inputs { valid: Bit, rows: Bus<MARK_ROW_W>, }
    outputs PairRowOutputs { takes: Bit, row: Bus<MARK_ROW_W>, state_next: Bus<STATE_W>, }
    lane_outputs { ready: Bit, }
    kernel pair_row_step;
}

#[named]
fn pair_row_step<T: Word, const N: usize>(i: PairRowInputs<T::Port, N>) -> PairRowOutputs<T, N> {
    let bit = |port: &T::Port| T::field(port, 0, 1);
    let live = bit(&i.reset).not();
    let state = PairState::<T>::unpack(&i.state);
    let [row_0, row_1] = [&i.rows[0], &i.rows[1]].map(|port| MarkRow::<T>::unpack(port));
    let [valid_0, valid_1] = [&i.valid[0], &i.valid[1]].map(bit);

    let may_0 = valid_0.and(row_0.reads_out.not().or(state.waits));
    let may_1 = valid_1.and(state.waits.not());
    let is_1 = may_1.and(may_0.not().or(state.last.not()));
    let goes = all(&[bit(&i.is_free), any(&[may_0, may_1]), live]);
    let ready_0 = goes.and(is_1.not());
    let ready_1 = goes.and(is_1);

    let own = MarkRow::mux(is_1, row_1, row_0);
    let of_other = |of_1: T, of_0: T| is_1.mux(of_0, of_1);
    let row = MarkRow {
        reads_out: own.reads_out.and(is_1.not()),
        atoms: own.atoms.add(of_other(state.atoms_1, state.atoms_0)),
        skipped: own.skipped.add(of_other(state.skipped_1, state.skipped_0)),
        ..own
    };
    let keep = |gate: T, new: T, old: T| gate.mux(new, old).mask(live);
    let next = PairState {
        last: keep(goes, is_1, state.last),
        waits: keep(
            goes,
            is_1.and(row_1.reads_out)
                .or(state.waits.and(row.reads_out.not())),
            state.waits,
        ),
        atoms_0: keep(ready_0, row_0.atoms, state.atoms_0),
        skipped_0: keep(ready_0, row_0.skipped, state.skipped_0),
        atoms_1: keep(ready_1, row_1.atoms, state.atoms_1),
        skipped_1: keep(ready_1, row_1.skipped, state.skipped_1),
    };
    PairRowOutputs {
        takes: vec![goes],
        row: row.pack(),
        state_next: next.pack(),
        ready: std::array::from_fn(|walker| vec![[ready_0, ready_1][walker]]),
    }
}
