// SPDX-License-Identifier: MIT OR Apache-2.0
//! `BlockControl`: which events are in a block, and when it begins and ends.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high |
//! | `limit[19:0]` | in | an event begins with at most so many bits in the block; steady |
//! | `entry_valid`, `is_mark` to `next_pc` | in | the next entry of an [`EventFifo`](super::EventFifo), as [`SplitEntry`](super::SplitEntry) has it |
//! | `entry_ready`, `commit`, `rewind` | out | as there |
//! | `start`, `start_address[61:0]`, `event_valid` | out | for an encoder, see [`RaptorEncoder`](super::RaptorEncoder) |
//! | `ready`, `beat_valid`, `beat_count[6:0]`, `beat_last`, `beat_overflows` | in | from the encoder |
//! | `has_space` | in | there is room behind the encoder for what is in flight |
//! | `accepts`, `keeps` | out | the beat goes to the packer; the event that ends with it is in the block |
//! | `tail_slots[4:0]`, `tail_records[6:0]` | out, in | one slot after another of what is behind the last event, and how many of its bits are records, up to 3 cycles later |
//! | `takes_tail` | out | what comes of the slots goes to the packer |
//! | `is_flush` | out | the last word of the packer is filled up |
//! | `writes_header`, `header_number[1:0]` | out | this word of the header is written, see [`BlockWord`](super::BlockWord): in the three cycles behind the first beat of a block |
//! | `takes_words` | out | words of the packer are those of the block, not of one that a reset cut |
//! | `ends` | out | all words of the block but the trailer are written |
//! | `is_open` | out | the block has an event |
//! | `bits[19:0]`, `block_number[15:0]`, `is_first`, `lost_before`, `lost[31:0]`, `is_short` | out | for header and trailer |
//!
//! The encoder is a pipeline, so the fill of the block is known when more events are on their way. An event leaves the
//! FIFO with its last beat. One that does not fit, or overflows, closes the block in front of it: its beats and those of all
//! events behind it are thrown away, the FIFO goes back to the last event that is in the block, which says
//! the address to begin at, and the encoder starts. A mark waits until nothing is in flight, and closes the
//! block if it has an event.
//!
//! The model is `coretrace_compress::BlockWriter`.

use super::beat::BEAT_COUNT_W;
use super::branch_bits::ADDRESS_W;
use super::decision_entry::SLOTS;
use super::fifo_entry::LOST_W;
use coretrace_abi::compressed::block::COUNT_BITS;
use coretrace_hdl_dataflow::Bus;
use rust_hdl::prelude::*;

/// Slots of what is behind the last event; the longest is a control record.
pub(crate) const TAIL_SLOTS: usize = SLOTS;

/// Bits of a number of bits in a block.
pub(crate) const FILL_W: usize = COUNT_BITS as usize;

/// What happens to the block.
#[derive(Copy, Clone, Debug, PartialEq, Eq, LogicState)]
enum Phase {
    /// It is filled.
    Fill,
    /// What is behind the last event is written, and the last word is filled up.
    Tail,
    Flush,
    /// The last word is on its way.
    Settle,
    End,
    /// The FIFO goes back, and says where execution goes on.
    Rewind,
    Place,
    /// The encoder starts.
    Start,
}

