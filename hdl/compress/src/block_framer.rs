// SPDX-License-Identifier: MIT OR Apache-2.0
//! `BlockFramer`: entries of an [`EventFifo`](super::EventFifo) through an encoder into blocks of at most
//! 2^A words of 64 bits.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high |
//! | `first_word[31:0]`, `trace_id[6:0]`, `is_a32` | in | of each header; steady |
//! | `last_place[A-1:0]` | in | the place of the last word but one of each block; steady |
//! | `limit[19:0]` | out | an event begins with at most so many bits in the block |
//! | `most_cycles[31:0]`, `is_over` | in, out | how long a block with an event may be open, 0 is for ever; a flush is due |
//! | `entry_valid`, `is_mark` to `next_pc`, `entry_ready`, `commit`, `rewind` | | see [`BlockControl`](super::BlockControl) |
//! | `start` to `beat_overflows` | | the encoder, see [`RaptorEncoder`](super::RaptorEncoder) |
//! | `keeps` | out | the event that ends in this cycle is in the block |
//! | `tail_slots[4:0]` | out | what is behind the last event is asked for, one slot after another |
//! | `tail`, `tail_records[6:0]` | in | the [`Beat`](super::Beat) of a slot up to 3 cycles later, and how many of its bits are records; else no bits |
//! | `is_empty` | out | no block is open or on its way out |
//! | `m_axis_tdata[63:0]`, `m_axis_tvalid`, `m_axis_tready`, `m_axis_tlast` | out, out, in, out | the blocks |
//!
//! Words leave as they are filled, through a FIFO of 128 words in LUTs; no memory holds a whole block. While the
//! output waits, or zeros fill up a short block, the next words wait in the FIFO. No event is taken when the room
//! for what is in flight, 64 words, is used up.
//!
//! Throughput one beat per cycle. From the end of a block to the start of the encoder 21 cycles.

use super::beat::{BEAT_BITS, BEAT_COUNT_W, BEAT_W};
use super::block_beat::BlockBeat;
use super::block_control::{BlockControl, FILL_W, TAIL_SLOTS};
use super::block_sender::BlockSender;
use super::block_word::{BLOCK_ROW_W, BlockWord};
use super::branch_bits::ADDRESS_W;
use super::fifo_entry::LOST_W;
use super::packer::Packer;
use super::time_out::TimeOut;
use coretrace_abi::compressed::block::{HEADER_WORDS, MARGIN_BITS, TRAILER_WORDS};
use coretrace_hdl_dataflow::Bus;
use coretrace_hdl_parts::stream::LutFifo;
use rust_hdl::prelude::*;

/// 2^ROWS_W places are in the FIFO behind the encoder, half of them for what is in flight: X has up to 30 targets of
/// 111 bits on average, and the tail.
const ROWS_W: usize = 7;
/// Bits of a block that no event may begin behind, but for those of its last two words.
const RESERVED_BITS: u64 =
    32 * (HEADER_WORDS + TRAILER_WORDS) as u64 + MARGIN_BITS - 2 * BEAT_BITS as u64;

#[derive(LogicBlock)]
pub struct BlockFramer<const A: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub first_word: Signal<In, Bits<32>>,
    pub trace_id: Signal<In, Bits<7>>,
    pub is_a32: Signal<In, Bit>,
    pub last_place: Signal<In, Bits<A>>,
    pub limit: Signal<Out, Bits<FILL_W>>,
    pub most_cycles: Signal<In, Bits<32>>,
    pub is_over: Signal<Out, Bit>,
    pub entry_valid: Signal<In, Bit>,
    pub is_mark: Signal<In, Bit>,
    pub is_flush_mark: Signal<In, Bit>,
    pub is_loss: Signal<In, Bit>,
    pub lost_events: Signal<In, Bits<LOST_W>>,
    pub next_pc: Signal<In, Bus<ADDRESS_W>>,
    pub entry_ready: Signal<Out, Bit>,
    pub commit: Signal<Out, Bit>,
    pub rewind: Signal<Out, Bit>,
    pub start: Signal<Out, Bit>,
    pub start_address: Signal<Out, Bus<ADDRESS_W>>,
    pub event_valid: Signal<Out, Bit>,
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
    pub is_empty: Signal<Out, Bit>,
    pub m_axis_tdata: Signal<Out, Bus<BEAT_BITS>>,
    pub m_axis_tvalid: Signal<Out, Bit>,
    pub m_axis_tready: Signal<In, Bit>,
    pub m_axis_tlast: Signal<Out, Bit>,
    control: BlockControl,
    time_out: TimeOut,
    beat: BlockBeat<1>,
    packer: Packer<1, 1>,
    word: BlockWord<1>,
    rows: LutFifo<BLOCK_ROW_W, ROWS_W>,
    sender: BlockSender<A>,
    most_bits: DFF<Bits<FILL_W>>,
    reserved: Constant<Bits<FILL_W>>,
}

