// SPDX-License-Identifier: MIT OR Apache-2.0
//! `RecordEncoder`: results of a four-lane decoder in, the record stream out.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high |
//! | `enable` | in | send anything at all; steady while the source is enabled |
//! | `start` | in | for one cycle: the source was enabled |
//! | `active` | in | the source is enabled |
//! | `flush` | in | for one cycle: end the packet of the stream |
//! | `source`, `settings` | in | `SourceSettings`, `RecordSettings`; steady while the source is enabled |
//! | `lost_words` | in | words of the trace port that were lost so far |
//! | `port_reset`, `port_valid`, `port_discontinuity`, `port_keep[3:0]` | in | the reset of the decoder, and what it takes in this cycle |
//! | `port_place[31:0]`, `beside_valid`, `beside_keep[3:0]` | in | the place of that row in the port, and the row of the source beside |
//! | `s_valid`, `s_discontinuity`, `s_keep[4]`, `s_lane[4]`, `s_pair[2]` | in | as a decoder puts out |
//! | `hold_back` | out | give the decoder no more words; what is in flight has room |
//! | `m_axis_tdata[127:0]`, `m_axis_tvalid`, `m_axis_tready`, `m_axis_tlast` | | AXI4-Stream: four words, the first lowest; a packet is one of the record stream, of at most 4 KiB |
//! | `packets[2:0]`, `asyncs[2:0]`, `reserved_headers[2:0]`, `bad_sequences[2:0]` | out | records made in this cycle; how many of them are A-Syncs, and errors of either kind |
//!
//! With `BESIDE` 1 another source of the port is beside this one, and groups have places as `PlacePath` decides; with 0 the
//! ports for that are absent.
//!
//! There is room for 126 rows behind `hold_back`: more than any decoder has in flight.
//!
//! A packet ends with the first record that a packet may begin with after 560 words, beside another source after 512, on
//! `flush`, before a start, and after 512 cycles without a result.
//!
//! Throughput: a row takes a cycle for each four of its words, its tag word among them, a packet six
//! cycles for its head and tail, and the stream has four words per cycle. A row of more is an
//! exception: two timestamps, address packets of one byte while addresses are in full or not known
//! yet. Latency 27 cycles for what fills beats.

use super::beats::{BEAT_W, BeatFields, DATA_W};
use super::group_places::PLACES_W as GROUP_PLACES_W;
use super::group_sequencer::STATE_W;
use super::groups::PACKET_W;
use super::layouts::GROUP_W;
use super::settings::RECORD_SETTINGS_W;
use super::{GroupSequencer, PlaceFields, PlacePath, RecordBeats, RecordGroups};
use coretrace_hdl_dataflow::Bus;
use coretrace_hdl_etm::SOURCE_SETTINGS_W;
use coretrace_hdl_etm::layouts::{LANE_RESULT_W, PAIR_RESULT_W};
use coretrace_hdl_parts::stream::SyncFifo;
use rust_hdl::prelude::*;
use std::array::from_fn;

/// Address bits of the FIFOs: 512 places.
const PLACES_W: usize = 9;

/// Words that a packet has fewer beside another source: the places of the groups in the 24 cycles until it ends.
const BESIDE_WORDS: usize = 2 * 24;

