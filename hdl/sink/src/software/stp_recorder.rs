// SPDX-License-Identifier: MIT OR Apache-2.0
//! `StpRecorder`: the rows of an STM in, its packets as a software stream out.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high; the stream begins with a START behind it |
//! | `trace_id[6:0]`, `lenient` | in | trace ID; error policy: 0 resync, 1 lenient. Steady but in a reset |
//! | `flush` | in | for one cycle: end the packet of the stream |
//! | `lost_words[31:0]` | in | words of the trace port that were lost so far |
//! | `s_axis_tdata[31:0]`, `s_axis_tkeep[3:0]`, `s_axis_tvalid` | in | a row, as from a demux; it cannot be refused |
//! | `s_axis_discontinuity` | in | bytes were lost before the row |
//! | `s_axis_place[31:0]` | in | its place, as from `RowPlace` |
//! | `m_axis_tdata[127:0]`, `m_axis_tvalid`, `m_axis_tready`, `m_axis_tlast` | | AXI4-Stream: the software stream of `docs/records.md`, four words a beat, in packets of up to 4 KiB |
//! | `records[1:0]` | out | packets and errors that were decoded in this cycle |
//! | `loses` | out | a row finds no room |
//! | `sts_lost_rows[31:0]` | out | rows that found no room; saturating |
//!
//! A consumer that stalls does not stop the rows: up to 384 of them wait, more are dropped until half of the places
//! are free. The stream says where they were.
//!
//! Throughput: a byte in each cycle. A record takes three cycles to send, so a long run of shorter ones fills the FIFOs.

use super::row::PLACE_W;
use super::{RowBytes, SoftwareSender, StpEntries};
use crate::records::DATA_W;
use coretrace_hdl_dataflow::Bus;
use coretrace_hdl_parts::stream::Delay;
use coretrace_hdl_software::stp::{NIBBLES, StpDecoder};
use rust_hdl::prelude::*;

/// Address bits of the FIFO of rows.
const ROWS_W: usize = 9;
/// Cycles from a byte to its results.
const DECODER_LATENCY: usize = 6;

#[derive(LogicBlock, Default)]
pub struct StpRecorder {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub trace_id: Signal<In, Bits<7>>,
    pub lenient: Signal<In, Bit>,
    pub flush: Signal<In, Bit>,
    pub lost_words: Signal<In, Bits<32>>,
    pub s_axis_tdata: Signal<In, Bits<32>>,
    pub s_axis_tkeep: Signal<In, Bits<4>>,
    pub s_axis_tvalid: Signal<In, Bit>,
    pub s_axis_discontinuity: Signal<In, Bit>,
    pub s_axis_place: Signal<In, Bits<32>>,
    pub m_axis_tdata: Signal<Out, Bus<DATA_W>>,
    pub m_axis_tvalid: Signal<Out, Bit>,
    pub m_axis_tready: Signal<In, Bit>,
    pub m_axis_tlast: Signal<Out, Bit>,
    pub records: Signal<Out, Bits<2>>,
    pub loses: Signal<Out, Bit>,
    pub sts_lost_rows: Signal<Out, Bits<32>>,
    rows: RowBytes<ROWS_W>,
    decoder: StpDecoder<NIBBLES, 1>,
    place: Delay<PLACE_W, DECODER_LATENCY>,
    entries: StpEntries<1, 1>,
    sender: SoftwareSender,
    /// Cycles in which results of bytes from before a reset may come.
    old: DFF<Bits<3>>,
}

impl Logic for StpRecorder {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, old);
        clock!(self, clock, rows, decoder, place, entries, sender);
        self.rows.reset.next = self.reset.val();
        self.rows.s_axis_tdata.next = self.s_axis_tdata.val();
        self.rows.s_axis_tkeep.next = self.s_axis_tkeep.val();
        self.rows.s_axis_tvalid.next = self.s_axis_tvalid.val();
        self.rows.s_axis_discontinuity.next = self.s_axis_discontinuity.val();
        self.rows.s_axis_place.next = self.s_axis_place.val();
        self.rows.room.next = self.sender.room.val();
        self.loses.next = self.rows.loses.val();
        self.sts_lost_rows.next = self.rows.sts_lost_rows.val();

        self.decoder.reset.next = self.reset.val();
        self.decoder.lenient.next = self.lenient.val();
        self.decoder.s_valid.next = self.rows.m_valid.val();
        self.decoder.s_discontinuity.next = self.rows.m_lost.val();
        self.decoder.s_octet.next = self.rows.m_octet.val();
        self.place.word.next = self.rows.m_place.val();

        if self.old.q.val().any() {
            self.old.d.next = self.old.q.val() - 1;
        }
        if self.reset.val() {
            self.old.d.next = 7.into();
        }
        self.entries.s_valid.next = self.decoder.m_valid.val() & !self.old.q.val().any();
        self.entries.s_discontinuity.next = self.decoder.m_discontinuity.val();
        self.entries.s_pending.next = self.decoder.m_pending.val();
        self.entries.s_lane0.next = self.decoder.m_lane[0].val();
        self.entries.s_lane1.next = self.decoder.m_lane[1].val();
        self.entries.s_packet.next = self.decoder.m_packet.val();
        self.entries.s_state.next = self.decoder.m_state.val();
        self.entries.s_place.next = self.place.delayed.val();
        self.records.next = self.entries.records.val();

        self.sender.reset.next = self.reset.val();
        self.sender.flush.next = self.flush.val();
        self.sender.trace_id.next = self.trace_id.val();
        self.sender.lenient.next = self.lenient.val();
        self.sender.is_itm.next = false;
        self.sender.itm_tcr.next = 0.into();
        self.sender.lost_words.next = self.lost_words.val();
        self.sender.entry.next = self.entries.entry.val();
        self.sender.entry_valid.next = self.entries.entry_valid.val();
        self.m_axis_tdata.next = self.sender.m_axis_tdata.val();
        self.m_axis_tvalid.next = self.sender.m_axis_tvalid.val();
        self.sender.m_axis_tready.next = self.m_axis_tready.val();
        self.m_axis_tlast.next = self.sender.m_axis_tlast.val();
    }
}
