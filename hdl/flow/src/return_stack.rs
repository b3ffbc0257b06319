// SPDX-License-Identifier: MIT OR Apache-2.0
//! `ReturnStack`: the sites behind the last 16 calls.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high: the stack is empty |
//! | `pop` | in | the top leaves; the stack must not be empty |
//! | `push`, `value[SW-1:0]` | in | a new top; not together with `pop` |
//! | `flush` | in | the stack is empty from the next cycle on, whatever else happens |
//! | `top_next[SW-1:0]` | out | in the same cycle: the top after push and pop |
//! | `filled` | out | the stack is not empty; a register |
//!
//! The top is in a register, the sites below it in LUTs. A 17th site displaces the lowest one: a
//! trace unit's own stack has at most 16 entries, so a pop never needs what was displaced.
//!
//! Latency 0 to `top_next`, 1 cycle to `filled`. Throughput one operation per cycle.
//! Source: Arm IHI 0064, return stack.

use coretrace_abi::flow_table::RETURN_STACK;
use coretrace_hdl_parts::stream::LutMemory;
use rust_hdl::prelude::*;

/// Address bits of the memory, and so bits of a place.
const PLACE_W: usize = RETURN_STACK.ilog2() as usize;
/// Bits of the number of sites.
const DEPTH_W: usize = PLACE_W + 1;

#[derive(LogicBlock)]
pub struct ReturnStack<const SW: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub pop: Signal<In, Bit>,
    pub push: Signal<In, Bit>,
    pub value: Signal<In, Bits<SW>>,
    pub flush: Signal<In, Bit>,
    pub top_next: Signal<Out, Bits<SW>>,
    pub filled: Signal<Out, Bit>,
    below: LutMemory<PLACE_W, SW>,
    top: DFF<Bits<SW>>,
    /// The place of the site below the top, and the place after it.
    place: DFF<Bits<PLACE_W>>,
    free: DFF<Bits<PLACE_W>>,
    depth: DFF<Bits<DEPTH_W>>,
    is_filled: DFF<Bit>,
    new_top: Signal<Local, Bits<SW>>,
    most: Constant<Bits<DEPTH_W>>,
}

impl<const SW: usize> Default for ReturnStack<SW> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            pop: Default::default(),
            push: Default::default(),
            value: Default::default(),
            flush: Default::default(),
            top_next: Default::default(),
            filled: Default::default(),
            below: Default::default(),
            top: Default::default(),
            place: Default::default(),
            free: Default::default(),
            depth: Default::default(),
            is_filled: Default::default(),
            new_top: Default::default(),
            most: Constant::new((RETURN_STACK as u64).into()),
        }
    }
}

impl<const SW: usize> Logic for ReturnStack<SW> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, top, place, free, depth, is_filled);
        self.below.clock.next = self.clock.val();
        self.below.read_address.next = self.place.q.val();
        self.below.write_address.next = self.free.q.val();
        self.below.write_data.next = self.top.q.val();
        self.below.write_enable.next = self.push.val();

        self.new_top.next = self.top.q.val();
        if self.pop.val() {
            self.new_top.next = self.below.read_data.val();
        }
        if self.push.val() {
            self.new_top.next = self.value.val();
        }
        self.top.d.next = self.new_top.val();
        self.top_next.next = self.new_top.val();

        if self.push.val() {
            self.place.d.next = self.free.q.val();
            self.free.d.next = self.free.q.val() + 1;
            self.is_filled.d.next = true;
            if self.depth.q.val() != self.most.val() {
                self.depth.d.next = self.depth.q.val() + 1;
            }
        }
        if self.pop.val() {
            self.place.d.next = self.place.q.val() - 1;
            self.free.d.next = self.place.q.val();
            self.depth.d.next = self.depth.q.val() - 1;
            self.is_filled.d.next = self.depth.q.val() != 1;
        }
        self.filled.next = self.is_filled.q.val();
        if self.flush.val() | self.reset.val() {
            self.depth.d.next = 0.into();
            self.is_filled.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_hdl_dataflow::sim::{cycle, settle};
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};
    use std::collections::VecDeque;

    #[test]
    fn it_equals_a_list_of_at_most_16_sites() {
        let mut most = 0;
        for seed in 0..20 {
            println!("seed {seed}");
            let mut rng = StdRng::seed_from_u64(seed);
            let mut uut = ReturnStack::<12>::default();
            uut.connect_all();
            uut.reset.next = true;
            cycle(&mut uut, |u, c| u.clock.next = c);
            uut.reset.next = false;
            let mut list: VecDeque<u64> = VecDeque::new();
            let pushes = rng.random_range(0.2..0.7);
            for _ in 0..500 {
                assert_eq!(uut.filled.val(), !list.is_empty());
                let push = rng.random_bool(pushes);
                let pop = !push && !list.is_empty() && rng.random_bool(0.6);
                let flush = rng.random_bool(0.01);
                let value = rng.random_range(0..1 << 12);
                uut.push.next = push;
                uut.pop.next = pop;
                uut.flush.next = flush;
                uut.value.next = value.into();
                settle(&mut uut);
                if pop {
                    list.pop_back();
                }
                if push {
                    list.push_back(value);
                }
                if list.len() > 16 {
                    list.pop_front();
                }
                if let Some(&top) = list.back() {
                    assert_eq!(uut.top_next.val().to_u64(), top);
                }
                most = most.max(list.len());
                if flush {
                    list.clear();
                }
                cycle(&mut uut, |u, c| u.clock.next = c);
            }
        }
        assert_eq!(most, 16, "no stack was full");
    }
}