impl<const A: usize> Default for BlockFramer<A> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            first_word: Default::default(),
            trace_id: Default::default(),
            is_a32: Default::default(),
            last_place: Default::default(),
            limit: Default::default(),
            most_cycles: Default::default(),
            is_over: Default::default(),
            entry_valid: Default::default(),
            is_mark: Default::default(),
            is_flush_mark: Default::default(),
            is_loss: Default::default(),
            lost_events: Default::default(),
            next_pc: Default::default(),
            entry_ready: Default::default(),
            commit: Default::default(),
            rewind: Default::default(),
            start: Default::default(),
            start_address: Default::default(),
            event_valid: Default::default(),
            ready: Default::default(),
            beat_valid: Default::default(),
            beat_bits: Default::default(),
            beat_count: Default::default(),
            beat_last: Default::default(),
            beat_overflows: Default::default(),
            keeps: Default::default(),
            tail_slots: Default::default(),
            tail: Default::default(),
            tail_records: Default::default(),
            is_empty: Default::default(),
            m_axis_tdata: Default::default(),
            m_axis_tvalid: Default::default(),
            m_axis_tready: Default::default(),
            m_axis_tlast: Default::default(),
            control: Default::default(),
            time_out: Default::default(),
            beat: Default::default(),
            packer: Default::default(),
            word: Default::default(),
            rows: Default::default(),
            sender: Default::default(),
            most_bits: Default::default(),
            reserved: Constant::new(RESERVED_BITS.into()),
        }
    }
}

impl<const A: usize> Logic for BlockFramer<A> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, control, time_out, packer, rows, sender);
        dff_setup!(self, clock, most_bits);
        // The place is multiplied by the bits of a word.
        self.most_bits.d.next =
            (bit_cast::<FILL_W, A>(self.last_place.val()) << 6) - self.reserved.val();
        self.control.limit.next = self.most_bits.q.val();
        self.limit.next = self.most_bits.q.val();
        self.control.reset.next = self.reset.val();
        self.control.entry_valid.next = self.entry_valid.val();
        self.control.is_mark.next = self.is_mark.val();
        self.control.is_flush_mark.next = self.is_flush_mark.val();
        self.control.is_loss.next = self.is_loss.val();
        self.control.lost_events.next = self.lost_events.val();
        self.control.next_pc.next = self.next_pc.val();
        self.entry_ready.next = self.control.entry_ready.val();
        self.commit.next = self.control.commit.val();
        self.rewind.next = self.control.rewind.val();
        self.start.next = self.control.start.val();
        self.start_address.next = self.control.start_address.val();
        self.event_valid.next = self.control.event_valid.val();
        self.control.ready.next = self.ready.val();
        self.control.beat_valid.next = self.beat_valid.val();
        self.control.beat_count.next = self.beat_count.val();
        self.control.beat_last.next = self.beat_last.val();
        self.control.beat_overflows.next = self.beat_overflows.val();
        self.keeps.next = self.control.keeps.val();
        self.tail_slots.next = self.control.tail_slots.val();
        self.control.tail_records.next = self.tail_records.val();
        self.control.has_space.next = !self.rows.half_full.val();
        self.time_out.most_cycles.next = self.most_cycles.val();
        self.time_out.is_open.next = self.control.is_open.val();
        self.is_over.next = self.time_out.is_over.val();

        // Beats to words, with the header in front of them.
        self.beat.accepts.next = self.control.accepts.val();
        self.beat.beat_bits.next = self.beat_bits.val();
        self.beat.beat_count.next = self.beat_count.val();
        self.beat.takes_tail.next = self.control.takes_tail.val();
        self.beat.tail.next = self.tail.val();
        self.packer.reset.next = self.reset.val();
        self.packer.bits.next = self.beat.bits.val();
        self.packer.count.next = self.beat.count.val();
        self.packer.flush.next = self.control.is_flush.val();
        self.word.number.next = self.control.header_number.val();
        self.word.records.next = self.packer.word.val();
        self.word.first_word.next = self.first_word.val();
        self.word.block_number.next = self.control.block_number.val();
        self.word.trace_id.next = self.trace_id.val();
        self.word.is_first.next = self.control.is_first.val();
        self.word.lost_before.next = self.control.lost_before.val();
        self.word.is_a32.next = self.is_a32.val();
        self.word.address.next = self.control.start_address.val();
        self.word.lost.next = self.control.lost.val();
        self.word.ends.next = self.control.ends.val();
        self.word.bits.next = self.control.bits.val();
        self.word.is_short.next = self.control.is_short.val();
        self.rows.reset.next = self.reset.val();
        self.rows.write_data.next = self.word.row.val();
        self.rows.write_valid.next = self.packer.word_valid.val() & self.control.takes_words.val()
            | self.control.writes_header.val()
            | self.control.ends.val();

        // Words to the stream.
        self.sender.reset.next = self.reset.val();
        self.sender.last_place.next = self.last_place.val();
        self.sender.row.next = self.rows.m_axis_tdata.val();
        self.sender.row_valid.next = self.rows.m_axis_tvalid.val();
        self.rows.m_axis_tready.next = self.sender.row_ready.val();
        self.m_axis_tdata.next = self.sender.m_axis_tdata.val();
        self.m_axis_tvalid.next = self.sender.m_axis_tvalid.val();
        self.sender.m_axis_tready.next = self.m_axis_tready.val();
        self.m_axis_tlast.next = self.sender.m_axis_tlast.val();
        self.is_empty.next = !self.control.is_open.val()
            & !self.rows.m_axis_tvalid.val()
            & !self.sender.is_busy.val()
            & !self.sender.m_axis_tvalid.val();
    }
}
