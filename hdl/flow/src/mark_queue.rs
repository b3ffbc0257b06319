// SPDX-License-Identifier: MIT OR Apache-2.0
//! `MarkQueue`: hops of a walker in, the rows of those that the flow stream reports out.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high: what waits is discarded |
//! | `hop`, `hop_at[SW-1:0]`, ..., `atoms[31:0]`, `skipped[31:0]` | in | as [`WalkReport`](super::WalkReport) puts them out |
//! | `dropped_atoms[31:0]` | in | of the FIFO, see [`ItemFifo`](super::ItemFifo) |
//! | `loses` | out | for one cycle: a hop at which the place is lost |
//! | `row_valid`, `row` | out | the oldest [`MarkRow`](super::MarkRow) |
//! | `row_ready` | in | it is taken in this cycle |
//!
//! 48 rows wait here; those behind them are left out, and the next one says so. A hop that reads out is
//! never left out.
//!
//! Latency 2 cycles. Throughput one row per cycle.

use super::mark_row::{MARK_ROW_W, MarkRows};
use super::walk_report::HOP_W;
use coretrace_hdl_dataflow::Bus;
use coretrace_hdl_parts::stream::SyncFifo;
use rust_hdl::prelude::*;

/// Address bits of the FIFO.
const PLACES_W: usize = 6;

#[derive(LogicBlock, Default)]
pub struct MarkQueue<const SW: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub hop: Signal<In, Bus<HOP_W>>,
    pub hop_at: Signal<In, Bits<SW>>,
    pub hop_base: Signal<In, Bits<SW>>,
    pub hop_left_at: Signal<In, Bits<SW>>,
    pub hop_ended_at: Signal<In, Bits<SW>>,
    pub atoms: Signal<In, Bits<32>>,
    pub skipped: Signal<In, Bits<32>>,
    pub dropped_atoms: Signal<In, Bits<32>>,
    pub loses: Signal<Out, Bit>,
    pub row_valid: Signal<Out, Bit>,
    pub row: Signal<Out, Bus<MARK_ROW_W>>,
    pub row_ready: Signal<In, Bit>,
    marks: MarkRows<SW>,
    rows: SyncFifo<MARK_ROW_W, PLACES_W>,
    /// Where the last flow ended, or the branch that was taken since.
    newest: DFF<Bits<SW>>,
    /// A row was left out.
    missed: DFF<Bit>,
    stores: Signal<Local, Bit>,
}

impl<const SW: usize> Logic for MarkQueue<SW> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, rows);
        dff_setup!(self, clock, newest, missed);
        self.marks.hop.next = self.hop.val();
        self.marks.at.next = self.hop_at.val();
        self.marks.base.next = self.hop_base.val();
        self.marks.left_at.next = self.hop_left_at.val();
        self.marks.ended_at.next = self.hop_ended_at.val();
        self.marks.last.next = self.newest.q.val();
        self.newest.d.next = self.marks.newest.val();
        self.marks.atoms.next = self.atoms.val();
        self.marks.skipped.next = self.skipped.val();
        self.marks.dropped.next = self.dropped_atoms.val();
        self.marks.missed.next = self.missed.q.val();
        self.loses.next = self.marks.loses.val();
        self.stores.next =
            self.marks.is_some.val() & (!self.rows.fills_up.val() | self.marks.reads_out.val());
        if self.marks.is_some.val() {
            self.missed.d.next = !self.stores.val();
        }
        self.rows.reset.next = self.reset.val();
        self.rows.write_data.next = self.marks.row.val();
        self.rows.write_valid.next = self.stores.val();
        self.row_valid.next = self.rows.m_axis_tvalid.val();
        self.row.next = self.rows.m_axis_tdata.val();
        self.rows.m_axis_tready.next = self.row_ready.val();
        if self.reset.val() {
            self.newest.d.next = 0.into();
            self.missed.d.next = false;
        }
    }
}
