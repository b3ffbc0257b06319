// SPDX-License-Identifier: MIT OR Apache-2.0
//! `EntryFifo`: entries wait for the walker, 2^A places in block RAM.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high: discard all entries, clear the count |
//! | `write_valid`, `write_entry` | in | an [`Entry`](super::Entry); there is no TREADY |
//! | `entry_valid`, `entry` | out | the oldest entry |
//! | `entry_dropped` | out | entries were dropped just before this one |
//! | `entry_ready` | in | it is taken in this cycle |
//! | `level[A-1:0]` | out | places taken, a cycle ago |
//! | `dropped_atoms[31:0]` | out | atoms of the entries that were dropped, saturating |
//!
//! An entry that finds the memory full is dropped, and so are those behind it until half of the
//! places are free: what overruns a FIFO for long comes out as long stretches, not as entries with
//! a hole behind each.
//!
//! Latency 2 cycles, 3 to the count. Throughput one entry per cycle.

use super::item::{ATOMS_W, ENTRY_W, Entry};
use coretrace_hdl_dataflow::{Bus, Word, kernel_block};
use rust_hdl::prelude::*;

/// Bits of an entry in memory.
const STORED_W: usize = ENTRY_W + 1;
/// Bits of the number of atoms of an entry.
const AMOUNT_W: usize = ATOMS_W + 1;

#[derive(LogicBlock)]
pub struct EntryFifo<const A: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub write_valid: Signal<In, Bit>,
    pub write_entry: Signal<In, Bus<ENTRY_W>>,
    pub entry_valid: Signal<Out, Bit>,
    pub entry: Signal<Out, Bus<ENTRY_W>>,
    pub entry_dropped: Signal<Out, Bit>,
    pub entry_ready: Signal<In, Bit>,
    pub level: Signal<Out, Bits<A>>,
    pub dropped_atoms: Signal<Out, Bits<32>>,
    words: RAM<Bus<STORED_W>, A>,
    mark: MarkEntry<1>,
    unmark: UnmarkEntry<1>,
    write_pointer: DFF<Bits<A>>,
    read_pointer: DFF<Bits<A>>,
    /// The place after that of `read_pointer`.
    read_pointer_next: DFF<Bits<A>>,
    valid: DFF<Bit>,
    level_s1: DFF<Bits<A>>,
    full: DFF<Bit>,
    half_full: DFF<Bit>,
    lost: DFF<Bit>,
    amount_s1: DFF<Bits<AMOUNT_W>>,
    dropped_s2: DFF<Bits<32>>,
    sum: Signal<Local, Bits<32>>,
    has_room: Signal<Local, Bit>,
    stores: Signal<Local, Bit>,
    drops: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    reads: Signal<Local, Bits<A>>,
    taken: Signal<Local, Bits<A>>,
    almost: Constant<Bits<A>>,
    half: Constant<Bits<A>>,
}

impl<const A: usize> Default for EntryFifo<A> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            write_valid: Default::default(),
            write_entry: Default::default(),
            entry_valid: Default::default(),
            entry: Default::default(),
            entry_dropped: Default::default(),
            entry_ready: Default::default(),
            level: Default::default(),
            dropped_atoms: Default::default(),
            words: Default::default(),
            mark: Default::default(),
            unmark: Default::default(),
            write_pointer: Default::default(),
            read_pointer: Default::default(),
            read_pointer_next: Default::default(),
            valid: Default::default(),
            level_s1: Default::default(),
            full: Default::default(),
            half_full: Default::default(),
            lost: Default::default(),
            amount_s1: Default::default(),
            dropped_s2: Default::default(),
            sum: Default::default(),
            has_room: Default::default(),
            stores: Default::default(),
            drops: Default::default(),
            takes: Default::default(),
            reads: Default::default(),
            taken: Default::default(),
            // The level is seen a cycle late: one more entry may have come.
            almost: Constant::new(((1_u64 << A) - 2).into()),
            half: Constant::new((1_u64 << (A - 1)).into()),
        }
    }
}

