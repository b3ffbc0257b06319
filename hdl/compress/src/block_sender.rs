// SPDX-License-Identifier: MIT OR Apache-2.0
//! `BlockSender`: a block in a memory of 2^A words of 64 bits to AXI4-Stream.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high |
//! | `start` | in | a block is complete; not while `is_busy` |
//! | `end_place[A-1:0]`, `bits[19:0]` | in | with `start`: the place behind its last word in memory, and the number of bits of its records |
//! | `last_place[A-1:0]` | in | the place of the last word but one of each block; steady |
//! | `read_place[A-1:0]`, `read_word[63:0]` | out, in | the memory; the word comes a cycle later |
//! | `is_busy` | out | words are still to be read |
//! | `place[A-1:0]` | out | what is in front of it in memory was read |
//! | `m_axis_tdata[63:0]`, `m_axis_tvalid`, `m_axis_tready`, `m_axis_tlast` | out, out, in, out | the block |
//!
//! Zeros follow the words in memory, and then the trailer.
//!
//! Latency 2 cycles to the first word. Throughput one word per cycle; 16 cycles are free in front of
//! the last one.

use super::beat::BEAT_BITS;
use super::block_control::FILL_W;
use super::block_crc::BlockCrc;
use coretrace_hdl_dataflow::{Bus, Word, kernel_block};
use rust_hdl::prelude::*;

#[derive(LogicBlock)]
pub struct BlockSender<const A: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub start: Signal<In, Bit>,
    pub end_place: Signal<In, Bits<A>>,
    pub bits: Signal<In, Bits<FILL_W>>,
    pub last_place: Signal<In, Bits<A>>,
    pub read_place: Signal<Out, Bits<A>>,
    pub read_word: Signal<In, Bus<BEAT_BITS>>,
    pub is_busy: Signal<Out, Bit>,
    pub place: Signal<Out, Bits<A>>,
    pub m_axis_tdata: Signal<Out, Bus<BEAT_BITS>>,
    pub m_axis_tvalid: Signal<Out, Bit>,
    pub m_axis_tready: Signal<In, Bit>,
    pub m_axis_tlast: Signal<Out, Bit>,
    crc: BlockCrc<1, 1>,
    trailer: JoinTrailer<1>,
    busy: DFF<Bit>,
    held_end: DFF<Bits<A>>,
    count: DFF<Bits<FILL_W>>,
    /// The place of the word that the memory has at its output.
    next_place: DFF<Bits<A>>,
    /// All words but the last were loaded, so many cycles ago.
    is_closing: DFF<Bit>,
    cycles: DFF<Bits<4>>,
    word: DFF<Bus<BEAT_BITS>>,
    valid: DFF<Bit>,
    last: DFF<Bit>,
    was_loaded: DFF<Bit>,
    is_free: Signal<Local, Bit>,
    loads: Signal<Local, Bit>,
    reads: Signal<Local, Bits<A>>,
    zeros: Constant<Bus<BEAT_BITS>>,
}

impl<const A: usize> Default for BlockSender<A> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            start: Default::default(),
            end_place: Default::default(),
            bits: Default::default(),
            last_place: Default::default(),
            read_place: Default::default(),
            read_word: Default::default(),
            is_busy: Default::default(),
            place: Default::default(),
            m_axis_tdata: Default::default(),
            m_axis_tvalid: Default::default(),
            m_axis_tready: Default::default(),
            m_axis_tlast: Default::default(),
            crc: Default::default(),
            trailer: Default::default(),
            busy: Default::default(),
            held_end: Default::default(),
            count: Default::default(),
            next_place: Default::default(),
            is_closing: Default::default(),
            cycles: Default::default(),
            word: Default::default(),
            valid: Default::default(),
            last: Default::default(),
            was_loaded: Default::default(),
            is_free: Default::default(),
            loads: Default::default(),
            reads: Default::default(),
            zeros: Constant::new(Bus::default()),
        }
    }
}

impl<const A: usize> Logic for BlockSender<A> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, crc);
        dff_setup!(
            self, clock, busy, held_end, count, next_place, is_closing, cycles, word, valid, last,
            was_loaded
        );
        self.is_free.next = !self.valid.q.val() | self.m_axis_tready.val();
        self.loads.next = self.busy.q.val() & !self.is_closing.q.val() & self.is_free.val();
        if self.is_free.val() {
            self.valid.d.next = false;
        }

        // The memory gets the place of the word to output after this cycle.
        self.reads.next = self.next_place.q.val();
        if self.loads.val() {
            self.reads.next = self.next_place.q.val() + 1;
            self.valid.d.next = true;
            self.last.d.next = false;
            self.word.d.next = self.zeros.val();
            if self.next_place.q.val() < self.held_end.q.val() {
                self.word.d.next = self.read_word.val();
            }
            self.is_closing.d.next = self.next_place.q.val() == self.last_place.val();
        }
        self.was_loaded.d.next = self.loads.val();

        // The CRC is known when the last word but one has gone through it.
        self.crc.start.next = self.start.val();
        self.crc.word_valid.next = self.was_loaded.q.val();
        self.crc.word.next = self.word.q.val();
        self.crc.count_valid.next = self.is_closing.q.val() & (self.cycles.q.val() == 1);
        self.crc.count.next = bit_cast::<32, FILL_W>(self.count.q.val());
        self.trailer.bits.next = bit_cast::<32, FILL_W>(self.count.q.val());
        self.trailer.crc.next = self.crc.crc.val();
        if self.is_closing.q.val() {
            if !self.cycles.q.val().all() {
                self.cycles.d.next = self.cycles.q.val() + 1;
            }
            if self.cycles.q.val().all() & self.is_free.val() {
                self.word.d.next = self.trailer.word.val();
                self.valid.d.next = true;
                self.last.d.next = true;
                self.busy.d.next = false;
                self.is_closing.d.next = false;
            }
        }
        if self.start.val() {
            self.busy.d.next = true;
            self.reads.next = 0.into();
            self.held_end.d.next = self.end_place.val();
            self.count.d.next = self.bits.val();
            self.cycles.d.next = 0.into();
        }
        self.next_place.d.next = self.reads.val();
        self.read_place.next = self.reads.val();
        self.is_busy.next = self.busy.q.val();
        self.place.next = self.next_place.q.val();
        self.m_axis_tdata.next = self.word.q.val();
        self.m_axis_tvalid.next = self.valid.q.val();
        self.m_axis_tlast.next = self.last.q.val();

        if self.reset.val() {
            self.busy.d.next = false;
            self.is_closing.d.next = false;
            self.valid.d.next = false;
        }
    }
}

kernel_block! {
    /// The number of bits and the CRC as the last word of a block. Combinational; `N` is 1.
    pub struct JoinTrailer;
    inputs TrailerInputs { bits: Bits<32>, crc: Bits<32>, }
    lane_inputs {}
    outputs TrailerOutputs { word: Bus<BEAT_BITS>, }
    lane_outputs {}
    kernel join_trailer;
}

fn join_trailer<T: Word, const N: usize>(i: TrailerInputs<T::Port, N>) -> TrailerOutputs<T, N> {
    TrailerOutputs {
        word: vec![T::field(&i.bits, 0, 32), T::field(&i.crc, 0, 32)],
    }
}
