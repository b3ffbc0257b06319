// SPDX-License-Identifier: MIT OR Apache-2.0
//! `EventFifo`: events wait for an encoder, and stay until their bits are in a block. 2^A places in block RAM.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high: no event waits, none was lost |
//! | `event_valid`, `pc` to `instructions` | in | an event, as in [`RaptorEncoder`](super::RaptorEncoder); there is no TREADY |
//! | `begins` | in | with `event_valid`: no event, but execution begins at `next_pc` |
//! | `lost_before[31:0]` | in | with `event_valid` and `begins`: events that were lost in front of it; else it is 0 |
//! | `flush` | in | a mark comes behind the events so far: the block ends there |
//! | `entry_valid`, `entry`, `entry_ready` | out, out, in | the next [`FifoEntry`](super::FifoEntry) that was not read, and whether it is read in this cycle |
//! | `commit` | in | the oldest entry leaves; it was read |
//! | `rewind` | in | the next entry is the one that left last, and behind it all that wait; no `entry_ready` and no `commit` in this cycle and the next |
//! | `lost[31:0]` | out | events that were lost since reset, here and in front of it, saturating |
//! | `takes`, `loses` | out | an event is kept, or lost, in this cycle |
//! | `waiting[A-1:0]` | out | entries that have not left |
//! | `is_empty` | out | all entries have left, and no mark is due |
//!
//! The memory holds 2^A - 2 entries and the one that left last. An event that finds it full is lost and
//! counted, and so are those behind it until it is half empty. The last one that is lost becomes the mark of
//! the loss: where it led is where the next block begins. An event that nothing said the place of is lost
//! in the same way; it is the first one behind a reset, if nothing `begins`.
//!
//! A flush waits for a cycle without an event; the mark of a loss does as well, because a block ends there, too.
//!
//! Latency 3 cycles, 2 behind a `rewind`. Throughput one event per cycle.

use super::branch_bits::{ADDRESS_W, INSTRUCTIONS_W, KIND_W};
use super::fifo_entry::{FIFO_ENTRY_W, JoinEntry, LOST_W};
use coretrace_hdl_dataflow::Bus;
use rust_hdl::prelude::*;

/// Bits of a number of events with its carry.
const LOST_SUM_W: usize = LOST_W + 1;

#[derive(LogicBlock)]
pub struct EventFifo<const A: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub event_valid: Signal<In, Bit>,
    pub begins: Signal<In, Bit>,
    pub lost_before: Signal<In, Bits<LOST_W>>,
    pub pc: Signal<In, Bus<ADDRESS_W>>,
    pub next_pc: Signal<In, Bus<ADDRESS_W>>,
    pub kind: Signal<In, Bits<KIND_W>>,
    pub taken: Signal<In, Bit>,
    pub is_discontinuity: Signal<In, Bit>,
    pub instructions: Signal<In, Bits<INSTRUCTIONS_W>>,
    pub flush: Signal<In, Bit>,
    pub entry_valid: Signal<Out, Bit>,
    pub entry: Signal<Out, Bus<FIFO_ENTRY_W>>,
    pub entry_ready: Signal<In, Bit>,
    pub commit: Signal<In, Bit>,
    pub rewind: Signal<In, Bit>,
    pub lost: Signal<Out, Bits<LOST_W>>,
    pub takes: Signal<Out, Bit>,
    pub loses: Signal<Out, Bit>,
    pub waiting: Signal<Out, Bits<A>>,
    pub is_empty: Signal<Out, Bit>,
    to_entry: JoinEntry<1>,
    entries: RAM<Bus<FIFO_ENTRY_W>, A>,
    write_pointer: DFF<Bits<A>>,
    read_pointer: DFF<Bits<A>>,
    /// The place of the entry that left last.
    left_pointer: DFF<Bits<A>>,
    /// The memory has an entry at its output.
    is_read: DFF<Bit>,
    out: DFF<Bus<FIFO_ENTRY_W>>,
    valid: DFF<Bit>,
    /// Entries that have not left.
    level: DFF<Bits<A>>,
    /// Where execution is, is known.
    is_placed: DFF<Bit>,
    /// Events were lost behind the last entry.
    is_losing: DFF<Bit>,
    is_flush_due: DFF<Bit>,
    lost_count: DFF<Bits<LOST_W>>,
    has_room: Signal<Local, Bit>,
    stores_event: Signal<Local, Bit>,
    stores_mark: Signal<Local, Bit>,
    stores_flush: Signal<Local, Bit>,
    stores: Signal<Local, Bit>,
    is_lost: Signal<Local, Bit>,
    one: Signal<Local, Bits<LOST_W>>,
    amount: Signal<Local, Bits<LOST_W>>,
    lost_sum: Signal<Local, Bits<LOST_SUM_W>>,
    lost_with: Signal<Local, Bits<LOST_W>>,
    is_free: Signal<Local, Bit>,
    reads: Signal<Local, Bits<A>>,
    most: Constant<Bits<A>>,
    top: Constant<Bits<A>>,
}

