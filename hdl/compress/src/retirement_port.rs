// SPDX-License-Identifier: MIT OR Apache-2.0
//! `RetirementPort`: a RISC-V hart that retires up to two blocks in a cycle, as the branch stream that
//! `trace_compressor` takes.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high: nothing is known of the execution |
//! | `iretire[2][7:0]`, `itype[2][3:0]`, `ilastsize[2]`, `iaddr[2][61:0]` | in | see [`Ingress`](super::Ingress) |
//! | `stall` | out | the hart should not retire: 14 cycles later rows are lost |
//! | `loses` | out | the events of a cycle are lost |
//! | `m_axis_branches_tdata[191:0]`, `m_axis_branches_tvalid` | out | AXI4-Stream without TREADY: the branch stream of `docs/records.md`, an event a beat; an instruction is a halfword |
//!
//! ```text
//! blocks ─▶ Ingress ─▶ JoinRetired ─▶ SyncFifo ─▶ RetiredBeat ─▶
//! ```
//!
//! Cycles with two events wait in a FIFO of 64 rows, of which `stall` leaves 16. If the hart goes on, the events of a
//! cycle that find three quarters of it full are lost; the first event behind them becomes a beat that says where
//! execution goes on and how many were lost, itself included.
//!
//! Latency 5 cycles out of an empty FIFO, behind the block that says where the event led. Throughput one event per
//! cycle.

use super::branch_bits::ADDRESS_W;
use super::branch_fields::BRANCH_BEAT_W;
use super::fifo_entry::LOST_W;
use super::ingress::{IRETIRE_W, ITYPE_W, Ingress};
use super::retired_row::{JoinRetired, RETIRED_ROW_W, RetiredBeat};
use coretrace_hdl_dataflow::Bus;
use coretrace_hdl_parts::stream::SyncFifo;
use rust_hdl::prelude::*;

/// Address bits of the FIFO.
const ROWS_W: usize = 6;

#[derive(LogicBlock, Default)]
pub struct RetirementPort {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub iretire: [Signal<In, Bits<IRETIRE_W>>; 2],
    pub itype: [Signal<In, Bits<ITYPE_W>>; 2],
    pub ilastsize: [Signal<In, Bit>; 2],
    pub iaddr: [Signal<In, Bus<ADDRESS_W>>; 2],
    pub stall: Signal<Out, Bit>,
    pub loses: Signal<Out, Bit>,
    pub m_axis_branches_tdata: Signal<Out, Bus<BRANCH_BEAT_W>>,
    pub m_axis_branches_tvalid: Signal<Out, Bit>,
    ingress: Ingress<2, 1>,
    to_row: JoinRetired<2>,
    rows: SyncFifo<RETIRED_ROW_W, ROWS_W>,
    next_beat: RetiredBeat<1>,
    is_second: DFF<Bit>,
    /// Events that were lost since the last row.
    lost: DFF<Bits<LOST_W>>,
    beat: DFF<Bus<BRANCH_BEAT_W>>,
    beat_valid: DFF<Bit>,
}

impl Logic for RetirementPort {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, ingress, rows);
        dff_setup!(self, clock, is_second, lost, beat, beat_valid);
        self.ingress.reset.next = self.reset.val();
        for i in 0..2 {
            self.ingress.iretire[i].next = self.iretire[i].val();
            self.ingress.itype[i].next = self.itype[i].val();
            self.ingress.ilastsize[i].next = self.ilastsize[i].val();
            self.ingress.iaddr[i].next = self.iaddr[i].val();
            self.to_row.event_valid[i].next = self.ingress.event_valid[i].val();
            self.to_row.begins[i].next = self.ingress.begins[i].val();
            self.to_row.pc[i].next = self.ingress.pc[i].val();
            self.to_row.next_pc[i].next = self.ingress.next_pc[i].val();
            self.to_row.kind[i].next = self.ingress.kind[i].val();
            self.to_row.taken[i].next = self.ingress.taken[i].val();
            self.to_row.is_discontinuity[i].next = self.ingress.is_discontinuity[i].val();
            self.to_row.instructions[i].next = self.ingress.instructions[i].val();
        }
        self.to_row.lost.next = self.lost.q.val();
        self.to_row.is_full.next = self.rows.fills_up.val();
        self.rows.reset.next = self.reset.val();
        self.rows.write_data.next = self.to_row.row.val();
        self.rows.write_valid.next = self.to_row.row_valid.val() & !self.rows.fills_up.val();
        self.stall.next = self.rows.half_full.val();
        self.loses.next = self.to_row.row_valid.val() & self.rows.fills_up.val();
        if self.to_row.row_valid.val() {
            self.lost.d.next = self.to_row.lost_next.val();
        }

        self.next_beat.row_valid.next = self.rows.m_axis_tvalid.val();
        self.next_beat.row.next = self.rows.m_axis_tdata.val();
        self.next_beat.is_second.next = self.is_second.q.val();
        self.rows.m_axis_tready.next = self.next_beat.row_ready.val();
        self.is_second.d.next = self.rows.m_axis_tvalid.val() & !self.next_beat.row_ready.val();
        self.beat.d.next = self.next_beat.beat.val();
        self.beat_valid.d.next = self.next_beat.beat_valid.val();
        self.m_axis_branches_tdata.next = self.beat.q.val();
        self.m_axis_branches_tvalid.next = self.beat_valid.q.val();
        if self.reset.val() {
            self.is_second.d.next = false;
            self.lost.d.next = 0.into();
            self.beat_valid.d.next = false;
        }
    }
}
