// SPDX-License-Identifier: MIT OR Apache-2.0
//! `LongEvents`: events with too many instructions for a stream cache encoder, as losses.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `event_valid`, `begins`, `lost_before[31:0]`, `instructions[31:0]` | in | as in [`EventFifo`](super::EventFifo) |
//! | `is_long` | out | the event has 2^14 instructions or more: it is lost |
//! | `loss_begins`, `loss_before[31:0]` | out | for the FIFO: such an event is lost in front of it |
//!
//! So many streams would take more than the room for what is in flight. Code without any branch is not that long.
//!
//! Combinational; `N` is 1.

use super::branch_bits::INSTRUCTIONS_W;
use super::fifo_entry::LOST_W;
use super::stream_cuts::STREAM_INSTRUCTIONS_W;
use coretrace_hdl_dataflow::{Word, all, kernel_block, named};
use rust_hdl::prelude::*;

kernel_block! {
    /// See the module text.
    pub struct LongEvents;
    inputs LongInputs {
        event_valid: Bit,
        begins: Bit,
        lost_before: Bits<LOST_W>,
        instructions: Bits<INSTRUCTIONS_W>,
    }
    lane_inputs {}
    outputs LongOutputs { is_long: Bit, loss_begins: Bit, loss_before: Bits<LOST_W>, }
    lane_outputs {}
    kernel long_events;
}

#[named]
fn long_events<T: Word, const N: usize>(i: LongInputs<T::Port, N>) -> LongOutputs<T, N> {
    let bit = |port: &T::Port| T::field(port, 0, 1);
    let begins = bit(&i.begins);
    let low = STREAM_INSTRUCTIONS_W as u32;
    let above = T::field(&i.instructions, low, INSTRUCTIONS_W as u32 - low);
    let is_long = all(&[bit(&i.event_valid), begins.not(), above.any()]);
    let lost_before = T::field(&i.lost_before, 0, LOST_W as u32);
    let one = T::constant(1, LOST_W as u32);
    LongOutputs {
        is_long: vec![is_long],
        loss_begins: vec![begins.or(is_long)],
        loss_before: vec![is_long.mux(one, lost_before)],
    }
}