impl<const A: usize> Default for EventFifo<A> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            event_valid: Default::default(),
            begins: Default::default(),
            lost_before: Default::default(),
            pc: Default::default(),
            next_pc: Default::default(),
            kind: Default::default(),
            taken: Default::default(),
            is_discontinuity: Default::default(),
            instructions: Default::default(),
            flush: Default::default(),
            entry_valid: Default::default(),
            entry: Default::default(),
            entry_ready: Default::default(),
            commit: Default::default(),
            rewind: Default::default(),
            lost: Default::default(),
            takes: Default::default(),
            loses: Default::default(),
            waiting: Default::default(),
            is_empty: Default::default(),
            to_entry: Default::default(),
            entries: Default::default(),
            write_pointer: Default::default(),
            read_pointer: Default::default(),
            left_pointer: Default::default(),
            is_read: Default::default(),
            out: Default::default(),
            valid: Default::default(),
            level: Default::default(),
            is_placed: Default::default(),
            is_losing: Default::default(),
            is_flush_due: Default::default(),
            lost_count: Default::default(),
            has_room: Default::default(),
            stores_event: Default::default(),
            stores_mark: Default::default(),
            stores_flush: Default::default(),
            stores: Default::default(),
            is_lost: Default::default(),
            one: Default::default(),
            amount: Default::default(),
            lost_sum: Default::default(),
            lost_with: Default::default(),
            is_free: Default::default(),
            reads: Default::default(),
            most: Constant::new(((1_u64 << A) - 2).into()),
            top: Constant::new((1_u64 << (A - 1)).into()),
        }
    }
}