#[derive(LogicBlock, Default)]
pub struct BlockControl {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub limit: Signal<In, Bits<FILL_W>>,
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
    pub beat_count: Signal<In, Bits<BEAT_COUNT_W>>,
    pub beat_last: Signal<In, Bit>,
    pub beat_overflows: Signal<In, Bit>,
    pub tail_records: Signal<In, Bits<BEAT_COUNT_W>>,
    pub has_space: Signal<In, Bit>,
    pub accepts: Signal<Out, Bit>,
    pub keeps: Signal<Out, Bit>,
    pub tail_slots: Signal<Out, Bits<TAIL_SLOTS>>,
    pub takes_tail: Signal<Out, Bit>,
    pub is_flush: Signal<Out, Bit>,
    pub writes_header: Signal<Out, Bit>,
    pub header_number: Signal<Out, Bits<2>>,
    pub takes_words: Signal<Out, Bit>,
    pub ends: Signal<Out, Bit>,
    pub is_open: Signal<Out, Bit>,
    pub bits: Signal<Out, Bits<FILL_W>>,
    pub block_number: Signal<Out, Bits<16>>,
    pub is_first: Signal<Out, Bit>,
    pub lost_before: Signal<Out, Bit>,
    pub is_short: Signal<Out, Bit>,
    pub lost: Signal<Out, Bits<LOST_W>>,
    phase: DFF<Phase>,
    /// What the path to the FIFO of events needs in one register each: the phase is `Fill`, or `Place`, and
    /// nothing was in flight a cycle ago, nor began to be.
    is_filling: DFF<Bit>,
    is_placing: DFF<Bit>,
    is_quiet: DFF<Bit>,
    /// One of eight cycles: for the slots of the tail, or for the last word to leave the packer.
    cycle: DFF<Bits<8>>,
    fill: DFF<Bits<FILL_W>>,
    /// The next beat is the first one of an event.
    is_next_event: DFF<Bit>,
    has_event: DFF<Bit>,
    /// The word of the header to be written in this cycle; 0 is none.
    header: DFF<Bits<2>>,
    has_header: DFF<Bit>,
    in_flight: DFF<Bits<7>>,
    address: DFF<Bus<ADDRESS_W>>,
    number: DFF<Bits<16>>,
    first: DFF<Bit>,
    lossy: DFF<Bit>,
    short: DFF<Bit>,
    lost_count: DFF<Bits<LOST_W>>,
    next_phase: Signal<Local, Phase>,
    comes_in: Signal<Local, Bits<BEAT_COUNT_W>>,
    filled: Signal<Local, Bits<FILL_W>>,
    fits: Signal<Local, Bit>,
    comes: Signal<Local, Bit>,
    takes_beat: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
    offers: Signal<Local, Bit>,
    takes_event: Signal<Local, Bit>,
    meets_mark: Signal<Local, Bit>,
    takes_mark: Signal<Local, Bit>,
    places: Signal<Local, Bit>,
}

