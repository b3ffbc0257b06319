// SPDX-License-Identifier: MIT OR Apache-2.0
//! `StreamCacheCompressor`: branch events to blocks of rBASE:
//! [`StreamCacheEncoder`](super::StreamCacheEncoder) within [`EventBlocks`](super::EventBlocks).
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high, and must come once |
//! | `trace_id[6:0]`, `is_a32` | in | of each header; steady |
//! | `last_place[W-1:0]` | in | the place of the last word but one of each block, in words of 64 bits; steady |
//! | `most_cycles[31:0]` | in | how long a block with an event may be open until it is closed short; 0 is for ever |
//! | `flush` | in | the block is closed short behind the events so far |
//! | `event_valid`, `begins`, `lost_before`, `pc` to `instructions` | in | an event, see [`EventFifo`](super::EventFifo); there is no TREADY |
//! | `lost[31:0]` | out | events that were lost since reset, here and in front of it, saturating |
//! | `takes`, `loses`, `waiting[F-1:0]` | out | an event is kept, or lost, in this cycle; how many wait |
//! | `is_idle` | out | no event waits, and no block is open or on its way out |
//! | `encoder_numbers[11:0]` | out | the numbers of the encoder and its preset, as a header has them |
//! | `m_axis_tdata[63:0]`, `m_axis_tvalid`, `m_axis_tready`, `m_axis_tlast` | out, out, in, out | the blocks of `coretrace_abi::compressed::block`, TLAST at the end of each |
//!
//! 2^F are the places of the FIFO, 2^W the words of 64 bits of the largest block. An event with 2^14 instructions or
//! more is lost and counted, see [`LongEvents`](super::LongEvents).
//!
//! A TREADY that is low for long fills the FIFO of words, and then that of events; then events are lost and
//! counted, and the next block says so.

use super::beat::BEAT_BITS;
use super::block_word::{ENCODER_W, first_word};
use super::branch_bits::{ADDRESS_W, INSTRUCTIONS_W, KIND_W};
use super::event_blocks::EventBlocks;
use super::fifo_entry::LOST_W;
use super::long_events::LongEvents;
use super::stream_cache_encoder::StreamCacheEncoder;
use super::stream_cuts::STREAM_INSTRUCTIONS_W;
use super::stream_tail::StreamTail;
use coretrace_abi::compressed::encoder::Encoder;
use coretrace_abi::compressed::stream_cache::Scheme;
use coretrace_hdl_dataflow::Bus;
use rust_hdl::prelude::*;

#[derive(LogicBlock)]
pub struct StreamCacheCompressor<const F: usize, const W: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub trace_id: Signal<In, Bits<7>>,
    pub is_a32: Signal<In, Bit>,
    pub last_place: Signal<In, Bits<W>>,
    pub most_cycles: Signal<In, Bits<32>>,
    pub flush: Signal<In, Bit>,
    pub event_valid: Signal<In, Bit>,
    pub begins: Signal<In, Bit>,
    pub lost_before: Signal<In, Bits<LOST_W>>,
    pub pc: Signal<In, Bus<ADDRESS_W>>,
    pub next_pc: Signal<In, Bus<ADDRESS_W>>,
    pub kind: Signal<In, Bits<KIND_W>>,
    pub taken: Signal<In, Bit>,
    pub is_discontinuity: Signal<In, Bit>,
    pub instructions: Signal<In, Bits<INSTRUCTIONS_W>>,
    pub lost: Signal<Out, Bits<LOST_W>>,
    pub takes: Signal<Out, Bit>,
    pub loses: Signal<Out, Bit>,
    pub waiting: Signal<Out, Bits<F>>,
    pub is_idle: Signal<Out, Bit>,
    pub encoder_numbers: Signal<Out, Bits<ENCODER_W>>,
    pub m_axis_tdata: Signal<Out, Bus<BEAT_BITS>>,
    pub m_axis_tvalid: Signal<Out, Bit>,
    pub m_axis_tready: Signal<In, Bit>,
    pub m_axis_tlast: Signal<Out, Bit>,
    blocks: EventBlocks<F, W>,
    long: LongEvents<1>,
    encoder: StreamCacheEncoder,
    tail: StreamTail<1, 1>,
    first_word: Constant<Bits<32>>,
}