impl<const A: usize> Logic for EventFifo<A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            write_pointer,
            read_pointer,
            left_pointer,
            is_read,
            out,
            valid,
            level,
            is_placed,
            is_losing,
            is_flush_due,
            lost_count
        );
        // Behind a loss comes a stretch that is worth having.
        self.has_room.next = (self.level.q.val() != self.most.val())
            & !(self.is_losing.q.val() & (self.level.q.val() & self.top.val()).any());
        self.stores_mark.next = self.event_valid.val()
            & self.has_room.val()
            & (self.begins.val() | self.is_losing.q.val() | !self.is_placed.q.val());
        self.stores_event.next = self.event_valid.val()
            & self.has_room.val()
            & !self.begins.val()
            & !self.is_losing.q.val()
            & self.is_placed.q.val();
        self.stores_flush.next =
            self.is_flush_due.q.val() & !self.event_valid.val() & self.has_room.val();
        self.stores.next =
            self.stores_mark.val() | self.stores_event.val() | self.stores_flush.val();
        self.is_lost.next = self.event_valid.val()
            & !self.stores_event.val()
            & !(self.begins.val() & self.has_room.val());
        self.one.next = 0.into();
        if self.is_lost.val() & !self.begins.val() {
            self.one.next = 1.into();
        }
        self.amount.next = self.lost_before.val() | self.one.val();
        self.lost_sum.next = bit_cast::<LOST_SUM_W, LOST_W>(self.lost_count.q.val())
            + bit_cast::<LOST_SUM_W, LOST_W>(self.amount.val());
        self.lost_with.next = self.lost_sum.val().get_bits::<LOST_W>(0);
        if self.lost_sum.val().get_bit(32) {
            self.lost_with.next = 0xFFFF_FFFF_u64.into();
        }
        self.lost_count.d.next = self.lost_with.val();
        self.lost.next = self.lost_count.q.val();
        self.takes.next = self.stores_event.val();
        self.loses.next = self.is_lost.val();
        if self.is_lost.val() {
            self.is_losing.d.next = true;
        }
        if self.stores_mark.val() {
            self.is_losing.d.next = false;
            self.is_placed.d.next = true;
        }
        if self.flush.val() {
            self.is_flush_due.d.next = true;
        }
        if self.stores_mark.val() | self.stores_flush.val() {
            self.is_flush_due.d.next = false;
        }

        self.to_entry.is_mark.next = !self.stores_event.val();
        self.to_entry.is_flush.next = self.stores_flush.val();
        self.to_entry.is_loss.next = self.event_valid.val()
            & (self.is_losing.q.val() | self.is_lost.val() | self.lost_before.val().any());
        self.to_entry.lost.next = self.lost_with.val();
        self.to_entry.pc.next = self.pc.val();
        self.to_entry.next_pc.next = self.next_pc.val();
        self.to_entry.kind.next = self.kind.val();
        self.to_entry.taken.next = self.taken.val();
        self.to_entry.is_discontinuity.next = self.is_discontinuity.val();
        self.to_entry.instructions.next = self.instructions.val();
        self.entries.write_clock.next = self.clock.val();
        self.entries.write_address.next = self.write_pointer.q.val();
        self.entries.write_data.next = self.to_entry.entry.val();
        self.entries.write_enable.next = self.stores.val();
        if self.stores.val() {
            self.write_pointer.d.next = self.write_pointer.q.val() + 1;
        }

        // The memory gets the place of the entry at its output after this cycle.
        self.is_free.next = !self.valid.q.val() | self.entry_ready.val();
        self.reads.next = self.read_pointer.q.val();
        if self.is_free.val() {
            self.valid.d.next = self.is_read.q.val();
            self.out.d.next = self.entries.read_data.val();
        }
        if self.is_free.val() & self.is_read.q.val() {
            self.reads.next = self.read_pointer.q.val() + 1;
        }
        if self.rewind.val() {
            self.reads.next = self.left_pointer.q.val();
            self.valid.d.next = false;
        }
        self.entries.read_clock.next = self.clock.val();
        self.entries.read_address.next = self.reads.val();
        self.read_pointer.d.next = self.reads.val();
        self.is_read.d.next = self.reads.val() != self.write_pointer.q.val();
        self.entry_valid.next = self.valid.q.val();
        self.entry.next = self.out.q.val();

        self.waiting.next = self.level.q.val();
        self.is_empty.next = !self.level.q.val().any() & !self.is_flush_due.q.val();
        if self.commit.val() {
            self.left_pointer.d.next = self.left_pointer.q.val() + 1;
        }
        if self.stores.val() & !self.commit.val() {
            self.level.d.next = self.level.q.val() + 1;
        }
        if self.commit.val() & !self.stores.val() {
            self.level.d.next = self.level.q.val() - 1;
        }

        if self.reset.val() {
            self.write_pointer.d.next = 1.into();
            self.read_pointer.d.next = 1.into();
            self.left_pointer.d.next = 0.into();
            self.is_read.d.next = false;
            self.valid.d.next = false;
            self.level.d.next = 0.into();
            self.is_placed.d.next = false;
            self.is_losing.d.next = false;
            self.is_flush_due.d.next = false;
            self.lost_count.d.next = 0.into();
        }
    }
}
