// SPDX-License-Identifier: MIT OR Apache-2.0
//! `ElementSequencer`: rows in, their elements out, and the bytes of packets that are none, one per cycle.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high: all that waits is discarded |
//! | `row_valid`, `row`, `row_ready` | in, in, out | rows, see [`ElementRows`](super::ElementRows); one is taken if both are high |
//! | `ready` | in | an element may go out; one that is on its way comes a cycle later |
//! | `ends` | in | what waits goes out behind the rows: until `ended` |
//! | `ended` | out | it has |
//! | `waits` | out | bytes of a row, or the A-Sync at a begin |
//! | `element_valid` | out | there is an element, bytes, or a begin |
//! | `begins`, `is_loss` | out | it is a begin, which is no element; some were lost in front of it |
//! | `is_bytes`, `taken`, `has_address`, `address[61:0]` | out | as in `ElementEncoder` of `coretrace-hdl-compress` |
//!
//! Latency 2 cycles. Throughput one byte of a row per cycle, and one atom; a short note takes the cycle of a byte, or
//! one of its own in front of atoms. The model is `PacketElements` of `coretrace-compress`, with short notes.

use super::element_rows::{ELEMENT_ADDRESS_W, ELEMENT_ROW_W};
use super::element_step::{ELEMENT_STATE_W, ElementStep, PACKET_ELEMENT_W, PacketElement};
use coretrace_hdl_dataflow::{Bus, Word, kernel_block};
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
pub struct ElementSequencer {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub row_valid: Signal<In, Bit>,
    pub row: Signal<In, Bus<ELEMENT_ROW_W>>,
    pub row_ready: Signal<Out, Bit>,
    pub ready: Signal<In, Bit>,
    pub ends: Signal<In, Bit>,
    pub ended: Signal<Out, Bit>,
    pub waits: Signal<Out, Bit>,
    pub element_valid: Signal<Out, Bit>,
    pub begins: Signal<Out, Bit>,
    pub is_loss: Signal<Out, Bit>,
    pub is_bytes: Signal<Out, Bit>,
    pub taken: Signal<Out, Bit>,
    pub has_address: Signal<Out, Bit>,
    pub address: Signal<Out, Bus<ELEMENT_ADDRESS_W>>,
    step: ElementStep<1>,
    held: DFF<Bus<ELEMENT_ROW_W>>,
    state: DFF<Bus<ELEMENT_STATE_W>>,
    valid_s2: DFF<Bit>,
    element_s2: DFF<Bus<PACKET_ELEMENT_W>>,
    split: SplitElement<1>,
}

impl Logic for ElementSequencer {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, held, state, valid_s2, element_s2);
        self.step.reset.next = self.reset.val();
        self.step.ready.next = self.ready.val();
        self.step.ends.next = self.ends.val();
        self.step.row_valid.next = self.row_valid.val();
        self.step.row.next = self.row.val();
        self.step.held.next = self.held.q.val();
        self.step.state.next = self.state.q.val();
        self.row_ready.next = self.step.takes.val();
        self.ended.next = self.step.ended.val();
        self.waits.next = self.step.waits.val();
        if self.step.takes.val() {
            self.held.d.next = self.row.val();
        }
        self.state.d.next = self.step.state_next.val();
        self.valid_s2.d.next = self.step.element_valid.val();
        self.element_s2.d.next = self.step.element.val();
        self.split.element.next = self.element_s2.q.val();
        self.element_valid.next = self.valid_s2.q.val();
        self.begins.next = self.split.begins.val();
        self.is_loss.next = self.split.is_loss.val();
        self.is_bytes.next = self.split.is_bytes.val();
        self.taken.next = self.split.taken.val();
        self.has_address.next = self.split.has_address.val();
        self.address.next = self.split.address.val();
    }
}

kernel_block! {
    /// The fields of a [`PacketElement`]. Combinational; `N` is 1.
    pub struct SplitElement;
    inputs SplitInputs { element: Bus<PACKET_ELEMENT_W>, }
    lane_inputs {}
    outputs SplitOutputs {
        begins: Bit,
        is_loss: Bit,
        is_bytes: Bit,
        taken: Bit,
        has_address: Bit,
        address: Bus<ELEMENT_ADDRESS_W>,
    }
    lane_outputs {}
    kernel split_element;
}

fn split_element<T: Word, const N: usize>(i: SplitInputs<T::Port, N>) -> SplitOutputs<T, N> {
    let element = PacketElement::<T>::unpack(&i.element);
    SplitOutputs {
        begins: vec![element.begins],
        is_loss: vec![element.is_loss],
        is_bytes: vec![element.is_bytes],
        taken: vec![element.taken],
        has_address: vec![element.has_address],
        address: vec![element.address],
    }
}
