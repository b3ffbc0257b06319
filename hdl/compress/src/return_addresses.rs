// SPDX-License-Identifier: MIT OR Apache-2.0
//! `ReturnAddresses`: the addresses behind the last 2^A calls.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clear` | in | none is left, whatever else happens |
//! | `pop` | in | the newest one leaves, if there is one |
//! | `push`, `value[61:0]` | in | a new one, behind a `pop` in the same cycle; the oldest one leaves if there is no room |
//! | `top[61:0]`, `has_top` | out | the newest one before this cycle |
//!
//! Latency 0 cycles to `top`. Throughput one push and one pop per cycle.

use super::branch_bits::ADDRESS_W;
use coretrace_hdl_parts::stream::LutMemory;
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
pub struct ReturnAddresses<const A: usize> {
    pub clock: Signal<In, Clock>,
    pub clear: Signal<In, Bit>,
    pub pop: Signal<In, Bit>,
    pub push: Signal<In, Bit>,
    pub value: Signal<In, Bits<ADDRESS_W>>,
    pub top: Signal<Out, Bits<ADDRESS_W>>,
    pub has_top: Signal<Out, Bit>,
    addresses: LutMemory<A, ADDRESS_W>,
    /// The place of the newest one.
    place: DFF<Bits<A>>,
    is_filled: DFF<Bit>,
    /// How many are below the newest one.
    below: DFF<Bits<A>>,
    leaves: Signal<Local, Bit>,
    write_place: Signal<Local, Bits<A>>,
}

impl<const A: usize> Logic for ReturnAddresses<A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, place, is_filled, below);
        self.leaves.next = self.pop.val() & self.is_filled.q.val();
        self.write_place.next = self.place.q.val() + 1;
        if self.leaves.val() {
            self.write_place.next = self.place.q.val();
        }
        self.addresses.clock.next = self.clock.val();
        self.addresses.read_address.next = self.place.q.val();
        self.addresses.write_address.next = self.write_place.val();
        self.addresses.write_data.next = self.value.val();
        self.addresses.write_enable.next = self.push.val();
        self.top.next = self.addresses.read_data.val();
        self.has_top.next = self.is_filled.q.val();

        if self.push.val() {
            self.place.d.next = self.write_place.val();
            self.is_filled.d.next = true;
            if self.is_filled.q.val() & !self.leaves.val() & !self.below.q.val().all() {
                self.below.d.next = self.below.q.val() + 1;
            }
        }
        if self.leaves.val() & !self.push.val() {
            self.place.d.next = self.place.q.val() - 1;
            self.is_filled.d.next = self.below.q.val().any();
            if self.below.q.val().any() {
                self.below.d.next = self.below.q.val() - 1;
            }
        }
        if self.clear.val() {
            self.is_filled.d.next = false;
            self.below.d.next = 0.into();
        }
    }
}
