// SPDX-License-Identifier: MIT OR Apache-2.0
//! `HistoryTail`: the control record at the end of a block of an X encoder.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `keeps` | in | the event that ends in this cycle is in the block |
//! | `events[31:0]`, `rest[31:0]` | in | of that event, as from [`HistoryEncoder`](super::HistoryEncoder) |
//! | `slots[4:0]` | in | a slot of the record |
//! | `tail` | out | the [`Beat`](super::Beat) of the slot |
//! | `records[6:0]` | out | how many of its bits are records: all |
//!
//! Latency 1 cycle from an event, 2 from a slot. Throughput one slot per cycle. `N` and `P` are 1.

use super::beat::{BEAT_COUNT_W, BEAT_W, Beat};
use super::block_control::TAIL_SLOTS;
use super::branch_bits::INSTRUCTIONS_W;
use super::control::{control, kind};
use coretrace_abi::compressed::history::Control;
use coretrace_hdl_dataflow::{Bus, Word, clocked_block, named};
use rust_hdl::prelude::*;

clocked_block! {
    /// See the module text.
    pub struct HistoryTail;
    inputs TailInputs {
        keeps: Bit,
        events: Bits<INSTRUCTIONS_W>,
        rest: Bits<INSTRUCTIONS_W>,
        slots: Bits<TAIL_SLOTS>,
    }
    lane_inputs {}
    outputs TailOutputs { tail: Bus<BEAT_W>, records: Bits<BEAT_COUNT_W>, }
    lane_outputs {}
    pair_outputs {}
    kernel history_tail;
}

#[named]
fn history_tail<T: Word, const N: usize, const P: usize>(
    i: TailInputs<T::Port, N>,
) -> TailOutputs<T, N, P> {
    let keeps = T::field(&i.keeps, 0, 1);
    let kept = |port: &T::Port| {
        let (number, number_next) = T::register(INSTRUCTIONS_W as u32, 0);
        let new = T::field(port, 0, INSTRUCTIONS_W as u32);
        T::set_next(number_next, keeps.mux(new, number));
        number
    };
    let slots = T::field(&i.slots, 0, TAIL_SLOTS as u32);
    let (bits, count) = control(kind(Control::End), slots, kept(&i.events), kept(&i.rest));
    TailOutputs {
        tail: Beat { bits, count }.pack(),
        records: vec![count],
    }
}