#[derive(LogicBlock)]
pub struct RecordEncoder<const BESIDE: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub enable: Signal<In, Bit>,
    pub start: Signal<In, Bit>,
    pub active: Signal<In, Bit>,
    pub flush: Signal<In, Bit>,
    pub source: Signal<In, Bus<SOURCE_SETTINGS_W>>,
    pub settings: Signal<In, Bus<RECORD_SETTINGS_W>>,
    pub lost_words: Signal<In, Bits<32>>,
    pub port_reset: [Signal<In, Bit>; BESIDE],
    pub port_valid: [Signal<In, Bit>; BESIDE],
    pub port_discontinuity: [Signal<In, Bit>; BESIDE],
    pub port_keep: [Signal<In, Bits<4>>; BESIDE],
    pub port_place: [Signal<In, Bits<32>>; BESIDE],
    pub beside_valid: [Signal<In, Bit>; BESIDE],
    pub beside_keep: [Signal<In, Bits<4>>; BESIDE],
    pub s_valid: Signal<In, Bit>,
    pub s_discontinuity: Signal<In, Bit>,
    pub s_keep: [Signal<In, Bit>; 4],
    pub s_lane: [Signal<In, Bus<LANE_RESULT_W>>; 4],
    pub s_pair: [Signal<In, Bus<PAIR_RESULT_W>>; 2],
    pub hold_back: Signal<Out, Bit>,
    pub m_axis_tdata: Signal<Out, Bus<DATA_W>>,
    pub m_axis_tvalid: Signal<Out, Bit>,
    pub m_axis_tready: Signal<In, Bit>,
    pub m_axis_tlast: Signal<Out, Bit>,
    pub packets: Signal<Out, Bits<3>>,
    pub asyncs: Signal<Out, Bits<3>>,
    pub reserved_headers: Signal<Out, Bits<3>>,
    pub bad_sequences: Signal<Out, Bits<3>>,
    rows: RecordGroups<4, 2>,
    /// Words of groups in the packet.
    packet_words: DFF<Bits<PACKET_W>>,
    words_before: Signal<Local, Bits<PACKET_W>>,
    words_after: Signal<Local, Bits<PACKET_W>>,
    first_words: Constant<Bits<PACKET_W>>,
    place_path: [PlacePath; BESIDE],
    new_places: [PlaceFields<1>; BESIDE],
    place_fifo: [SyncFifo<GROUP_PLACES_W, PLACES_W>; BESIDE],
    next_places: [PlaceFields<1>; BESIDE],
    places: [DFF<Bus<GROUP_PLACES_W>>; BESIDE],
    no_places: Constant<Bus<GROUP_PLACES_W>>,
    has_row: Signal<Local, Bit>,
    row_fifo: SyncFifo<GROUP_W, PLACES_W>,
    group_sequencer: GroupSequencer<1>,
    unit_state: DFF<Bus<STATE_W>>,
    row: DFF<Bus<GROUP_W>>,
    beats: RecordBeats<1, 1>,
    beat_fifo: SyncFifo<BEAT_W, PLACES_W>,
    beat_fields: BeatFields<1>,
}

impl<const BESIDE: usize> Default for RecordEncoder<BESIDE> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            enable: Default::default(),
            start: Default::default(),
            active: Default::default(),
            flush: Default::default(),
            source: Default::default(),
            settings: Default::default(),
            lost_words: Default::default(),
            port_reset: from_fn(|_| Default::default()),
            port_valid: from_fn(|_| Default::default()),
            port_discontinuity: from_fn(|_| Default::default()),
            port_keep: from_fn(|_| Default::default()),
            port_place: from_fn(|_| Default::default()),
            beside_valid: from_fn(|_| Default::default()),
            beside_keep: from_fn(|_| Default::default()),
            s_valid: Default::default(),
            s_discontinuity: Default::default(),
            s_keep: Default::default(),
            s_lane: Default::default(),
            s_pair: Default::default(),
            hold_back: Default::default(),
            m_axis_tdata: Default::default(),
            m_axis_tvalid: Default::default(),
            m_axis_tready: Default::default(),
            m_axis_tlast: Default::default(),
            packets: Default::default(),
            asyncs: Default::default(),
            reserved_headers: Default::default(),
            bad_sequences: Default::default(),
            rows: Default::default(),
            packet_words: Default::default(),
            words_before: Default::default(),
            words_after: Default::default(),
            first_words: Constant::new(((BESIDE * BESIDE_WORDS) as u64).into()),
            place_path: from_fn(|_| Default::default()),
            new_places: from_fn(|_| Default::default()),
            place_fifo: from_fn(|_| Default::default()),
            next_places: from_fn(|_| Default::default()),
            places: from_fn(|_| Default::default()),
            no_places: Constant::new(Bus::default()),
            has_row: Default::default(),
            row_fifo: Default::default(),
            group_sequencer: Default::default(),
            unit_state: Default::default(),
            row: Default::default(),
            beats: Default::default(),
            beat_fifo: Default::default(),
            beat_fields: Default::default(),
        }
    }
}