impl<const A: usize> Logic for EntryFifo<A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            write_pointer,
            read_pointer,
            read_pointer_next,
            valid,
            level_s1,
            full,
            half_full,
            lost,
            amount_s1,
            dropped_s2
        );
        // Behind a loss comes a stretch that is worth having.
        self.has_room.next = !self.full.q.val() & !(self.lost.q.val() & self.half_full.q.val());
        self.stores.next = self.write_valid.val() & self.has_room.val();
        self.drops.next = self.write_valid.val() & !self.has_room.val();
        if self.drops.val() {
            self.lost.d.next = true;
        }
        if self.stores.val() {
            self.lost.d.next = false;
            self.write_pointer.d.next = self.write_pointer.q.val() + 1;
        }
        self.mark.entry.next = self.write_entry.val();
        self.mark.dropped.next = self.lost.q.val();
        self.words.write_clock.next = self.clock.val();
        self.words.read_clock.next = self.clock.val();
        self.words.write_address.next = self.write_pointer.q.val();
        self.words.write_data.next = self.mark.stored.val();
        self.words.write_enable.next = self.stores.val();

        // The memory gets the address of the entry to output after this cycle.
        self.takes.next = self.valid.q.val() & self.entry_ready.val();
        self.reads.next = self.read_pointer.q.val();
        self.valid.d.next = self.read_pointer.q.val() != self.write_pointer.q.val();
        if self.takes.val() {
            self.reads.next = self.read_pointer_next.q.val();
            self.valid.d.next = self.read_pointer_next.q.val() != self.write_pointer.q.val();
        }
        self.words.read_address.next = self.reads.val();
        self.read_pointer.d.next = self.reads.val();
        self.read_pointer_next.d.next = self.reads.val() + 1;
        self.unmark.stored.next = self.words.read_data.val();
        self.entry.next = self.unmark.entry.val();
        self.entry_dropped.next = self.unmark.dropped.val();
        self.entry_valid.next = self.valid.q.val();

        self.taken.next = self.write_pointer.q.val() - self.read_pointer.q.val();
        self.level_s1.d.next = self.taken.val();
        self.full.d.next = self.taken.val() >= self.almost.val();
        self.half_full.d.next = self.taken.val() >= self.half.val();
        self.level.next = self.level_s1.q.val();

        self.amount_s1.d.next = 0.into();
        if self.drops.val() {
            self.amount_s1.d.next = self.mark.atoms.val();
        }
        self.sum.next = self.dropped_s2.q.val() + bit_cast::<32, AMOUNT_W>(self.amount_s1.q.val());
        self.dropped_s2.d.next = self.sum.val();
        // The top bit can fall only when the sum wraps: the amount is small.
        if self.dropped_s2.q.val().get_bit(31) & !self.sum.val().get_bit(31) {
            self.dropped_s2.d.next = 0xFFFF_FFFF_u64.into();
        }
        self.dropped_atoms.next = self.dropped_s2.q.val();

        if self.reset.val() {
            self.write_pointer.d.next = 0.into();
            self.read_pointer.d.next = 0.into();
            self.read_pointer_next.d.next = 1.into();
            self.valid.d.next = false;
            self.full.d.next = false;
            self.half_full.d.next = false;
            self.lost.d.next = false;
            self.amount_s1.d.next = 0.into();
            self.dropped_s2.d.next = 0.into();
        }
    }
}

kernel_block! {
    /// An entry as it is stored, and the number of its atoms.
    pub struct MarkEntry;
    inputs MarkInputs { entry: Bus<ENTRY_W>, dropped: Bit, }
    lane_inputs {}
    outputs MarkOutputs { stored: Bus<STORED_W>, atoms: Bits<AMOUNT_W>, }
    lane_outputs {}
    kernel mark_entry;
}

fn mark_entry<T: Word, const N: usize>(i: MarkInputs<T::Port, N>) -> MarkOutputs<T, N> {
    let entry = Entry::<T>::unpack(&i.entry);
    let wide = |count: T| count.extend(AMOUNT_W as u32);
    let mut stored = entry.pack();
    stored.push(T::field(&i.dropped, 0, 1));
    MarkOutputs {
        stored,
        atoms: vec![wide(entry.count).add(wide(entry.head))],
    }
}

kernel_block! {
    /// A stored entry in its parts.
    pub struct UnmarkEntry;
    inputs UnmarkInputs { stored: Bus<STORED_W>, }
    lane_inputs {}
    outputs UnmarkOutputs { entry: Bus<ENTRY_W>, dropped: Bit, }
    lane_outputs {}
    kernel unmark_entry;
}

fn unmark_entry<T: Word, const N: usize>(i: UnmarkInputs<T::Port, N>) -> UnmarkOutputs<T, N> {
    UnmarkOutputs {
        entry: Entry::<T>::unpack(&i.stored).pack(),
        dropped: vec![T::field(&i.stored, ENTRY_W as u32, 1)],
    }
}
