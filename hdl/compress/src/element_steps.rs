// SPDX-License-Identifier: MIT OR Apache-2.0
//! `ElementSteps`: elements to steps: the atom with its flag, and the address in the cycle behind it; and bytes to
//! steps: their control record, and what it has in the cycle behind it.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clear` | in | no element comes |
//! | `valid`, `is_bytes`, `taken`, `has_address`, `address[61:0]` | in | an element or bytes, as in [`ElementEncoder`](super::ElementEncoder) |
//! | `step` | out | a [`HistoryStep`] |
//!
//! Latency 2 cycles. Throughput one element per cycle, and none in the cycle behind one with an address, or
//! behind bytes. `N` and `P` are 1.

use super::branch_bits::ADDRESS_W;
use super::hash::before;
use super::history_steps::{HISTORY_STEP_W, HistoryStep, PLACE_W, held};
use coretrace_hdl_dataflow::{Bus, Word, any, clocked_block, named};
use rust_hdl::prelude::*;

clocked_block! {
    /// See the module text.
    pub struct ElementSteps;
    inputs StepsInputs {
        clear: Bit,
        valid: Bit,
        is_bytes: Bit,
        taken: Bit,
        has_address: Bit,
        address: Bus<ADDRESS_W>,
    }
    lane_inputs {}
    outputs StepsOutputs { step: Bus<HISTORY_STEP_W>, }
    lane_outputs {}
    pair_outputs {}
    kernel element_steps;
}

#[named]
fn element_steps<T: Word, const N: usize, const P: usize>(
    i: StepsInputs<T::Port, N>,
) -> StepsOutputs<T, N, P> {
    let valid = T::field(&i.valid, 0, 1).and(T::field(&i.clear, 0, 1).not());
    let held = |port: &T::Port, width: u32| held(valid, T::field(port, 0, width));
    let is_bytes = held(&i.is_bytes, 1);
    let taken = held(&i.taken, 1);
    let has_address = held(&i.has_address, 1).and(taken);
    let address = held(&i.address, ADDRESS_W as u32);
    let first = before(valid);
    let is_atom = first.and(is_bytes.not());
    let is_control = first.and(is_bytes);
    let is_address = before(is_atom.and(has_address));
    let has_bytes = before(is_control);
    let is_element = is_address.or(is_atom.and(has_address.not()));
    let no = T::constant(0, 1);
    let step = HistoryStep {
        valid: any(&[first, is_address, has_bytes]),
        is_outcome: is_atom,
        is_target: is_address,
        is_control,
        is_place: no,
        is_bytes: is_control.or(has_bytes),
        is_last: is_element.or(has_bytes),
        is_counted: is_element,
        taken,
        has_address: is_atom.and(has_address),
        has_flag: is_atom.and(taken),
        is_return: no,
        place: T::constant(0, PLACE_W as u32),
        // No instructions are counted.
        value: address.mask(is_address.or(has_bytes)),
    };
    StepsOutputs { step: step.pack() }
}
