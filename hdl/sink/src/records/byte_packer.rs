// SPDX-License-Identifier: MIT OR Apache-2.0
//! `BytePacker`: results of a one-byte decoder in, words of the record stream out, with 2^A words of
//! memory in between.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high; a stream begins when it ends, and it must come once |
//! | `settings` | in | `SourceSettings`: the source that heads describe; steady |
//! | `s_valid` | in | a result is there, at least 16 cycles after the one before |
//! | `s_discontinuity` | in | with a result: bytes were lost before it |
//! | `s_keep` | in | with a result: it has a byte |
//! | `s_lane`, `s_pair` | in | `LaneResult` and `PairResult` of the byte |
//! | `s_lost[31:0]` | in | words of the trace port lost since reset, for the LOST of a discontinuity |
//! | `m_axis_tdata[31:0]`, `m_axis_tvalid`, `m_axis_tready` | out | words of the record stream |
//! | `has_room` | out | at least 128 places of the memory are free: enough for 16 results |
//! | `is_async`, `is_error` | out | for one cycle: an A-Sync, an error came in |
//! | `is_record` | out | for one cycle: a record came in |
//!
//! A group is closed when it has four tags, or as soon as the memory is empty and the next block
//! waits: a slow link gets full groups, a fast one gets them at once. The tag word is written last, in
//! the place that was left for it, and what is behind it is not read before.
//!
//! A packet ends after 512 words, or when nothing has come in for 1024 cycles and everything has gone
//! out, but never between a continuation field and its record. For that there is no room until 64
//! cycles have passed without a result: then the tail is written, and the head of the next packet
//! behind it, which is not read before its first group. The CRC is put in on the way out.
//!
//! Throughput one result in 16 cycles: a tag with its words takes seven, a LOST before it four more.
//! A word comes out in at most every second cycle.

use super::{ByteHead, ByteRecord, CrcStep};
use coretrace_abi::record_stream::{tag, tail};
use coretrace_hdl_dataflow::Bus;
use coretrace_hdl_etm::SOURCE_SETTINGS_W;
use coretrace_hdl_etm::layouts::{LANE_RESULT_W, PAIR_RESULT_W};
use rust_hdl::prelude::*;

/// Places that are free as long as there is room.
const ROOM: u64 = 128;

