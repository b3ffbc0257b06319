// SPDX-License-Identifier: MIT OR Apache-2.0
//! `DecisionQueue`: entries to slots, one in each cycle; it levels out targets of more than two slots.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clear` | in | it is empty |
//! | `valid`, `entry[18:0]`, `value[61:0]` | in | as from [`DecisionEntries`](super::DecisionEntries) |
//! | `slot` | out | a [`DecisionSlot`] |
//! | `fills_up` | out | there is room for 18 entries that are on their way, not for many more |
//!
//! Latency 2 cycles if it is empty. Throughput one slot per cycle.

use super::branch_bits::ADDRESS_W;
use super::decision_entry::{DECISION_ENTRY_W, DecisionEntry, SLOTS};
use coretrace_hdl_dataflow::{
    Bus, Word, all, any, clocked_block, layout, lowest_set, named, without_lowest,
};
use coretrace_hdl_parts::stream::LutMemory;
use rust_hdl::prelude::*;

/// Address bits of the queue.
const QUEUE_W: usize = 5;
/// Entries from which on it fills up.
const FILLING: u64 = 12;

layout! {
    /// What becomes one beat.
    pub struct DecisionSlot {
        valid: 1,
        /// A decision, its class, and whether it was right.
        is_decision: 1,
        is_sure: 1,
        is_right: 1,
        /// A right decision is in front of it, and its class.
        has_one_before: 1,
        is_one_before_sure: 1,
        /// The size of the literal in the next slot follows; this is a literal.
        has_header: 1,
        is_literal: 1,
        /// The control record is one of bytes, or the value is these bytes.
        is_bytes: 1,
        /// One of the slots of a control record.
        control: SLOTS,
        is_rest: 1,
        is_counted: 1,
        is_last: 1,
        value: ADDRESS_W,
    }
}

/// Bits of a [`DecisionSlot`].
pub const DECISION_SLOT_W: usize = DecisionSlot::WIDTH;

#[derive(LogicBlock, Default)]
pub struct DecisionQueue {
    pub clock: Signal<In, Clock>,
    pub clear: Signal<In, Bit>,
    pub valid: Signal<In, Bit>,
    pub entry: Signal<In, Bits<DECISION_ENTRY_W>>,
    pub value: Signal<In, Bits<ADDRESS_W>>,
    pub slot: Signal<Out, Bus<DECISION_SLOT_W>>,
    pub fills_up: Signal<Out, Bit>,
    entries: LutMemory<QUEUE_W, DECISION_ENTRY_W>,
    values: LutMemory<QUEUE_W, ADDRESS_W>,
    slots: DecisionSlots<QUEUE_W, 1>,
}

impl Logic for DecisionQueue {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, entries, values, slots);
        self.entries.write_enable.next = self.valid.val();
        self.entries.write_address.next = self.slots.write_place.val();
        self.entries.write_data.next = self.entry.val();
        self.entries.read_address.next = self.slots.read_place.val();
        self.values.write_enable.next = self.valid.val();
        self.values.write_address.next = self.slots.write_place.val();
        self.values.write_data.next = self.value.val();
        self.values.read_address.next = self.slots.read_place.val();
        self.slots.clear.next = self.clear.val();
        self.slots.push.next = self.valid.val();
        self.slots.entry.next = self.entries.read_data.val();
        self.slots.value.next = self.values.read_data.val();
        self.slot.next = self.slots.slot.val();
        self.fills_up.next = self.slots.fills_up.val();
    }
}

clocked_block! {
    /// The pointers of the queue, of `N` bits, and the slots of the entry at its head.
    pub struct DecisionSlots;
    inputs SlotsInputs {
        clear: Bit,
        push: Bit,
        entry: Bits<DECISION_ENTRY_W>,
        value: Bits<ADDRESS_W>,
    }
    lane_inputs {}
    outputs SlotsOutputs {
        write_place: Bits<N>,
        read_place: Bits<N>,
        fills_up: Bit,
        slot: Bus<DECISION_SLOT_W>,
    }
    lane_outputs {}
    pair_outputs {}
    kernel decision_slots;
}

#[named]
fn decision_slots<T: Word, const N: usize, const P: usize>(
    i: SlotsInputs<T::Port, N>,
) -> SlotsOutputs<T, N, P> {
    let width = N as u32;
    let live = T::field(&i.clear, 0, 1).not();
    let entry = DecisionEntry::<T>::split(T::field(&i.entry, 0, DECISION_ENTRY_W as u32));
    let (write, write_next) = T::register(width, 0);
    let (read, read_next) = T::register(width, 0);
    let (is_within, is_within_next) = T::register(1, 0);
    let (left, left_next) = T::register(SLOTS as u32, 0);

    let valid = write.eq(read).not();
    let slots = is_within.mux(left, entry.slots);
    let chosen = lowest_set(slots);
    let behind = without_lowest(slots);
    let is_done = behind.is(0);
    let literal = 1 << (SLOTS - 1);
    let is_decision = chosen.slice(0, 3).any().and(entry.has_decisions);

    let write_behind = write.add(T::field(&i.push, 0, 1).extend(width));
    let write_behind = write_behind.mask(live);
    let read_behind = read.add(valid.and(is_done).extend(width)).mask(live);
    T::set_next(write_next, write_behind);
    T::set_next(read_next, read_behind);
    T::set_next(is_within_next, valid.and(is_done.not()).and(live));
    T::set_next(left_next, behind);
    let level = write.add(read.not()).add_const(1);
    let fills_up = level.lt(T::constant(FILLING, width)).not();

    let of = |flags: T| any(&[0, 1, 2].map(|number| flags.bit(number).and(chosen.bit(number))));
    let is_other = entry.is_control.not();
    let ends = valid.and(is_done);
    let slot = DecisionSlot {
        valid,
        is_decision: valid.and(is_decision),
        is_sure: of(entry.are_sure),
        is_right: of(entry.are_right),
        has_one_before: valid.and(entry.has_one_before),
        is_one_before_sure: entry.is_one_before_sure,
        has_header: is_other.and(behind.is(literal)),
        is_literal: all(&[is_other, chosen.is(literal), entry.is_bytes.not()]),
        is_bytes: valid.and(entry.is_bytes),
        control: chosen.mask(entry.is_control.and(valid)),
        is_rest: entry.is_rest,
        is_counted: ends.and(entry.is_counted),
        is_last: ends.and(entry.is_last),
        value: T::field(&i.value, 0, ADDRESS_W as u32),
    };
    SlotsOutputs {
        write_place: vec![write_behind],
        read_place: vec![read_behind],
        fills_up: vec![fills_up],
        slot: slot.pack(),
    }
}
