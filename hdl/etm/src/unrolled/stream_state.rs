// SPDX-License-Identifier: MIT OR Apache-2.0
//! `UnrolledStreamState`: the stream state, stepped byte by byte, all bytes of a word in one cycle.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock` | in | |
//! | `flags`, `next_after_loss`, `resume_next` | in | as from the header pre-processing |
//! | `octet[N]`, `enables[N]`, `predecode[N]` | in | bytes, and what they say whatever the state |
//! | `flags_out`, `octet_out[N]` | out | the word |
//! | `role[N]` | out | [`Role`](super::layouts::Role) of each byte |
//!
//! Latency 2 cycles, one word per cycle. The only loop of the decoder that goes through all bytes of
//! a word: two levels of logic each. A loss before the next word is part of the step to it, so that
//! it costs no level.

use super::layouts::{ENABLES_W, Enables, PREDECODE_W, Predecode, ROLE_W, WORD_FLAGS_W, WordFlags};
use super::state::{STATE_W, StreamState};
use coretrace_hdl_dataflow::{Bus, Word, clocked_block, named};
use rust_hdl::prelude::*;
use std::array::from_fn;

clocked_block! {
    /// The chain of steps; see the module text.
    pub struct UnrolledStreamState;
    inputs StateInputs {
        flags: Bus<WORD_FLAGS_W>,
        next_after_loss: Bit,
        resume_next: Bit,
    }
    lane_inputs {
        octet: Bits<8>,
        enables: Bus<ENABLES_W>,
        predecode: Bus<PREDECODE_W>,
    }
    outputs StateOutputs { flags_out: Bus<WORD_FLAGS_W>, }
    lane_outputs { octet_out: Bits<8>, role: Bus<ROLE_W>, }
    pair_outputs {}
    kernel stream_state;
}

#[named]
fn stream_state<T: Word, const N: usize, const P: usize>(
    i: StateInputs<T::Port, N>,
) -> StateOutputs<T, N, P> {
    let next_after_loss = T::field(&i.next_after_loss, 0, 1);
    let resume_next = T::field(&i.resume_next, 0, 1);
    let enables: [Enables<T>; N] = from_fn(|lane| Enables::unpack(&i.enables[lane]));
    let (held, handles): (Vec<T>, Vec<T::RegisterHandle>) =
        (0..STATE_W).map(|_| T::register(1, 0)).unzip();
    let mut state = StreamState::new(&held);
    let before: [StreamState<T>; N] = from_fn(|lane| {
        let before = state;
        state = before.step(&enables[lane]);
        before
    });
    // Clearing is left to the reset pin of the flip-flops. The header's flag is the first.
    let zero = T::constant(0, 1);
    for (index, (handle, after)) in handles.into_iter().zip(state.flags()).enumerate() {
        let next = match index {
            0 => next_after_loss
                .and(resume_next.not())
                .mux(zero, after.or(resume_next)),
            _ => next_after_loss.mux(zero, after),
        };
        T::set_next(handle, next);
    }
    let role = |lane: usize| {
        let flags: Vec<T> = before[lane].flags().into_iter().map(T::reg).collect();
        let state = StreamState::new(&flags);
        state
            .role(&enables[lane], &Predecode::unpack(&i.predecode[lane]))
            .pack()
    };
    StateOutputs {
        flags_out: WordFlags::<T>::unpack(&i.flags).pack(),
        octet_out: from_fn(|lane| vec![T::field(&i.octet[lane], 0, 8)]),
        role: from_fn(role),
    }
}
