// SPDX-License-Identifier: MIT OR Apache-2.0
//! `StateLookup`: the only thing that is done with the stream state from one word to the next.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `rows` | in | the jump table of the word in hand |
//! | `state`, `state_before` | in | the state registers |
//! | `flags` | in | [`WordFlags`] of the word in hand |
//! | `next_restarts`, `next_after_loss` | in | the next word restarts; because bytes were lost |
//! | `state_after`, `state_before_after` | out | the state registers after the word |
//!
//! `state` selects a row. It is [`state::RESTART`] where the word itself says how to start, so that an
//! A-Sync costs nothing in the loop: it resets the register. `state_before` is the same state, except
//! that an A-Sync in the word leaves it alone: it decides how the bytes before it are read.
//!
//! Combinational, one 39:1 multiplexer whatever the number of lanes.

use super::layouts::{ROWS_W, WORD_FLAGS_W, WordFlags};
use super::state::{self, STATE_W, STATES};
use coretrace_hdl_dataflow::{Bus, Word, kernel_block, mux_tree};
use rust_hdl::prelude::*;

kernel_block! {
    /// The step of the stream state; see the module text.
    pub struct StateLookup;
    inputs LookupInputs {
        rows: Bus<ROWS_W>,
        state: Bits<6>,
        state_before: Bits<6>,
        flags: Bus<WORD_FLAGS_W>,
        next_restarts: Bit,
        next_after_loss: Bit,
    }
    lane_inputs {}
    outputs LookupOutputs { state_after: Bits<6>, state_before_after: Bits<6>, }
    lane_outputs {}
    kernel state_lookup;
}

fn state_lookup<T: Word, const N: usize>(i: LookupInputs<T::Port, N>) -> LookupOutputs<T, N> {
    let width = STATE_W as u32;
    let rows: Vec<T> = (0..STATES as u32)
        .map(|row| T::field(&i.rows, row * width, width))
        .collect();
    let bit = |port: &T::Port| T::field(port, 0, 1);
    let (state, before) = (
        T::field(&i.state, 0, width),
        T::field(&i.state_before, 0, width),
    );
    let after = mux_tree(&rows, state, width);
    let flags = WordFlags::<T>::unpack(&i.flags);
    let updated = |old| flags.update.mux(after, old);
    let restart = T::constant(state::RESTART, width);
    LookupOutputs {
        state_after: vec![bit(&i.next_restarts).mux(restart, updated(state))],
        state_before_after: vec![bit(&i.next_after_loss).mux(restart, updated(before))],
    }
}
