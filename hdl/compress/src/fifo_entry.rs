// SPDX-License-Identifier: MIT OR Apache-2.0
//! What an `EventFifo` has in its memory: events, and marks between them.
//!
//! A mark has the place of an event. Where execution goes on, and what was lost, are in fields that
//! it does not need otherwise.

use super::branch_bits::{ADDRESS_W, INSTRUCTIONS_W, KIND_W};
use coretrace_hdl_dataflow::{Bus, Word, kernel_block, layout, named};
use rust_hdl::prelude::*;

layout! {
    /// An event or a mark.
    pub struct FifoEntry {
        is_mark: 1,
        /// With a mark: the block ends here, and execution goes on.
        taken: 1,
        /// With a mark: events were lost in front of it.
        is_discontinuity: 1,
        kind: KIND_W,
        pc: ADDRESS_W,
        next_pc: ADDRESS_W,
        /// With a mark: how many events were lost since the encoder was enabled.
        instructions: INSTRUCTIONS_W,
    }
}

/// Bits of a [`FifoEntry`].
pub const FIFO_ENTRY_W: usize = FifoEntry::WIDTH;

/// Bits of a number of events.
pub const LOST_W: usize = INSTRUCTIONS_W;

kernel_block! {
    /// An event or a mark as a [`FifoEntry`]. Combinational; `N` is 1.
    pub struct JoinEntry;
    inputs JoinInputs {
        is_mark: Bit,
        is_flush: Bit,
        is_loss: Bit,
        lost: Bits<LOST_W>,
        pc: Bus<ADDRESS_W>,
        next_pc: Bus<ADDRESS_W>,
        kind: Bits<KIND_W>,
        taken: Bit,
        is_discontinuity: Bit,
        instructions: Bits<INSTRUCTIONS_W>,
    }
    lane_inputs {}
    outputs JoinOutputs { entry: Bus<FIFO_ENTRY_W>, }
    lane_outputs {}
    kernel join_entry;
}

#[named]
fn join_entry<T: Word, const N: usize>(i: JoinInputs<T::Port, N>) -> JoinOutputs<T, N> {
    let bit = |port: &T::Port| T::field(port, 0, 1);
    let address = |port: &T::Port| T::field(port, 0, ADDRESS_W as u32);
    let is_mark = bit(&i.is_mark);
    let lost = T::field(&i.lost, 0, LOST_W as u32);
    let instructions = T::field(&i.instructions, 0, INSTRUCTIONS_W as u32);
    let entry = FifoEntry {
        is_mark,
        taken: is_mark.mux(bit(&i.is_flush), bit(&i.taken)),
        is_discontinuity: is_mark.mux(bit(&i.is_loss), bit(&i.is_discontinuity)),
        kind: T::field(&i.kind, 0, KIND_W as u32),
        pc: address(&i.pc),
        next_pc: address(&i.next_pc),
        instructions: is_mark.mux(lost, instructions),
    };
    JoinOutputs {
        entry: entry.pack(),
    }
}

kernel_block! {
    /// The fields of a [`FifoEntry`], of an event and of a mark. Combinational; `N` is 1.
    pub struct SplitEntry;
    inputs SplitInputs { entry: Bus<FIFO_ENTRY_W>, }
    lane_inputs {}
    outputs SplitOutputs {
        is_mark: Bit,
        is_flush: Bit,
        is_loss: Bit,
        lost: Bits<LOST_W>,
        pc: Bus<ADDRESS_W>,
        next_pc: Bus<ADDRESS_W>,
        kind: Bits<KIND_W>,
        taken: Bit,
        is_discontinuity: Bit,
        instructions: Bits<INSTRUCTIONS_W>,
    }
    lane_outputs {}
    kernel split_entry;
}

#[named]
fn split_entry<T: Word, const N: usize>(i: SplitInputs<T::Port, N>) -> SplitOutputs<T, N> {
    let entry = FifoEntry::<T>::unpack(&i.entry);
    SplitOutputs {
        is_mark: vec![entry.is_mark],
        is_flush: vec![entry.taken],
        is_loss: vec![entry.is_discontinuity],
        lost: vec![entry.instructions],
        pc: vec![entry.pc],
        next_pc: vec![entry.next_pc],
        kind: vec![entry.kind],
        taken: vec![entry.taken],
        is_discontinuity: vec![entry.is_discontinuity],
        instructions: vec![entry.instructions],
    }
}