impl Logic for BlockControl {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            phase,
            cycle,
            fill,
            is_next_event,
            has_event,
            header,
            has_header,
            in_flight
        );
        dff_setup!(
            self, clock, address, number, first, lossy, short, lost_count, is_filling, is_placing,
            is_quiet
        );

        // Beats, and the events that they end. Behind a reset a beat may come of which nothing is known.
        self.fits.next = !self.is_next_event.q.val()
            | (self.fill.q.val() <= self.limit.val())
                & !(self.beat_overflows.val() & self.has_event.q.val());
        self.comes.next =
            self.is_filling.q.val() & self.beat_valid.val() & self.in_flight.q.val().any();
        self.takes_beat.next = self.comes.val() & self.fits.val();
        self.leaves.next = self.takes_beat.val() & self.beat_last.val();
        self.accepts.next = self.takes_beat.val();
        self.keeps.next = self.leaves.val();
        self.comes_in.next = self.beat_count.val();
        self.takes_tail.next = self.phase.q.val() == Phase::Tail;
        if self.takes_tail.val() {
            self.comes_in.next = self.tail_records.val();
        }
        self.filled.next =
            self.fill.q.val() + bit_cast::<FILL_W, BEAT_COUNT_W>(self.comes_in.val());
        if self.takes_beat.val() {
            self.fill.d.next = self.filled.val();
            self.is_next_event.d.next = self.beat_last.val();
        }
        if self.leaves.val() {
            self.has_event.d.next = true;
        }
        // The packer has its first word more than three cycles behind the first beat.
        self.writes_header.next = self.header.q.val().any();
        self.header_number.next = self.header.q.val();
        if self.writes_header.val() {
            self.header.d.next = self.header.q.val() + 1;
            self.has_header.d.next = true;
        }
        self.takes_words.next = self.has_header.q.val();
        if self.takes_beat.val() & self.is_next_event.q.val() & !self.has_event.q.val() {
            self.header.d.next = 1.into();
        }

        // Entries on their way in.
        self.offers.next = self.is_filling.q.val()
            & self.entry_valid.val()
            & !self.is_mark.val()
            & self.has_space.val();
        self.event_valid.next = self.offers.val();
        self.takes_event.next = self.offers.val() & self.ready.val();
        self.meets_mark.next = self.is_filling.q.val()
            & self.entry_valid.val()
            & self.is_mark.val()
            & self.is_quiet.q.val();
        self.takes_mark.next = self.meets_mark.val() & !self.has_event.q.val();
        self.places.next = self.is_placing.q.val() & self.entry_valid.val();
        self.entry_ready.next = self.takes_event.val() | self.takes_mark.val() | self.places.val();
        self.commit.next = self.leaves.val() | self.takes_mark.val();
        if self.takes_event.val() & !self.leaves.val() {
            self.in_flight.d.next = self.in_flight.q.val() + 1;
        }
        if self.leaves.val() & !self.takes_event.val() {
            self.in_flight.d.next = self.in_flight.q.val() - 1;
        }
        self.is_quiet.d.next = !self.in_flight.q.val().any() & !self.takes_event.val();
        if self.places.val() | self.takes_mark.val() & !self.is_flush_mark.val() {
            self.address.d.next = self.next_pc.val();
        }

        self.next_phase.next = self.phase.q.val();
        self.rewind.next = false;
        self.start.next = false;
        self.tail_slots.next = 0.into();
        self.is_flush.next = false;
        self.ends.next = false;
        match self.phase.q.val() {
            Phase::Fill => {
                self.cycle.d.next = 1.into();
                if self.comes.val() & !self.fits.val() {
                    self.next_phase.next = Phase::Tail;
                }
                if self.meets_mark.val() {
                    self.next_phase.next = Phase::Tail;
                    self.short.d.next = true;
                    if self.takes_mark.val() {
                        self.next_phase.next = Phase::Start;
                        self.short.d.next = false;
                        self.lossy.d.next = self.is_loss.val() | self.lossy.q.val();
                        self.lost_count.d.next = self.lost_events.val();
                    }
                    if self.takes_mark.val() & self.is_flush_mark.val() {
                        self.next_phase.next = Phase::Fill;
                    }
                }
            }
            Phase::Tail => {
                self.tail_slots.next = self.cycle.q.val().get_bits::<TAIL_SLOTS>(0);
                self.fill.d.next = self.filled.val();
                self.cycle.d.next = self.cycle.q.val() << 1;
                if self.cycle.q.val().get_bit(7) {
                    self.next_phase.next = Phase::Flush;
                }
            }
            Phase::Flush => {
                self.is_flush.next = true;
                self.cycle.d.next = 1.into();
                self.next_phase.next = Phase::Settle;
            }
            Phase::Settle => {
                self.cycle.d.next = self.cycle.q.val() << 1;
                if self.cycle.q.val().get_bit(7) {
                    self.next_phase.next = Phase::End;
                }
            }
            Phase::End => {
                self.ends.next = true;
                self.number.d.next = self.number.q.val() + 1;
                self.first.d.next = false;
                self.lossy.d.next = false;
                self.short.d.next = false;
                self.has_event.d.next = false;
                self.has_header.d.next = false;
                self.next_phase.next = Phase::Rewind;
                // The mark says the address.
                if self.short.q.val() & !self.is_flush_mark.val() {
                    self.next_phase.next = Phase::Fill;
                }
            }
            Phase::Rewind => {
                self.rewind.next = true;
                self.in_flight.d.next = 0.into();
                self.next_phase.next = Phase::Place;
            }
            Phase::Place => {
                self.next_phase.next = Phase::Start;
                if !self.entry_valid.val() {
                    self.next_phase.next = Phase::Place;
                }
            }
            Phase::Start => {
                self.start.next = true;
                self.fill.d.next = 0.into();
                self.is_next_event.d.next = true;
                self.next_phase.next = Phase::Fill;
            }
            _ => {}
        }
        self.start_address.next = self.address.q.val();
        self.is_open.next = self.has_event.q.val();
        self.bits.next = self.fill.q.val();
        self.block_number.next = self.number.q.val();
        self.is_first.next = self.first.q.val();
        self.lost_before.next = self.lossy.q.val();
        self.is_short.next = self.short.q.val();
        self.lost.next = self.lost_count.q.val();

        if self.reset.val() {
            self.next_phase.next = Phase::Fill;
            self.is_quiet.d.next = true;
            self.has_event.d.next = false;
            self.header.d.next = 0.into();
            self.has_header.d.next = false;
            self.in_flight.d.next = 0.into();
            self.number.d.next = 0.into();
            self.first.d.next = true;
            self.lossy.d.next = false;
            self.short.d.next = false;
            self.lost_count.d.next = 0.into();
        }
        self.phase.d.next = self.next_phase.val();
        self.is_filling.d.next = self.next_phase.val() == Phase::Fill;
        self.is_placing.d.next = self.next_phase.val() == Phase::Place;
    }
}