impl<const F: usize, const W: usize> Default for StreamCacheCompressor<F, W> {
    fn default() -> Self {
        let encoder = Encoder::StreamCache(Scheme::Reduced);
        Self {
            clock: Default::default(),
            reset: Default::default(),
            trace_id: Default::default(),
            is_a32: Default::default(),
            last_place: Default::default(),
            most_cycles: Default::default(),
            flush: Default::default(),
            event_valid: Default::default(),
            begins: Default::default(),
            lost_before: Default::default(),
            pc: Default::default(),
            next_pc: Default::default(),
            kind: Default::default(),
            taken: Default::default(),
            is_discontinuity: Default::default(),
            instructions: Default::default(),
            lost: Default::default(),
            takes: Default::default(),
            loses: Default::default(),
            waiting: Default::default(),
            is_idle: Default::default(),
            encoder_numbers: Default::default(),
            m_axis_tdata: Default::default(),
            m_axis_tvalid: Default::default(),
            m_axis_tready: Default::default(),
            m_axis_tlast: Default::default(),
            blocks: Default::default(),
            long: Default::default(),
            encoder: Default::default(),
            tail: Default::default(),
            first_word: Constant::new(u64::from(first_word(encoder.numbers())).into()),
        }
    }
}

impl<const F: usize, const W: usize> Logic for StreamCacheCompressor<F, W> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, blocks, encoder, tail);
        self.blocks.reset.next = self.reset.val();
        self.blocks.first_word.next = self.first_word.val();
        self.blocks.trace_id.next = self.trace_id.val();
        self.blocks.is_a32.next = self.is_a32.val();
        self.blocks.last_place.next = self.last_place.val();
        self.blocks.most_cycles.next = self.most_cycles.val();
        self.blocks.flush.next = self.flush.val();
        self.blocks.event_valid.next = self.event_valid.val();
        self.long.event_valid.next = self.event_valid.val();
        self.long.begins.next = self.begins.val();
        self.long.lost_before.next = self.lost_before.val();
        self.long.instructions.next = self.instructions.val();
        self.blocks.begins.next = self.long.loss_begins.val();
        self.blocks.lost_before.next = self.long.loss_before.val();
        self.blocks.pc.next = self.pc.val();
        self.blocks.next_pc.next = self.next_pc.val();
        self.blocks.kind.next = self.kind.val();
        self.blocks.taken.next = self.taken.val();
        self.blocks.is_discontinuity.next = self.is_discontinuity.val();
        self.blocks.instructions.next = self.instructions.val();
        self.lost.next = self.blocks.lost.val();
        self.takes.next = self.blocks.takes.val();
        self.loses.next = self.blocks.loses.val() | self.long.is_long.val();
        self.waiting.next = self.blocks.waiting.val();
        self.is_idle.next = self.blocks.is_idle.val();
        self.encoder_numbers.next = self.first_word.val().get_bits::<ENCODER_W>(0);

        self.encoder.is_a32.next = self.is_a32.val();
        self.encoder.limit.next = self.blocks.limit.val();
        self.encoder.start.next = self.blocks.start.val();
        self.encoder.start_address.next = self.blocks.start_address.val();
        self.encoder.event_valid.next = self.blocks.coded_valid.val();
        self.encoder.next_pc.next = self.blocks.coded_next_pc.val();
        self.encoder.kind.next = self.blocks.coded_kind.val();
        self.encoder.taken.next = self.blocks.coded_taken.val();
        self.encoder.is_discontinuity.next = self.blocks.coded_is_discontinuity.val();
        self.encoder.instructions.next = self
            .blocks
            .coded_instructions
            .val()
            .get_bits::<STREAM_INSTRUCTIONS_W>(0);
        self.blocks.ready.next = self.encoder.ready.val();
        self.blocks.beat_valid.next = self.encoder.beat_valid.val();
        self.blocks.beat_bits.next = self.encoder.beat_bits.val();
        self.blocks.beat_count.next = self.encoder.beat_count.val();
        self.blocks.beat_last.next = self.encoder.beat_last.val();
        self.blocks.beat_overflows.next = self.encoder.beat_overflows.val();

        self.tail.keeps.next = self.blocks.keeps.val();
        self.tail.rest.next = self.encoder.rest.val();
        self.tail.rest_start.next = self.encoder.rest_start.val();
        self.tail.rest_run.next = self.encoder.rest_run.val();
        self.tail.slots.next = self.blocks.tail_slots.val();
        self.blocks.tail.next = self.tail.tail.val();
        self.blocks.tail_records.next = self.tail.records.val();
        self.m_axis_tdata.next = self.blocks.m_axis_tdata.val();
        self.m_axis_tvalid.next = self.blocks.m_axis_tvalid.val();
        self.blocks.m_axis_tready.next = self.m_axis_tready.val();
        self.m_axis_tlast.next = self.blocks.m_axis_tlast.val();
    }
}
