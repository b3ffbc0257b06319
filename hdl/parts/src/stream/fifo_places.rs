// SPDX-License-Identifier: MIT OR Apache-2.0
//! `FifoPlaces`: the places of 2^A that a FIFO writes and reads, in a memory with a latency of one cycle.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high: no word is there |
//! | `write_valid`, `write_place[A-1:0]` | in, out | a word is written, and where |
//! | `read_place[A-1:0]` | out | the word for the output of the memory after this cycle |
//! | `m_axis_tvalid`, `m_axis_tready` | out, in | the memory has the oldest word at its output; it is taken in this cycle |
//! | `half_full`, `fills_up` | out | at least half of the places were taken a cycle ago; three quarters |

use rust_hdl::prelude::*;

#[derive(LogicBlock)]
pub(super) struct FifoPlaces<const A: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub write_valid: Signal<In, Bit>,
    pub write_place: Signal<Out, Bits<A>>,
    pub read_place: Signal<Out, Bits<A>>,
    pub m_axis_tvalid: Signal<Out, Bit>,
    pub m_axis_tready: Signal<In, Bit>,
    pub half_full: Signal<Out, Bit>,
    pub fills_up: Signal<Out, Bit>,
    write_pointer: DFF<Bits<A>>,
    read_pointer: DFF<Bits<A>>,
    /// The place after that of `read_pointer`.
    read_pointer_next: DFF<Bits<A>>,
    valid: DFF<Bit>,
    has_half: DFF<Bit>,
    filling: DFF<Bit>,
    takes: Signal<Local, Bit>,
    reads: Signal<Local, Bits<A>>,
    level: Signal<Local, Bits<A>>,
    half: Constant<Bits<A>>,
    three_quarters: Constant<Bits<A>>,
}

impl<const A: usize> Default for FifoPlaces<A> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            write_valid: Default::default(),
            write_place: Default::default(),
            read_place: Default::default(),
            m_axis_tvalid: Default::default(),
            m_axis_tready: Default::default(),
            half_full: Default::default(),
            fills_up: Default::default(),
            write_pointer: Default::default(),
            read_pointer: Default::default(),
            read_pointer_next: Default::default(),
            valid: Default::default(),
            has_half: Default::default(),
            filling: Default::default(),
            takes: Default::default(),
            reads: Default::default(),
            level: Default::default(),
            half: Constant::new((1u64 << (A - 1)).into()),
            three_quarters: Constant::new((3u64 << (A - 2)).into()),
        }
    }
}

impl<const A: usize> Logic for FifoPlaces<A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            write_pointer,
            read_pointer,
            read_pointer_next,
            valid,
            has_half,
            filling
        );
        self.write_place.next = self.write_pointer.q.val();
        if self.write_valid.val() {
            self.write_pointer.d.next = self.write_pointer.q.val() + 1;
        }

        self.takes.next = self.valid.q.val() & self.m_axis_tready.val();
        self.reads.next = self.read_pointer.q.val();
        self.valid.d.next = self.read_pointer.q.val() != self.write_pointer.q.val();
        if self.takes.val() {
            self.reads.next = self.read_pointer_next.q.val();
            self.valid.d.next = self.read_pointer_next.q.val() != self.write_pointer.q.val();
        }
        self.read_place.next = self.reads.val();
        self.read_pointer.d.next = self.reads.val();
        self.read_pointer_next.d.next = self.reads.val() + 1;
        self.level.next = self.write_pointer.q.val() - self.read_pointer.q.val();
        self.has_half.d.next = self.level.val() >= self.half.val();
        self.filling.d.next = self.level.val() >= self.three_quarters.val();
        self.m_axis_tvalid.next = self.valid.q.val();
        self.half_full.next = self.has_half.q.val();
        self.fills_up.next = self.filling.q.val();

        if self.reset.val() {
            self.write_pointer.d.next = 0.into();
            self.read_pointer.d.next = 0.into();
            self.read_pointer_next.d.next = 1.into();
            self.valid.d.next = false;
            self.has_half.d.next = false;
            self.filling.d.next = false;
        }
    }
}
