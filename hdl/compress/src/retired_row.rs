// SPDX-License-Identifier: MIT OR Apache-2.0
//! Events of one cycle as a row of a FIFO, and a row as beats of a branch stream, one after another.

use super::branch_bits::{ADDRESS_W, INSTRUCTIONS_W, KIND_W};
use super::branch_fields::{ALIGNMENT, BRANCH_BEAT_W};
use super::fifo_entry::LOST_W;
use coretrace_abi::compressed::branch_beat::FIELDS;
use coretrace_hdl_dataflow::{Bus, Word, all, any, kernel_block, layout, named};
use rust_hdl::prelude::*;

layout! {
    /// An event of a lane.
    pub struct RetiredEvent {
        valid: 1,
        begins: 1,
        pc: ADDRESS_W,
        next_pc: ADDRESS_W,
        kind: KIND_W,
        taken: 1,
        is_discontinuity: 1,
        instructions: INSTRUCTIONS_W,
    }
}

/// Lanes of a row.
pub const ROW_LANES: usize = 2;
/// Bits of a row.
pub const RETIRED_ROW_W: usize = ROW_LANES * RetiredEvent::WIDTH;

kernel_block! {
    /// The events of a cycle as a row, the oldest one lowest. Behind a loss the first one of them says where execution
    /// goes on, and how many events were lost, itself included. `lost` are those lost since the last row, `lost_next`
    /// those behind this one, which `is_full` loses too; they stay from 2^31 on. Combinational; `N` is [`ROW_LANES`].
    pub struct JoinRetired;
    inputs JoinRetiredInputs { lost: Bits<LOST_W>, is_full: Bit, }
    lane_inputs {
        event_valid: Bit,
        begins: Bit,
        pc: Bus<ADDRESS_W>,
        next_pc: Bus<ADDRESS_W>,
        kind: Bits<KIND_W>,
        taken: Bit,
        is_discontinuity: Bit,
        instructions: Bits<INSTRUCTIONS_W>,
    }
    outputs JoinRetiredOutputs { row_valid: Bit, row: Bus<RETIRED_ROW_W>, lost_next: Bits<LOST_W>, }
    lane_outputs {}
    kernel join_retired;
}

#[named]
fn join_retired<T: Word, const N: usize>(
    i: JoinRetiredInputs<T::Port, N>,
) -> JoinRetiredOutputs<T, N> {
    let bit = |port: &T::Port| T::field(port, 0, 1);
    let address = |port: &T::Port| T::field(port, 0, ADDRESS_W as u32);
    let valids: [T; N] = std::array::from_fn(|lane| bit(&i.event_valid[lane]));
    let (lost, is_full) = (T::field(&i.lost, 0, LOST_W as u32), bit(&i.is_full));
    // The first event of a row that is stored, or all of one that is lost.
    let two = is_full.and(all(&valids));
    let amount = two.concat(two.not()).extend(LOST_W as u32);
    let lost_with = lost.bit(LOST_W as u32 - 1).mux(lost, lost.add(amount));
    let mut begins = lost.any();
    let mut row = Vec::new();
    for (lane, &valid) in valids.iter().enumerate() {
        let instructions = T::field(&i.instructions[lane], 0, INSTRUCTIONS_W as u32);
        let event = RetiredEvent {
            valid,
            begins: bit(&i.begins[lane]).or(begins),
            pc: address(&i.pc[lane]),
            next_pc: address(&i.next_pc[lane]),
            kind: T::field(&i.kind[lane], 0, KIND_W as u32),
            taken: bit(&i.taken[lane]),
            is_discontinuity: bit(&i.is_discontinuity[lane]),
            instructions: begins.mux(lost_with, instructions),
        };
        begins = begins.and(valid.not());
        row.extend(event.pack());
    }
    JoinRetiredOutputs {
        row_valid: vec![any(&valids)],
        row,
        lost_next: vec![lost_with.mask(is_full)],
    }
}

kernel_block! {
    /// The next beat of a row. Combinational; `N` is 1.
    pub struct RetiredBeat;
    inputs RetiredBeatInputs {
        row_valid: Bit,
        row: Bus<RETIRED_ROW_W>,
        is_second: Bit,
    }
    lane_inputs {}
    outputs RetiredBeatOutputs {
        beat_valid: Bit,
        beat: Bus<BRANCH_BEAT_W>,
        row_ready: Bit,
    }
    lane_outputs {}
    kernel retired_beat;
}

#[named]
fn retired_beat<T: Word, const N: usize>(
    i: RetiredBeatInputs<T::Port, N>,
) -> RetiredBeatOutputs<T, N> {
    let is_second = T::field(&i.is_second, 0, 1);
    let first = RetiredEvent::<T>::unpack(&i.row);
    let second = RetiredEvent::<T>::unpack_at(&i.row, RetiredEvent::WIDTH);
    let is_last = any(&[is_second, first.valid.not(), second.valid.not()]);
    let event = RetiredEvent::mux(is_second.or(first.valid.not()), second, first);
    let aligned = |address: T| vec![T::constant(0, ALIGNMENT), address];
    let fields = [
        aligned(event.pc),
        aligned(event.next_pc),
        vec![event.instructions],
        vec![event.kind],
        vec![event.taken],
        vec![event.is_discontinuity],
        vec![event.begins],
    ];
    let used = FIELDS.iter().map(|field| field.width).sum::<u32>();
    let mut beat = fields.concat();
    beat.push(T::constant(0, BRANCH_BEAT_W as u32 - used));
    RetiredBeatOutputs {
        beat_valid: vec![T::field(&i.row_valid, 0, 1)],
        beat,
        row_ready: vec![is_last],
    }
}
