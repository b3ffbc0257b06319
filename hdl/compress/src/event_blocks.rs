// SPDX-License-Identifier: MIT OR Apache-2.0
//! `EventBlocks`: what compressors have around their encoder: [`EventFifo`](super::EventFifo) in front of it,
//! [`BlockFramer`](super::BlockFramer) behind it.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high |
//! | `first_word[31:0]` | in | of each header; steady |
//! | `trace_id` to `is_idle`, `m_axis_tdata` to `m_axis_tlast` | | see [`RaptorCompressor`](super::RaptorCompressor) |
//! | `limit[19:0]` | out | an event begins with at most so many bits in a block |
//! | `start` to `coded_instructions`, `ready` | out, in | events for the encoder, see [`RaptorEncoder`](super::RaptorEncoder) |
//! | `beat_valid` to `beat_overflows` | in | its beats |
//! | `keeps` to `tail_records` | | what is behind the last event, see [`BlockFramer`](super::BlockFramer) |
//!
//! 2^F are the places of the FIFO, 2^W the words of 64 bits of the largest block.

use super::beat::{BEAT_BITS, BEAT_COUNT_W, BEAT_W};
use super::block_control::{FILL_W, TAIL_SLOTS};
use super::block_framer::BlockFramer;
use super::branch_bits::{ADDRESS_W, INSTRUCTIONS_W, KIND_W};
use super::event_fifo::EventFifo;
use super::fifo_entry::{LOST_W, SplitEntry};
use coretrace_hdl_dataflow::Bus;
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
pub struct EventBlocks<const F: usize, const W: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub first_word: Signal<In, Bits<32>>,
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
    pub limit: Signal<Out, Bits<FILL_W>>,
    pub start: Signal<Out, Bit>,
    pub start_address: Signal<Out, Bus<ADDRESS_W>>,
    pub coded_valid: Signal<Out, Bit>,
    pub coded_pc: Signal<Out, Bus<ADDRESS_W>>,
    pub coded_next_pc: Signal<Out, Bus<ADDRESS_W>>,
    pub coded_kind: Signal<Out, Bits<KIND_W>>,
    pub coded_taken: Signal<Out, Bit>,
    pub coded_is_discontinuity: Signal<Out, Bit>,
    pub coded_instructions: Signal<Out, Bits<INSTRUCTIONS_W>>,
    pub ready: Signal<In, Bit>,
    pub beat_valid: Signal<In, Bit>,
    pub beat_bits: Signal<In, Bus<BEAT_BITS>>,
    pub beat_count: Signal<In, Bits<BEAT_COUNT_W>>,
    pub beat_last: Signal<In, Bit>,
    pub beat_overflows: Signal<In, Bit>,
    pub keeps: Signal<Out, Bit>,
    pub tail_slots: Signal<Out, Bits<TAIL_SLOTS>>,
    pub tail: Signal<In, Bus<BEAT_W>>,
    pub tail_records: Signal<In, Bits<BEAT_COUNT_W>>,
    pub m_axis_tdata: Signal<Out, Bus<BEAT_BITS>>,
    pub m_axis_tvalid: Signal<Out, Bit>,
    pub m_axis_tready: Signal<In, Bit>,
    pub m_axis_tlast: Signal<Out, Bit>,
    fifo: EventFifo<F>,
    split: SplitEntry<1>,
    framer: BlockFramer<W>,
}

impl<const F: usize, const W: usize> Logic for EventBlocks<F, W> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, fifo, framer);
        self.fifo.reset.next = self.reset.val();
        self.fifo.event_valid.next = self.event_valid.val();
        self.fifo.begins.next = self.begins.val();
        self.fifo.lost_before.next = self.lost_before.val();
        self.fifo.pc.next = self.pc.val();
        self.fifo.next_pc.next = self.next_pc.val();
        self.fifo.kind.next = self.kind.val();
        self.fifo.taken.next = self.taken.val();
        self.fifo.is_discontinuity.next = self.is_discontinuity.val();
        self.fifo.instructions.next = self.instructions.val();
        self.fifo.flush.next = self.flush.val() | self.framer.is_over.val();
        self.fifo.entry_ready.next = self.framer.entry_ready.val();
        self.fifo.commit.next = self.framer.commit.val();
        self.fifo.rewind.next = self.framer.rewind.val();
        self.lost.next = self.fifo.lost.val();
        self.takes.next = self.fifo.takes.val();
        self.loses.next = self.fifo.loses.val();
        self.waiting.next = self.fifo.waiting.val();
        self.is_idle.next = self.fifo.is_empty.val() & self.framer.is_empty.val();

        self.split.entry.next = self.fifo.entry.val();
        self.limit.next = self.framer.limit.val();
        self.start.next = self.framer.start.val();
        self.start_address.next = self.framer.start_address.val();
        self.coded_valid.next = self.framer.event_valid.val();
        self.coded_pc.next = self.split.pc.val();
        self.coded_next_pc.next = self.split.next_pc.val();
        self.coded_kind.next = self.split.kind.val();
        self.coded_taken.next = self.split.taken.val();
        self.coded_is_discontinuity.next = self.split.is_discontinuity.val();
        self.coded_instructions.next = self.split.instructions.val();

        self.framer.reset.next = self.reset.val();
        self.framer.first_word.next = self.first_word.val();
        self.framer.trace_id.next = self.trace_id.val();
        self.framer.is_a32.next = self.is_a32.val();
        self.framer.last_place.next = self.last_place.val();
        self.framer.most_cycles.next = self.most_cycles.val();
        self.framer.entry_valid.next = self.fifo.entry_valid.val();
        self.framer.is_mark.next = self.split.is_mark.val();
        self.framer.is_flush_mark.next = self.split.is_flush.val();
        self.framer.is_loss.next = self.split.is_loss.val();
        self.framer.lost_events.next = self.split.lost.val();
        self.framer.next_pc.next = self.split.next_pc.val();
        self.framer.ready.next = self.ready.val();
        self.framer.beat_valid.next = self.beat_valid.val();
        self.framer.beat_bits.next = self.beat_bits.val();
        self.framer.beat_count.next = self.beat_count.val();
        self.framer.beat_last.next = self.beat_last.val();
        self.framer.beat_overflows.next = self.beat_overflows.val();
        self.keeps.next = self.framer.keeps.val();
        self.tail_slots.next = self.framer.tail_slots.val();
        self.framer.tail.next = self.tail.val();
        self.framer.tail_records.next = self.tail_records.val();
        self.m_axis_tdata.next = self.framer.m_axis_tdata.val();
        self.m_axis_tvalid.next = self.framer.m_axis_tvalid.val();
        self.framer.m_axis_tready.next = self.m_axis_tready.val();
        self.m_axis_tlast.next = self.framer.m_axis_tlast.val();
    }
}
