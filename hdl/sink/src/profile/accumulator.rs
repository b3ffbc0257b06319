// SPDX-License-Identifier: MIT OR Apache-2.0
//! `ProfileAccumulator`: results of a four-lane decoder in, the profile stream out.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high, for more than 16 cycles; drops what was not flushed |
//! | `start`, `trace_id[6:0]` | in | for one cycle: the source was enabled; its trace ID, steady while it is |
//! | `flush` | in | for one cycle: all sums are to leave, with a mark behind them |
//! | `lost_words` | in | words of the trace port that were lost so far |
//! | `s_valid`, `s_discontinuity`, `s_keep[4]`, `s_lane[4]`, `s_pair[2]` | in | as a decoder puts out |
//! | `flush_done` | out | for one cycle: the mark of a flush goes to the stream |
//! | `hold_back` | out | give the decoder no more words; what is in flight has room |
//! | `m_axis_tdata[127:0]`, `m_axis_tvalid`, `m_axis_tready`, `m_axis_tlast` | | AXI4-Stream: an entry a beat; a packet ends at a mark, a start and a loss, and after 256 entries, that is 4 KiB |
//!
//! Throughput one word per cycle, also while all four lanes count, as long as no more than one key
//! per cycle is displaced. A flush takes 512 cycles, and those in which its entries go out.

use super::events::{EVENTS_W, INDEX_W};
use super::sum_step::SUM_ENTRY_W;
use super::{EntrySelect, EventLanes, ProfileEvents, SumTable};
use crate::records::{BEAT_W, BeatFields, DATA_W};
use coretrace_abi::profile_stream::{EntryKind, VERSION};
use coretrace_hdl_dataflow::Bus;
use coretrace_hdl_etm::layouts::{LANE_RESULT_W, PAIR_RESULT_W};
use coretrace_hdl_parts::stream::SyncFifo;
use rust_hdl::prelude::*;

/// Address bits of the FIFOs of rows and of entries that go out.
const PLACES_W: usize = 9;
/// Bits of the number of entries in a packet.
const PACKET_W: usize = 8;
/// Address bits of the FIFO behind a table.
const ENTRIES_W: usize = 5;

/// What the accumulator does.
#[derive(Copy, Clone, Debug, PartialEq, Eq, LogicState)]
enum State {
    /// It empties the tables after a reset, and discards their entries.
    Clear,
    /// It discards entries that are still in flight.
    Discard,
    /// It adds up.
    Count,
    /// It empties the tables and sends their entries.
    Flush,
    /// It waits for entries that are still in flight.
    Drain,
    /// It sends an entry that is no sum.
    Marker,
}

#[derive(LogicBlock)]
pub struct ProfileAccumulator {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub start: Signal<In, Bit>,
    pub trace_id: Signal<In, Bits<7>>,
    pub flush: Signal<In, Bit>,
    pub lost_words: Signal<In, Bits<32>>,
    pub s_valid: Signal<In, Bit>,
    pub s_discontinuity: Signal<In, Bit>,
    pub s_keep: [Signal<In, Bit>; 4],
    pub s_lane: [Signal<In, Bus<LANE_RESULT_W>>; 4],
    pub s_pair: [Signal<In, Bus<PAIR_RESULT_W>>; 2],
    pub flush_done: Signal<Out, Bit>,
    pub hold_back: Signal<Out, Bit>,
    pub m_axis_tdata: Signal<Out, Bus<DATA_W>>,
    pub m_axis_tvalid: Signal<Out, Bit>,
    pub m_axis_tready: Signal<In, Bit>,
    pub m_axis_tlast: Signal<Out, Bit>,
    events: ProfileEvents<4, 2>,
    row_fifo: SyncFifo<EVENTS_W, PLACES_W>,
    lanes: EventLanes<4>,
    sum_table: [SumTable; 4],
    entry_fifo: [SyncFifo<SUM_ENTRY_W, ENTRIES_W>; 4],
    entry_select: EntrySelect<4>,
    /// The entry that was chosen, in front of the memory. Both FIFOs are reset for longer than a
    /// cycle, so that this needs no reset.
    beat: DFF<Bus<BEAT_W>>,
    beat_valid: DFF<Bit>,
    /// Entries in the packet so far.
    packet: DFF<Bits<PACKET_W>>,
    beat_fifo: SyncFifo<BEAT_W, PLACES_W>,
    beat_fields: BeatFields<1>,
    state: DFF<State>,
    /// The state is `Marker`: what depends on it is wide.
    in_marker: DFF<Bit>,
    walk: DFF<Bits<INDEX_W>>,
    settle: DFF<Bits<4>>,
    /// Why the tables are emptied, or what is sent: a start, a flush, a loss.
    is_start: DFF<Bit>,
    is_loss: DFF<Bit>,
    /// A flush was asked for.
    asked: DFF<Bit>,
    flushes: DFF<Bits<32>>,
    /// Trace ID of the sums, and of the source that was enabled last.
    id: DFF<Bits<7>>,
    next_id: DFF<Bits<7>>,
    start_kind: Constant<Bits<4>>,
    mark_kind: Constant<Bits<4>>,
    lost_kind: Constant<Bits<4>>,
    version: Constant<Bits<32>>,
    discards: Signal<Local, Bit>,
    fills_up: Signal<Local, Bit>,
    entries_wait: Signal<Local, Bit>,
    takes_row: Signal<Local, Bit>,
    walks: Signal<Local, Bit>,
    sends_marker: Signal<Local, Bit>,
}