impl<const BESIDE: usize> Logic for RecordEncoder<BESIDE> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, unit_state, row, packet_words);
        clock!(self, clock, rows, row_fifo, beats, beat_fifo);

        self.rows.reset.next = self.reset.val();
        self.rows.start.next = self.start.val();
        self.rows.active.next = self.active.val();
        self.rows.flush.next = self.flush.val();
        self.words_before.next = self.packet_words.q.val();
        if self.rows.row_begins.val() {
            self.words_before.next = self.first_words.val();
        }
        self.words_after.next = self.words_before.val();
        if self.rows.row_valid.val() {
            self.words_after.next =
                self.words_before.val() + bit_cast::<PACKET_W, 5>(self.rows.row_words.val());
        }
        self.packet_words.d.next = self.words_after.val();
        self.rows.packet_words.next = self.packet_words.q.val();
        self.rows.source.next = self.source.val();
        self.rows.settings.next = self.settings.val();
        self.rows.valid.next = self.s_valid.val();
        self.rows.lost.next = self.s_discontinuity.val();
        for i in 0..4 {
            self.rows.keep[i].next = self.s_keep[i].val();
            self.rows.lane[i].next = self.s_lane[i].val();
        }
        self.rows.pair0.next = self.s_pair[0].val();
        self.rows.pair1.next = self.s_pair[1].val();
        self.packets.next = self.rows.packets.val();
        self.asyncs.next = self.rows.asyncs.val();
        self.reserved_headers.next = self.rows.reserved_headers.val();
        self.bad_sequences.next = self.rows.bad_sequences.val();

        self.row_fifo.reset.next = self.reset.val();
        self.row_fifo.write_data.next = self.rows.row.val();
        self.row_fifo.write_valid.next = self.rows.row_valid.val() & self.enable.val();
        self.row_fifo.m_axis_tready.next = self.group_sequencer.take.val();
        self.has_row.next = self.row_fifo.m_axis_tvalid.val();
        self.group_sequencer.has_places.next = false;
        self.group_sequencer.may_place.next = false;
        self.beats.places.next = self.no_places.val();
        for i in 0..BESIDE {
            self.place_path[i].clock.next = self.clock.val();
            self.place_path[i].reset.next = self.reset.val();
            self.place_path[i].decoder_reset.next = self.port_reset[i].val();
            self.place_path[i].s_valid.next = self.port_valid[i].val();
            self.place_path[i].s_discontinuity.next = self.port_discontinuity[i].val();
            self.place_path[i].s_keep.next = self.port_keep[i].val();
            self.place_path[i].beside_valid.next = self.beside_valid[i].val();
            self.place_path[i].beside_keep.next = self.beside_keep[i].val();
            self.place_path[i].place.next = self.port_place[i].val();
            self.place_path[i].row.next = self.rows.row.val();
            self.place_path[i].row_valid.next = self.rows.row_valid.val() & self.enable.val();
            self.new_places[i].places.next = self.place_path[i].places.val();
            if self.place_path[i].places_valid.val() & self.new_places[i].are_sent.val() {
                self.packet_words.d.next = self.words_after.val() + 2;
            }
            self.place_fifo[i].clock.next = self.clock.val();
            self.place_fifo[i].reset.next = self.reset.val();
            self.place_fifo[i].write_data.next = self.place_path[i].places.val();
            self.place_fifo[i].write_valid.next = self.place_path[i].places_valid.val();
            self.place_fifo[i].m_axis_tready.next = self.group_sequencer.take.val();
            self.has_row.next =
                self.row_fifo.m_axis_tvalid.val() & self.place_fifo[i].m_axis_tvalid.val();
            self.next_places[i].places.next = self.place_fifo[i].m_axis_tdata.val();
            self.group_sequencer.has_places.next = self.next_places[i].are_sent.val();
            self.group_sequencer.may_place.next = true;
            self.places[i].clock.next = self.clock.val();
            self.places[i].d.next = self.places[i].q.val();
            if self.group_sequencer.take.val() {
                self.places[i].d.next = self.place_fifo[i].m_axis_tdata.val();
            }
            if self.reset.val() {
                self.places[i].d.next = self.no_places.val();
            }
            self.beats.places.next = self.places[i].q.val();
        }
        self.hold_back.next = self.row_fifo.fills_up.val();

        self.group_sequencer.reset.next = self.reset.val();
        self.group_sequencer.room.next = !self.beat_fifo.fills_up.val();
        self.group_sequencer.head.next = self.row_fifo.m_axis_tdata.val();
        self.group_sequencer.head_valid.next = self.has_row.val();
        self.group_sequencer.state.next = self.unit_state.q.val();
        self.unit_state.d.next = self.group_sequencer.state_after.val();
        if self.group_sequencer.take.val() {
            self.row.d.next = self.row_fifo.m_axis_tdata.val();
        }

        self.beats.reset.next = self.reset.val();
        self.beats.row.next = self.row.q.val();
        self.beats.select.next = self.group_sequencer.select.val();
        self.beats.lost_words.next = self.lost_words.val();

        self.beat_fifo.reset.next = self.reset.val();
        self.beat_fifo.write_data.next = self.beats.beat.val();
        self.beat_fifo.write_valid.next = self.beats.beat_valid.val();
        self.beat_fifo.m_axis_tready.next = self.m_axis_tready.val();
        self.m_axis_tvalid.next = self.beat_fifo.m_axis_tvalid.val();
        self.beat_fields.beat.next = self.beat_fifo.m_axis_tdata.val();
        self.m_axis_tdata.next = self.beat_fields.words.val();
        self.m_axis_tlast.next = self.beat_fields.last.val();
    }
}
