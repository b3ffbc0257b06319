// SPDX-License-Identifier: MIT OR Apache-2.0
//! `BranchFields`: a beat of a branch stream as the fields of an event.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `valid`, `beat[191:0]` | in | a beat, as in [`coretrace_abi::compressed::branch_beat`] |
//! | `begins`, `lost_before[31:0]`, `pc` to `instructions` | out | as in [`EventFifo`](super::EventFifo) |
//!
//! Combinational; `N` is 1.

use super::branch_bits::{ADDRESS_W, INSTRUCTIONS_W, KIND_W};
use super::fifo_entry::LOST_W;
use coretrace_abi::compressed::branch_beat::{
    ADDRESS, BEGINS, BYTES, BeatField, DISCONTINUITY, INSTRUCTIONS, KIND, NEXT, TAKEN,
};
use coretrace_hdl_dataflow::{Bus, Word, kernel_block, named};
use rust_hdl::prelude::*;

/// Bits of a beat.
pub const BRANCH_BEAT_W: usize = 8 * BYTES;

/// Bits of an address that are always 0.
pub const ALIGNMENT: u32 = ADDRESS.width - ADDRESS_W as u32;

kernel_block! {
    /// See the module text.
    pub struct BranchFields;
    inputs FieldsInputs { valid: Bit, beat: Bus<BRANCH_BEAT_W>, }
    lane_inputs {}
    outputs FieldsOutputs {
        begins: Bit,
        lost_before: Bits<LOST_W>,
        pc: Bus<ADDRESS_W>,
        next_pc: Bus<ADDRESS_W>,
        kind: Bits<KIND_W>,
        taken: Bit,
        is_discontinuity: Bit,
        instructions: Bits<INSTRUCTIONS_W>,
    }
    lane_outputs {}
    kernel branch_fields;
}

#[named]
fn branch_fields<T: Word, const N: usize>(i: FieldsInputs<T::Port, N>) -> FieldsOutputs<T, N> {
    let field = |field: BeatField| vec![T::field(&i.beat, field.low, field.width)];
    let address =
        |field: BeatField| vec![T::field(&i.beat, field.low + ALIGNMENT, ADDRESS_W as u32)];
    let begins = T::field(&i.valid, 0, 1).and(T::field(&i.beat, BEGINS.low, 1));
    let instructions = T::field(&i.beat, INSTRUCTIONS.low, INSTRUCTIONS.width);
    FieldsOutputs {
        begins: vec![begins],
        lost_before: vec![instructions.mask(begins)],
        pc: address(ADDRESS),
        next_pc: address(NEXT),
        kind: field(KIND),
        taken: field(TAKEN),
        is_discontinuity: field(DISCONTINUITY),
        instructions: vec![instructions],
    }
}
