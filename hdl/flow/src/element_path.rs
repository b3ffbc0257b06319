// SPDX-License-Identifier: MIT OR Apache-2.0
//! `ElementPath`: results of a decoder in, elements of the trace unit out, as the encoder XE takes them; no program is
//! needed.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high, for more than 4 cycles: all that waits is discarded |
//! | `s_valid`, `s_discontinuity`, `s_keep[4]`, `s_lane[4]` | in | results, see [`ElementRows`]; the decoder stops in time, see `hold_back` |
//! | `hold_back` | out | give the decoder no more words; there is room for a quarter of the places less two of what is in flight |
//! | `flush` | in | for one cycle: no result comes any more; the last atom and the last bytes go out |
//! | `ready` | in | an element may go out; up to two more come |
//! | `element_valid` to `address[61:0]` | out | an element, bytes, or a begin, see [`ElementSequencer`] |
//! | `waits` | out | something waits that goes out as soon as `ready` is high |
//!
//! ```text
//! results ─▶ ElementRows ─▶ SyncFifo ─▶ ElementSequencer ─▶
//! ```
//!
//! 2^A are the places of the FIFO, which waits for the sequencer.
//!
//! Throughput one result per cycle into the FIFO; out of it that of [`ElementSequencer`].

use super::element_rows::{ELEMENT_ADDRESS_W, ELEMENT_ROW_W, ElementRows};
use super::element_sequencer::ElementSequencer;
use coretrace_hdl_dataflow::Bus;
use coretrace_hdl_etm::layouts::LANE_RESULT_W;
use coretrace_hdl_parts::stream::SyncFifo;
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
pub struct ElementPath<const A: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub s_valid: Signal<In, Bit>,
    pub s_discontinuity: Signal<In, Bit>,
    pub s_keep: [Signal<In, Bit>; 4],
    pub s_lane: [Signal<In, Bus<LANE_RESULT_W>>; 4],
    pub hold_back: Signal<Out, Bit>,
    pub flush: Signal<In, Bit>,
    pub ready: Signal<In, Bit>,
    pub element_valid: Signal<Out, Bit>,
    pub begins: Signal<Out, Bit>,
    pub is_loss: Signal<Out, Bit>,
    pub is_bytes: Signal<Out, Bit>,
    pub taken: Signal<Out, Bit>,
    pub has_address: Signal<Out, Bit>,
    pub address: Signal<Out, Bus<ELEMENT_ADDRESS_W>>,
    pub waits: Signal<Out, Bit>,
    rows: ElementRows<4, 2>,
    fifo: SyncFifo<ELEMENT_ROW_W, A>,
    sequencer: ElementSequencer,
    /// What waits for the byte behind it is to go out.
    flushes: DFF<Bit>,
}

impl<const A: usize> Logic for ElementPath<A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, flushes);
        clock!(self, clock, rows, fifo, sequencer);
        self.rows.valid.next = self.s_valid.val();
        self.rows.lost.next = self.s_discontinuity.val();
        for i in 0..4 {
            self.rows.keep[i].next = self.s_keep[i].val();
            self.rows.lane[i].next = self.s_lane[i].val();
        }
        self.fifo.reset.next = self.reset.val();
        self.fifo.write_data.next = self.rows.row.val();
        self.fifo.write_valid.next = self.rows.any.val();
        self.fifo.m_axis_tready.next = self.sequencer.row_ready.val();
        self.hold_back.next = self.fifo.fills_up.val();
        self.sequencer.reset.next = self.reset.val();
        self.sequencer.row_valid.next = self.fifo.m_axis_tvalid.val();
        self.sequencer.row.next = self.fifo.m_axis_tdata.val();
        self.sequencer.ready.next = self.ready.val();
        self.sequencer.ends.next = self.flushes.q.val();
        if self.sequencer.ended.val() {
            self.flushes.d.next = false;
        }
        if self.flush.val() {
            self.flushes.d.next = true;
        }
        if self.reset.val() {
            self.flushes.d.next = false;
        }
        self.element_valid.next = self.sequencer.element_valid.val();
        self.begins.next = self.sequencer.begins.val();
        self.is_loss.next = self.sequencer.is_loss.val();
        self.is_bytes.next = self.sequencer.is_bytes.val();
        self.taken.next = self.sequencer.taken.val();
        self.has_address.next = self.sequencer.has_address.val();
        self.address.next = self.sequencer.address.val();
        self.waits.next =
            self.fifo.m_axis_tvalid.val() | self.flushes.q.val() | self.sequencer.waits.val();
    }
}