#[derive(LogicBlock)]
pub struct BytePacker<const A: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub settings: Signal<In, Bus<SOURCE_SETTINGS_W>>,
    pub s_valid: Signal<In, Bit>,
    pub s_discontinuity: Signal<In, Bit>,
    pub s_keep: Signal<In, Bit>,
    pub s_lane: Signal<In, Bus<LANE_RESULT_W>>,
    pub s_pair: Signal<In, Bus<PAIR_RESULT_W>>,
    pub s_lost: Signal<In, Bits<32>>,
    pub m_axis_tdata: Signal<Out, Bits<32>>,
    pub m_axis_tvalid: Signal<Out, Bit>,
    pub m_axis_tready: Signal<In, Bit>,
    pub has_room: Signal<Out, Bit>,
    pub is_async: Signal<Out, Bit>,
    pub is_error: Signal<Out, Bit>,
    pub is_record: Signal<Out, Bit>,
    tail: Constant<Bits<32>>,
    mark: Constant<Bits<33>>,
    lost_tag: Constant<Bits<32>>,
    most: Constant<Bits<A>>,
    // The result that came in last, and the loss before it.
    record: ByteRecord<1>,
    head: ByteHead<1, 1>,
    known: DFF<Bits<2>>,
    is_due: DFF<Bit>,
    tag: DFF<Bits<8>>,
    record_mask: DFF<Bits<5>>,
    address_low: DFF<Bits<32>>,
    address_high: DFF<Bits<32>>,
    body_0: DFF<Bits<32>>,
    body_1: DFF<Bits<32>>,
    body_2: DFF<Bits<32>>,
    is_lost_due: DFF<Bit>,
    lost: DFF<Bits<32>>,
    // The group: its tags, and the words of the last of them that are still to be written, in
    // order; the highest bit is that of a LOST.
    tags: DFF<Bits<32>>,
    count: DFF<Bits<3>>,
    is_alone: DFF<Bit>,
    mask: DFF<Bits<6>>,
    // The packet: its words so far, whether it has any for the reader, whether it shall end, and the
    // step of writing tail and head, four cycles for a word.
    packet_words: DFF<Bits<11>>,
    has_content: DFF<Bit>,
    is_closing: DFF<Bit>,
    quiet: DFF<Bits<10>>,
    is_between: DFF<Bit>,
    is_starting: DFF<Bit>,
    step: DFF<Bits<7>>,
    crc_step: CrcStep<1>,
    crc: DFF<Bits<32>>,
    // The memory; bit 32 marks the words of a tail, the second of which, 0 there, becomes the CRC on
    // the way out. The end of what may be read, where the
    // group's tag word goes, the place behind its words, the place that is read.
    words: RAM<Bits<33>, A>,
    released: DFF<Bits<A>>,
    place: DFF<Bits<A>>,
    next_place: DFF<Bits<A>>,
    read_place: DFF<Bits<A>>,
    valid: DFF<Bit>,
    room: DFF<Bit>,
    used: Signal<Local, Bits<A>>,
    takes: Signal<Local, Bit>,
    is_empty: Signal<Local, Bit>,
    is_drained: Signal<Local, Bit>,
    has_words: Signal<Local, Bit>,
    closes: Signal<Local, Bit>,
    writes: Signal<Local, Bit>,
    rest: Signal<Local, Bits<6>>,
    word: Signal<Local, Bits<32>>,
    is_marked: Signal<Local, Bit>,
    is_crc: Signal<Local, Bit>,
    is_step: Signal<Local, Bit>,
    index: Signal<Local, Bits<5>>,
    head_index: Signal<Local, Bits<5>>,
    is_settled: Signal<Local, Bit>,
    wide_tag: Signal<Local, Bits<32>>,
}

impl<const A: usize> Default for BytePacker<A> {
    /// # Panics
    /// If the memory is too small to have room, which is a mistake at compile time.
    fn default() -> Self {
        assert!(1 << A >= 2 * ROOM, "2^{A} words are too few");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            settings: Default::default(),
            s_valid: Default::default(),
            s_discontinuity: Default::default(),
            s_keep: Default::default(),
            s_lane: Default::default(),
            s_pair: Default::default(),
            s_lost: Default::default(),
            m_axis_tdata: Default::default(),
            m_axis_tvalid: Default::default(),
            m_axis_tready: Default::default(),
            has_room: Default::default(),
            is_async: Default::default(),
            is_error: Default::default(),
            is_record: Default::default(),
            tail: Constant::new(u64::from(tail(0)).into()),
            mark: Constant::new((1_u64 << 32).into()),
            lost_tag: Constant::new(u64::from(tag::LOST).into()),
            most: Constant::new(((1 << A) - ROOM).into()),
            record: Default::default(),
            head: Default::default(),
            known: Default::default(),
            is_due: Default::default(),
            tag: Default::default(),
            record_mask: Default::default(),
            address_low: Default::default(),
            address_high: Default::default(),
            body_0: Default::default(),
            body_1: Default::default(),
            body_2: Default::default(),
            is_lost_due: Default::default(),
            lost: Default::default(),
            tags: Default::default(),
            count: Default::default(),
            is_alone: Default::default(),
            mask: Default::default(),
            packet_words: Default::default(),
            has_content: Default::default(),
            is_closing: Default::default(),
            quiet: Default::default(),
            is_between: Default::default(),
            is_starting: Default::default(),
            step: Default::default(),
            crc_step: Default::default(),
            crc: Default::default(),
            words: Default::default(),
            released: Default::default(),
            place: Default::default(),
            next_place: Default::default(),
            read_place: Default::default(),
            valid: Default::default(),
            room: Default::default(),
            used: Default::default(),
            takes: Default::default(),
            is_empty: Default::default(),
            is_drained: Default::default(),
            has_words: Default::default(),
            closes: Default::default(),
            writes: Default::default(),
            rest: Default::default(),
            word: Default::default(),
            is_marked: Default::default(),
            is_crc: Default::default(),
            is_step: Default::default(),
            index: Default::default(),
            head_index: Default::default(),
            is_settled: Default::default(),
            wide_tag: Default::default(),
        }
    }
}

