// SPDX-License-Identifier: MIT OR Apache-2.0
//! `BlockSender`: the words of blocks to AXI4-Stream, with what is behind their records: zeros and the trailer.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high |
//! | `last_place[A-1:0]` | in | the place of the last word but one of each block; steady |
//! | `row[64:0]`, `row_valid`, `row_ready` | in, in, out | a word of a [`BlockWord`](super::BlockWord): header and records of a block, then what is in front of its CRC |
//! | `is_busy` | out | a block has begun, and its last word is still to come |
//! | `m_axis_tdata[63:0]`, `m_axis_tvalid`, `m_axis_tready`, `m_axis_tlast` | out, out, in, out | the block |
//!
//! Words leave as they come: nothing waits for the end of the block.
//!
//! Latency 1 cycle. Throughput one word per cycle; 16 cycles are free in front of the last one.

use super::beat::BEAT_BITS;
use super::block_crc::BlockCrc;
use super::block_word::BLOCK_ROW_W;
use coretrace_hdl_dataflow::{Bus, Word, kernel_block};
use rust_hdl::prelude::*;

#[derive(LogicBlock)]
pub struct BlockSender<const A: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub last_place: Signal<In, Bits<A>>,
    pub row: Signal<In, Bus<BLOCK_ROW_W>>,
    pub row_valid: Signal<In, Bit>,
    pub row_ready: Signal<Out, Bit>,
    pub is_busy: Signal<Out, Bit>,
    pub m_axis_tdata: Signal<Out, Bus<BEAT_BITS>>,
    pub m_axis_tvalid: Signal<Out, Bit>,
    pub m_axis_tready: Signal<In, Bit>,
    pub m_axis_tlast: Signal<Out, Bit>,
    split: SplitRow<1>,
    crc: BlockCrc<1, 1>,
    trailer: JoinTrailer<1>,
    busy: DFF<Bit>,
    /// Where the next word of the block goes.
    place: DFF<Bits<A>>,
    /// What is in front of the CRC, once it is known: the records have ended.
    count: DFF<Bits<32>>,
    has_count: DFF<Bit>,
    /// All words but the last were loaded, and the CRC takes in the trailer for so many cycles.
    is_closing: DFF<Bit>,
    cycles: DFF<Bits<4>>,
    word: DFF<Bus<BEAT_BITS>>,
    valid: DFF<Bit>,
    last: DFF<Bit>,
    was_loaded: DFF<Bit>,
    is_free: Signal<Local, Bit>,
    takes_count: Signal<Local, Bit>,
    takes_word: Signal<Local, Bit>,
    loads: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    zeros: Constant<Bus<BEAT_BITS>>,
}

impl<const A: usize> Default for BlockSender<A> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            last_place: Default::default(),
            row: Default::default(),
            row_valid: Default::default(),
            row_ready: Default::default(),
            is_busy: Default::default(),
            m_axis_tdata: Default::default(),
            m_axis_tvalid: Default::default(),
            m_axis_tready: Default::default(),
            m_axis_tlast: Default::default(),
            split: Default::default(),
            crc: Default::default(),
            trailer: Default::default(),
            busy: Default::default(),
            place: Default::default(),
            count: Default::default(),
            has_count: Default::default(),
            is_closing: Default::default(),
            cycles: Default::default(),
            word: Default::default(),
            valid: Default::default(),
            last: Default::default(),
            was_loaded: Default::default(),
            is_free: Default::default(),
            takes_count: Default::default(),
            takes_word: Default::default(),
            loads: Default::default(),
            ends: Default::default(),
            zeros: Constant::new(Bus::default()),
        }
    }
}