impl Default for ProfileAccumulator {
    fn default() -> ProfileAccumulator {
        let kind = |kind: EntryKind| Constant::new((kind as u64).into());
        ProfileAccumulator {
            clock: Default::default(),
            reset: Default::default(),
            start: Default::default(),
            trace_id: Default::default(),
            flush: Default::default(),
            lost_words: Default::default(),
            s_valid: Default::default(),
            s_discontinuity: Default::default(),
            s_keep: Default::default(),
            s_lane: Default::default(),
            s_pair: Default::default(),
            flush_done: Default::default(),
            hold_back: Default::default(),
            m_axis_tdata: Default::default(),
            m_axis_tvalid: Default::default(),
            m_axis_tready: Default::default(),
            m_axis_tlast: Default::default(),
            events: Default::default(),
            row_fifo: Default::default(),
            lanes: Default::default(),
            sum_table: Default::default(),
            entry_fifo: Default::default(),
            entry_select: Default::default(),
            beat: Default::default(),
            beat_valid: Default::default(),
            packet: Default::default(),
            beat_fifo: Default::default(),
            beat_fields: Default::default(),
            state: Default::default(),
            in_marker: Default::default(),
            walk: Default::default(),
            settle: Default::default(),
            is_start: Default::default(),
            is_loss: Default::default(),
            asked: Default::default(),
            flushes: Default::default(),
            id: Default::default(),
            next_id: Default::default(),
            start_kind: kind(EntryKind::Start),
            mark_kind: kind(EntryKind::Mark),
            lost_kind: kind(EntryKind::Lost),
            version: Constant::new(u64::from(VERSION).into()),
            discards: Default::default(),
            fills_up: Default::default(),
            entries_wait: Default::default(),
            takes_row: Default::default(),
            walks: Default::default(),
            sends_marker: Default::default(),
        }
    }
}

