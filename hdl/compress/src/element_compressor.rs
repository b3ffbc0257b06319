// SPDX-License-Identifier: MIT OR Apache-2.0
//! `ElementCompressor`: elements of a trace unit, and bytes of the packets between them, to blocks of XE:
//! [`ElementEncoder`](super::ElementEncoder) within [`EventBlocks`](super::EventBlocks).
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock` to `flush`, `lost` to `encoder_numbers`, `m_axis_tdata` to `m_axis_tlast` | | as of [`RaptorCompressor`](super::RaptorCompressor) |
//! | `element_valid`, `is_bytes`, `taken`, `has_address`, `address[61:0]` | in | an element or bytes, see [`ElementEncoder`](super::ElementEncoder) |
//! | `begins`, `lost_before[31:0]` | in | with `element_valid`: it is none, but elements begin; so many were lost in front of it |
//! | `ready` | out | there is room for more: a quarter of the FIFO, less three places |
//!
//! 2^F are the places of the FIFO, 2^W the words of 64 bits of the largest block. Headers have the address 0.
//!
//! An element that finds the FIFO full is lost and counted as an event is. What comes behind it then is no trace that
//! can be read, so whoever has elements waits for `ready`.

use super::beat::BEAT_BITS;
use super::block_word::{ENCODER_W, first_word};
use super::branch_bits::ADDRESS_W;
use super::element_encoder::ElementEncoder;
use super::event_blocks::EventBlocks;
use super::fifo_entry::LOST_W;
use super::history_tail::HistoryTail;
use coretrace_abi::compressed::encoder::ELEMENTS;
use coretrace_hdl_dataflow::Bus;
use rust_hdl::prelude::*;

#[derive(LogicBlock)]
pub struct ElementCompressor<const F: usize, const W: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub trace_id: Signal<In, Bits<7>>,
    pub last_place: Signal<In, Bits<W>>,
    pub most_cycles: Signal<In, Bits<32>>,
    pub flush: Signal<In, Bit>,
    pub element_valid: Signal<In, Bit>,
    pub begins: Signal<In, Bit>,
    pub lost_before: Signal<In, Bits<LOST_W>>,
    pub is_bytes: Signal<In, Bit>,
    pub taken: Signal<In, Bit>,
    pub has_address: Signal<In, Bit>,
    pub address: Signal<In, Bus<ADDRESS_W>>,
    pub ready: Signal<Out, Bit>,
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
    encoder: ElementEncoder,
    tail: HistoryTail<1, 1>,
    has_room: DFF<Bit>,
    first_word: Constant<Bits<32>>,
    nowhere: Constant<Bus<ADDRESS_W>>,
    three_quarters: Constant<Bits<F>>,
}

impl<const F: usize, const W: usize> Default for ElementCompressor<F, W> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            trace_id: Default::default(),
            last_place: Default::default(),
            most_cycles: Default::default(),
            flush: Default::default(),
            element_valid: Default::default(),
            begins: Default::default(),
            lost_before: Default::default(),
            is_bytes: Default::default(),
            taken: Default::default(),
            has_address: Default::default(),
            address: Default::default(),
            ready: Default::default(),
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
            encoder: Default::default(),
            tail: Default::default(),
            has_room: Default::default(),
            first_word: Constant::new(u64::from(first_word((ELEMENTS, 0))).into()),
            nowhere: Constant::new(Bus::default()),
            three_quarters: Constant::new((3_u64 << (F - 2)).into()),
        }
    }
}

impl<const F: usize, const W: usize> Logic for ElementCompressor<F, W> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, blocks, encoder, tail);
        dff_setup!(self, clock, has_room);
        self.blocks.reset.next = self.reset.val();
        self.blocks.first_word.next = self.first_word.val();
        self.blocks.trace_id.next = self.trace_id.val();
        self.blocks.is_a32.next = false;
        self.blocks.last_place.next = self.last_place.val();
        self.blocks.most_cycles.next = self.most_cycles.val();
        self.blocks.flush.next = self.flush.val();
        // An element as an event that leads nowhere: a header has the address where the event in front of it led.
        self.blocks.event_valid.next = self.element_valid.val();
        self.blocks.begins.next = self.begins.val();
        self.blocks.lost_before.next = self.lost_before.val();
        self.blocks.pc.next = self.address.val();
        self.blocks.next_pc.next = self.nowhere.val();
        self.blocks.kind.next = 0.into();
        if self.has_address.val() {
            self.blocks.kind.next = 1.into();
        }
        self.blocks.taken.next = self.taken.val();
        self.blocks.is_discontinuity.next = self.is_bytes.val();
        self.blocks.instructions.next = 0.into();
        self.lost.next = self.blocks.lost.val();
        self.takes.next = self.blocks.takes.val();
        self.loses.next = self.blocks.loses.val();
        self.waiting.next = self.blocks.waiting.val();
        self.has_room.d.next = self.blocks.waiting.val() < self.three_quarters.val();
        self.ready.next = self.has_room.q.val();
        self.is_idle.next = self.blocks.is_idle.val();
        self.encoder_numbers.next = self.first_word.val().get_bits::<ENCODER_W>(0);

        self.encoder.start.next = self.blocks.start.val();
        self.encoder.element_valid.next = self.blocks.coded_valid.val();
        self.encoder.is_bytes.next = self.blocks.coded_is_discontinuity.val();
        self.encoder.taken.next = self.blocks.coded_taken.val();
        self.encoder.has_address.next = self.blocks.coded_kind.val().get_bit(0);
        self.encoder.address.next = self.blocks.coded_pc.val();
        self.blocks.ready.next = self.encoder.ready.val();
        self.blocks.beat_valid.next = self.encoder.beat_valid.val();
        self.blocks.beat_bits.next = self.encoder.beat_bits.val();
        self.blocks.beat_count.next = self.encoder.beat_count.val();
        self.blocks.beat_last.next = self.encoder.beat_last.val();
        self.blocks.beat_overflows.next = false;

        self.tail.keeps.next = self.blocks.keeps.val();
        self.tail.events.next = self.encoder.events.val();
        self.tail.rest.next = 0.into();
        self.tail.slots.next = self.blocks.tail_slots.val();
        self.blocks.tail.next = self.tail.tail.val();
        self.blocks.tail_records.next = self.tail.records.val();
        self.m_axis_tdata.next = self.blocks.m_axis_tdata.val();
        self.m_axis_tvalid.next = self.blocks.m_axis_tvalid.val();
        self.blocks.m_axis_tready.next = self.m_axis_tready.val();
        self.m_axis_tlast.next = self.blocks.m_axis_tlast.val();
    }
}