impl<const A: usize> Logic for BlockSender<A> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, crc);
        dff_setup!(
            self, clock, busy, place, count, has_count, is_closing, cycles, word, valid, last,
            was_loaded
        );
        self.is_free.next = !self.valid.q.val() | self.m_axis_tready.val();
        self.split.row.next = self.row.val();
        self.takes_count.next =
            self.row_valid.val() & self.split.is_count.val() & !self.has_count.q.val();
        self.takes_word.next = self.row_valid.val()
            & !self.split.is_count.val()
            & !self.has_count.q.val()
            & self.is_free.val();
        self.row_ready.next = self.takes_count.val() | self.takes_word.val();
        self.loads.next = self.takes_word.val()
            | self.has_count.q.val() & !self.is_closing.q.val() & self.is_free.val();
        if self.is_free.val() {
            self.valid.d.next = false;
        }
        if self.takes_count.val() {
            self.count.d.next = self.split.count.val();
            self.has_count.d.next = true;
        }
        if self.loads.val() {
            self.busy.d.next = true;
            self.valid.d.next = true;
            self.last.d.next = false;
            self.word.d.next = self.zeros.val();
            if self.takes_word.val() {
                self.word.d.next = self.split.word.val();
            }
            self.place.d.next = self.place.q.val() + 1;
            self.is_closing.d.next = self.place.q.val() == self.last_place.val();
        }
        self.was_loaded.d.next = self.loads.val();

        self.ends.next = self.cycles.q.val().all() & self.is_free.val();
        // The CRC is known when the last word but one has gone through it.
        // Between blocks it starts, whatever word a reset left on its way.
        self.crc.start.next = !self.busy.q.val();
        self.crc.word_valid.next = self.was_loaded.q.val();
        self.crc.word.next = self.word.q.val();
        self.crc.count_valid.next = self.cycles.q.val() == 1;
        self.crc.count.next = self.count.q.val();
        self.trailer.count.next = self.count.q.val();
        self.trailer.crc.next = self.crc.crc.val();
        if self.is_closing.q.val() & self.has_count.q.val() & !self.cycles.q.val().all() {
            self.cycles.d.next = self.cycles.q.val() + 1;
        }
        if self.ends.val() {
            self.word.d.next = self.trailer.word.val();
            self.valid.d.next = true;
            self.last.d.next = true;
            self.busy.d.next = false;
            self.place.d.next = 0.into();
            self.has_count.d.next = false;
            self.is_closing.d.next = false;
            self.cycles.d.next = 0.into();
        }
        self.is_busy.next = self.busy.q.val();
        self.m_axis_tdata.next = self.word.q.val();
        self.m_axis_tvalid.next = self.valid.q.val();
        self.m_axis_tlast.next = self.last.q.val();

        if self.reset.val() {
            self.busy.d.next = false;
            self.place.d.next = 0.into();
            self.has_count.d.next = false;
            self.is_closing.d.next = false;
            self.cycles.d.next = 0.into();
            self.valid.d.next = false;
        }
    }
}

kernel_block! {
    /// A word and its flag. Combinational; `N` is 1.
    pub struct SplitRow;
    inputs RowInputs { row: Bus<BLOCK_ROW_W>, }
    lane_inputs {}
    outputs RowOutputs { word: Bus<BEAT_BITS>, count: Bits<32>, is_count: Bit, }
    lane_outputs {}
    kernel split_row;
}

fn split_row<T: Word, const N: usize>(i: RowInputs<T::Port, N>) -> RowOutputs<T, N> {
    RowOutputs {
        word: vec![T::field(&i.row, 0, BEAT_BITS as u32)],
        count: vec![T::field(&i.row, 0, 32)],
        is_count: vec![T::field(&i.row, BEAT_BITS as u32, 1)],
    }
}

kernel_block! {
    /// The last two words of 32 bits as the last word of a block. Combinational; `N` is 1.
    pub struct JoinTrailer;
    inputs TrailerInputs { count: Bits<32>, crc: Bits<32>, }
    lane_inputs {}
    outputs TrailerOutputs { word: Bus<BEAT_BITS>, }
    lane_outputs {}
    kernel join_trailer;
}

fn join_trailer<T: Word, const N: usize>(i: TrailerInputs<T::Port, N>) -> TrailerOutputs<T, N> {
    TrailerOutputs {
        word: vec![T::field(&i.count, 0, 32), T::field(&i.crc, 0, 32)],
    }
}