impl Logic for ProfileAccumulator {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, state, in_marker, walk, settle, is_start, is_loss, asked, flushes, id,
            next_id, beat, beat_valid, packet
        );
        clock!(self, clock, events, row_fifo, beat_fifo);

        self.events.reset.next = self.reset.val();
        self.events.start.next = self.start.val();
        self.events.trace_id.next = self.trace_id.val();
        self.events.valid.next = self.s_valid.val();
        self.events.lost.next = self.s_discontinuity.val();
        self.events.pair0.next = self.s_pair[0].val();
        self.events.pair1.next = self.s_pair[1].val();
        self.row_fifo.reset.next = self.reset.val();
        self.row_fifo.write_data.next = self.events.row.val();
        self.row_fifo.write_valid.next = self.events.row_valid.val();
        self.lanes.row.next = self.row_fifo.m_axis_tdata.val();
        self.hold_back.next = self.row_fifo.fills_up.val();

        self.discards.next = self.reset.val()
            | (self.state.q.val() == State::Clear)
            | (self.state.q.val() == State::Discard);
        self.fills_up.next = false;
        self.entries_wait.next = false;
        for i in 0..4 {
            self.fills_up.next = self.fills_up.val() | self.entry_fifo[i].fills_up.val();
            self.entries_wait.next =
                self.entries_wait.val() | self.entry_fifo[i].m_axis_tvalid.val();
        }
        self.takes_row.next = (self.state.q.val() == State::Count)
            & self.row_fifo.m_axis_tvalid.val()
            & !self.fills_up.val()
            & !self.asked.q.val();
        self.walks.next = (self.state.q.val() == State::Clear)
            | ((self.state.q.val() == State::Flush) & !self.fills_up.val());
        self.sends_marker.next = self.in_marker.q.val() & !self.beat_fifo.fills_up.val();

        self.row_fifo.m_axis_tready.next = self.takes_row.val();
        for i in 0..4 {
            self.events.keep[i].next = self.s_keep[i].val();
            self.events.lane[i].next = self.s_lane[i].val();
            self.sum_table[i].clock.next = self.clock.val();
            self.sum_table[i].reset.next = self.reset.val();
            self.sum_table[i].evt.next = self.lanes.evt[i].val();
            self.sum_table[i].counts.next = self.takes_row.val();
            self.sum_table[i].flush.next = self.walks.val();
            self.sum_table[i].walk.next = self.walk.q.val();
            self.entry_fifo[i].clock.next = self.clock.val();
            self.entry_fifo[i].reset.next = self.discards.val();
            self.entry_fifo[i].write_data.next = self.sum_table[i].entry.val();
            self.entry_fifo[i].write_valid.next = self.sum_table[i].entry_valid.val();
            self.entry_fifo[i].m_axis_tready.next = self.entry_select.take[i].val();
            self.entry_select.entry_valid[i].next = self.entry_fifo[i].m_axis_tvalid.val();
            self.entry_select.entry[i].next = self.entry_fifo[i].m_axis_tdata.val();
        }

        if self.flush.val() {
            self.asked.d.next = true;
        }
        if self.walks.val() {
            self.walk.d.next = self.walk.q.val() + 1;
        }
        self.flush_done.next = false;
        match self.state.q.val() {
            State::Clear => {
                self.settle.d.next = 0.into();
                if self.walk.q.val().all() {
                    self.state.d.next = State::Discard;
                }
            }
            State::Discard => {
                self.settle.d.next = self.settle.q.val() + 1;
                if self.settle.q.val().all() {
                    self.state.d.next = State::Count;
                }
            }
            State::Count => {
                self.is_start.d.next = false;
                self.is_loss.d.next = false;
                if self.asked.q.val() {
                    self.state.d.next = State::Flush;
                }
                if self.takes_row.val() & self.lanes.lost.val() {
                    self.is_loss.d.next = true;
                    self.state.d.next = State::Marker;
                    self.in_marker.d.next = true;
                }
                if self.takes_row.val() & self.lanes.start.val() {
                    self.is_start.d.next = true;
                    self.next_id.d.next = self.lanes.trace_id.val();
                    self.state.d.next = State::Flush;
                    self.in_marker.d.next = false;
                }
            }
            State::Flush => {
                self.settle.d.next = 0.into();
                if self.walks.val() & self.walk.q.val().all() {
                    self.state.d.next = State::Drain;
                }
            }
            State::Drain => {
                self.settle.d.next = self.settle.q.val() + 1;
                if self.entries_wait.val() {
                    self.settle.d.next = 0.into();
                }
                if self.settle.q.val().all() {
                    self.state.d.next = State::Marker;
                    self.in_marker.d.next = true;
                }
            }
            State::Marker => {
                if self.sends_marker.val() {
                    self.state.d.next = State::Count;
                    self.in_marker.d.next = false;
                    if self.is_start.q.val() {
                        self.id.d.next = self.next_id.q.val();
                    } else {
                        if !self.is_loss.q.val() {
                            self.flush_done.next = true;
                            self.asked.d.next = false;
                            self.flushes.d.next = self.flushes.q.val() + 1;
                        }
                    }
                }
            }
        }

        self.entry_select.fills_packet.next = self.packet.q.val().all();
        if self.entry_select.beat_valid.val() {
            self.packet.d.next = self.packet.q.val() + 1;
            if self.in_marker.q.val() {
                self.packet.d.next = 0.into();
            }
        }
        self.entry_select.room.next = !self.beat_fifo.fills_up.val();
        self.entry_select.trace_id.next = self.id.q.val();
        // Whether there is room is asked apart, so that it does not delay the choice.
        self.entry_select.marker.next = self.in_marker.q.val();
        self.entry_select.marker_kind.next = self.mark_kind.val();
        self.entry_select.marker_weight.next = self.flushes.q.val() + 1;
        if self.is_loss.q.val() {
            self.entry_select.marker_kind.next = self.lost_kind.val();
            self.entry_select.marker_weight.next = self.lost_words.val();
        }
        if self.is_start.q.val() {
            // The sums that leave before the marker are of the source before.
            if self.in_marker.q.val() {
                self.entry_select.trace_id.next = self.next_id.q.val();
            }
            self.entry_select.marker_kind.next = self.start_kind.val();
            self.entry_select.marker_weight.next = self.version.val();
        }

        self.beat_fifo.reset.next = self.reset.val();
        self.beat.d.next = self.entry_select.beat.val();
        self.beat_valid.d.next = self.entry_select.beat_valid.val();
        self.beat_fifo.write_data.next = self.beat.q.val();
        self.beat_fifo.write_valid.next = self.beat_valid.q.val();
        self.beat_fifo.m_axis_tready.next = self.m_axis_tready.val();
        self.m_axis_tvalid.next = self.beat_fifo.m_axis_tvalid.val();
        self.beat_fields.beat.next = self.beat_fifo.m_axis_tdata.val();
        self.m_axis_tdata.next = self.beat_fields.words.val();
        self.m_axis_tlast.next = self.beat_fields.last.val();

        if self.reset.val() {
            self.state.d.next = State::Clear;
            self.in_marker.d.next = false;
            self.walk.d.next = 0.into();
            self.asked.d.next = false;
            self.flushes.d.next = 0.into();
            self.packet.d.next = 0.into();
            self.is_start.d.next = false;
            self.is_loss.d.next = false;
        }
    }
}