impl<const A: usize> Logic for BytePacker<A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            known,
            is_due,
            tag,
            record_mask,
            is_lost_due,
            lost
        );
        dff_setup!(
            self,
            clock,
            address_low,
            address_high,
            body_0,
            body_1,
            body_2
        );
        dff_setup!(self, clock, tags, count, is_alone, mask);
        dff_setup!(
            self,
            clock,
            packet_words,
            has_content,
            is_closing,
            quiet,
            is_between,
            is_starting,
            step,
            crc
        );
        dff_setup!(self, clock, released);
        self.head.clock.next = self.clock.val();
        dff_setup!(self, clock, place, next_place, read_place, valid, room);
        self.words.write_clock.next = self.clock.val();
        self.words.read_clock.next = self.clock.val();

        // What comes in.
        self.record.lane.next = self.s_lane.val();
        self.record.pair.next = self.s_pair.val();
        self.record.known.next = self.known.q.val();
        if self.s_valid.val() & self.s_discontinuity.val() {
            self.record.known.next = 0.into();
            self.known.d.next = 0.into();
        }
        self.record.ete.next = self.head.ete.val();
        self.takes.next = self.s_valid.val() & self.s_keep.val() & self.record.exists.val();
        self.is_async.next = self.takes.val() & self.record.is_async.val();
        self.is_error.next = self.takes.val() & self.record.is_error.val();
        self.is_record.next = self.takes.val();

        self.head.reset.next = self.reset.val();
        self.head.settings.next = self.settings.val();
        self.head.lost.next = self.s_valid.val() & self.s_discontinuity.val();
        self.head.takes.next = self.takes.val();
        self.head.tag.next = self.record.tag.val();
        self.head.lane.next = self.s_lane.val();
        self.head.pair.next = self.s_pair.val();

        self.is_settled.next = self.is_closing.q.val() & self.quiet.q.val().get_bit(6);
        self.is_step.next =
            self.is_between.q.val() & self.step.q.val().get_bit(0) & self.step.q.val().get_bit(1);

        // A word for the group, or the tag word that closes it.
        self.has_words.next = self.mask.q.val().any();
        self.is_empty.next = self.read_place.q.val() == self.released.q.val();
        self.is_drained.next = self.is_empty.val()
            & !self.valid.q.val()
            & self.m_axis_tready.val()
            & !self.is_due.q.val();
        self.closes.next = !self.has_words.val()
            & self.count.q.val().any()
            & (self.is_alone.q.val()
                | self.is_lost_due.q.val()
                | self.is_drained.val()
                | self.is_settled.val()
                | (self.count.q.val() == 4));
        self.word.next = self.lost.q.val();
        self.rest.next = 0.into();
        if self.mask.q.val().get_bit(4) {
            self.word.next = self.body_2.q.val();
            self.rest.next = self.mask.q.val() & 0x20;
        }
        if self.mask.q.val().get_bit(3) {
            self.word.next = self.body_1.q.val();
            self.rest.next = self.mask.q.val() & 0x30;
        }
        if self.mask.q.val().get_bit(2) {
            self.word.next = self.body_0.q.val();
            self.rest.next = self.mask.q.val() & 0x38;
        }
        if self.mask.q.val().get_bit(1) {
            self.word.next = self.address_high.q.val();
            self.rest.next = self.mask.q.val() & 0x3C;
        }
        if self.mask.q.val().get_bit(0) {
            self.word.next = self.address_low.q.val();
            self.rest.next = self.mask.q.val() & 0x3E;
        }
        self.writes.next = self.has_words.val() | self.closes.val();
        self.words.write_enable.next = self.writes.val() | self.is_step.val();
        self.words.write_address.next = self.next_place.q.val();
        self.words.write_data.next = bit_cast::<33, 32>(self.word.val());
        if self.writes.val() {
            self.next_place.d.next = self.next_place.q.val() + 1;
            self.packet_words.d.next = self.packet_words.q.val() + 1;
        }
        self.mask.d.next = self.rest.val();
        if self.closes.val() {
            self.words.write_address.next = self.place.q.val();
            self.words.write_data.next = bit_cast::<33, 32>(self.tags.q.val());
            self.place.d.next = self.next_place.q.val();
            self.released.d.next = self.next_place.q.val();
            self.has_content.d.next = true;
            self.tags.d.next = 0.into();
            self.count.d.next = 0.into();
            self.is_alone.d.next = false;
        }

        // The next tag.
        self.wide_tag.next = bit_cast::<32, 8>(self.tag.q.val());
        if !self.has_words.val() & !self.closes.val() {
            if self.is_lost_due.q.val() {
                self.is_lost_due.d.next = false;
                self.tags.d.next = self.lost_tag.val();
                self.count.d.next = 1.into();
                self.is_alone.d.next = true;
                self.mask.d.next = 0x20.into();
            } else {
                if self.is_due.q.val() {
                    self.is_due.d.next = false;
                    self.count.d.next = self.count.q.val() + 1;
                    self.mask.d.next = bit_cast::<6, 5>(self.record_mask.q.val());
                    match self.count.q.val().index() {
                        0 => self.tags.d.next = self.wide_tag.val(),
                        1 => self.tags.d.next = self.tags.q.val() | (self.wide_tag.val() << 8),
                        2 => self.tags.d.next = self.tags.q.val() | (self.wide_tag.val() << 16),
                        _ => self.tags.d.next = self.tags.q.val() | (self.wide_tag.val() << 24),
                    }
                }
            }
        }
        if self.s_valid.val() & self.s_discontinuity.val() {
            self.is_lost_due.d.next = true;
            self.lost.d.next = self.s_lost.val();
        }
        if self.takes.val() {
            self.is_due.d.next = true;
            self.known.d.next = self.record.known_after.val();
            self.tag.d.next = self.record.tag.val();
            self.record_mask.d.next = self.record.mask.val();
            self.address_low.d.next = self.record.address_low.val();
            self.address_high.d.next = self.record.address_high.val();
            self.body_0.d.next = self.record.body_0.val();
            self.body_1.d.next = self.record.body_1.val();
            self.body_2.d.next = self.record.body_2.val();
        }

        // The end of a packet, as soon as nothing is on its way, and the head of the next one.
        self.quiet.d.next = self.quiet.q.val() + 1;
        if self.quiet.q.val().all() {
            self.quiet.d.next = self.quiet.q.val();
        }
        if self.has_content.q.val()
            & ((self.quiet.q.val().all()
                & self.is_drained.val()
                & !self.count.q.val().any()
                & !self.head.mid_record.val())
                | (self.s_valid.val() & self.packet_words.q.val().get_bit(9)))
        {
            self.is_closing.d.next = true;
            self.quiet.d.next = 0.into();
        }
        if self.s_valid.val() {
            self.quiet.d.next = 0.into();
        }
        if self.is_settled.val()
            & !self.has_words.val()
            & !self.count.q.val().any()
            & !self.is_due.q.val()
            & !self.is_lost_due.q.val()
        {
            self.is_closing.d.next = false;
            if !self.head.mid_record.val() {
                self.is_between.d.next = true;
                self.step.d.next = 0.into();
            }
        }
        self.index.next = self.step.q.val().get_bits::<5>(2);
        self.head_index.next = self.index.val() - 2;
        self.head.index.next = self.head_index.val().get_bits::<4>(0);
        self.head.is_sent.next = false;
        if self.is_between.q.val() {
            self.step.d.next = self.step.q.val() + 1;
        }
        if self.is_step.val() {
            self.words.write_address.next = self.place.q.val();
            self.words.write_data.next = bit_cast::<33, 32>(self.head.word.val());
            self.place.d.next = self.place.q.val() + 1;
            self.next_place.d.next = self.place.q.val() + 2;
            self.packet_words.d.next = self.packet_words.q.val() + 1;
            if self.index.val() == 0 {
                self.words.write_data.next = self.mark.val()
                    | bit_cast::<33, 32>(self.tail.val())
                    | (bit_cast::<33, 11>(self.packet_words.q.val()) << 16);
            }
            if self.index.val() == 1 {
                self.words.write_data.next = self.mark.val();
                self.released.d.next = self.place.q.val() + 1;
                self.head.is_sent.next = true;
                self.packet_words.d.next = 0.into();
                self.has_content.d.next = false;
            }
            if self.index.val() == 17 {
                self.is_between.d.next = false;
                self.known.d.next = 0.into();
                if self.is_starting.q.val() {
                    self.is_starting.d.next = false;
                    self.released.d.next = self.place.q.val() + 1;
                    self.has_content.d.next = true;
                }
            }
        }

        // Out of the memory, whose output is that of the place that was read one cycle before.
        self.words.read_address.next = self.read_place.q.val();
        self.is_marked.next = self.words.read_data.val().get_bit(32);
        self.crc_step.crc.next = self.crc.q.val();
        self.crc_step.word.next = self.words.read_data.val().get_bits::<32>(0);
        self.m_axis_tdata.next = self.words.read_data.val().get_bits::<32>(0);
        self.is_crc.next = self.is_marked.val() & !self.words.read_data.val().get_bit(0);
        if self.is_crc.val() {
            self.m_axis_tdata.next = self.crc.q.val();
        }
        self.m_axis_tvalid.next = self.valid.q.val();
        self.valid.d.next = !self.is_empty.val();
        if self.valid.q.val() & self.m_axis_tready.val() {
            self.read_place.d.next = self.read_place.q.val() + 1;
            self.valid.d.next = false;
            self.crc.d.next = self.crc_step.after.val();
            if self.is_marked.val() {
                self.crc.d.next = self.crc.q.val();
            }
            if self.is_crc.val() {
                self.crc.d.next = 0.into();
            }
        }
        self.used.next = self.next_place.q.val() - self.read_place.q.val();
        self.room.d.next = self.used.val() < self.most.val();
        self.has_room.next =
            self.room.q.val() & !self.is_closing.q.val() & !self.is_between.q.val();

        if self.reset.val() {
            self.known.d.next = 0.into();
            self.is_due.d.next = false;
            self.is_lost_due.d.next = false;
            self.tags.d.next = 0.into();
            self.count.d.next = 0.into();
            self.is_alone.d.next = false;
            self.mask.d.next = 0.into();
            self.packet_words.d.next = 0.into();
            self.has_content.d.next = false;
            self.is_closing.d.next = false;
            self.quiet.d.next = 0.into();
            self.is_between.d.next = true;
            self.is_starting.d.next = true;
            self.step.d.next = 8.into();
            self.crc.d.next = 0.into();
            self.released.d.next = 0.into();
            self.place.d.next = 0.into();
            self.next_place.d.next = 1.into();
            self.read_place.d.next = 0.into();
            self.valid.d.next = false;
            self.room.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_exports() {
        let text =
            coretrace_hdl_verilog::verilog(BytePacker::<9>::default(), "byte_packer").unwrap();
        assert!(!text.contains('$'));
    }
}
