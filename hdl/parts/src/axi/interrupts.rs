// SPDX-License-Identifier: MIT OR Apache-2.0
//! `Interrupts<N>`: `N` events that stay pending until software clears them, as one interrupt.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high |
//! | `events[N]` | in | something has happened in this cycle |
//! | `clears[N]` | in | no longer pending; an event in the same cycle stays |
//! | `enables[N]` | in | which events interrupt |
//! | `pending[N]` | out | it has happened |
//! | `irq` | out | an enabled event is pending: a level, a register |
//!
//! Latency 1 cycle to `pending`, 2 cycles to `irq`.

use rust_hdl::prelude::*;

/// Events and their interrupt; see the module text.
#[derive(LogicBlock)]
pub struct Interrupts<const N: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub events: [Signal<In, Bit>; N],
    pub clears: [Signal<In, Bit>; N],
    pub enables: [Signal<In, Bit>; N],
    pub pending: [Signal<Out, Bit>; N],
    pub irq: Signal<Out, Bit>,
    held: [DFF<Bit>; N],
    level: DFF<Bit>,
    is_due: Signal<Local, Bit>,
}

impl<const N: usize> Default for Interrupts<N> {
    fn default() -> Self {
        Interrupts {
            clock: Default::default(),
            reset: Default::default(),
            events: std::array::from_fn(|_| Default::default()),
            clears: std::array::from_fn(|_| Default::default()),
            enables: std::array::from_fn(|_| Default::default()),
            pending: std::array::from_fn(|_| Default::default()),
            irq: Default::default(),
            held: std::array::from_fn(|_| Default::default()),
            level: Default::default(),
            is_due: Default::default(),
        }
    }
}

impl<const N: usize> Logic for Interrupts<N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, level);
        self.is_due.next = false;
        for i in 0..N {
            self.held[i].clock.next = self.clock.val();
            self.held[i].d.next =
                self.events[i].val() | (self.held[i].q.val() & !self.clears[i].val());
            self.pending[i].next = self.held[i].q.val();
            self.is_due.next = self.is_due.val() | (self.held[i].q.val() & self.enables[i].val());
            if self.reset.val() {
                self.held[i].d.next = false;
            }
        }
        self.level.d.next = self.is_due.val() & !self.reset.val();
        self.irq.next = self.level.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_hdl_dataflow::sim::cycle;

    fn clock(uut: &mut Interrupts<2>) {
        cycle(uut, |uut, clock| uut.clock.next = clock);
    }

    fn interrupts() -> Interrupts<2> {
        let mut uut = Interrupts::<2>::default();
        uut.connect_all();
        uut
    }

    /// An event for one cycle.
    fn happens(uut: &mut Interrupts<2>, event: usize) {
        uut.events[event].next = true;
        clock(uut);
        uut.events[event].next = false;
    }

    #[test]
    fn an_enabled_event_interrupts_until_it_is_cleared() {
        let mut uut = interrupts();
        uut.enables[1].next = true;
        happens(&mut uut, 1);
        assert!(uut.pending[1].val() && !uut.irq.val());
        for _ in 0..5 {
            clock(&mut uut);
            assert!(uut.pending[1].val() && uut.irq.val());
        }
        uut.clears[1].next = true;
        clock(&mut uut);
        uut.clears[1].next = false;
        clock(&mut uut);
        assert!(!uut.pending[1].val() && !uut.irq.val());
    }

    #[test]
    fn an_event_that_is_not_enabled_is_pending_alone() {
        let mut uut = interrupts();
        uut.enables[1].next = true;
        happens(&mut uut, 0);
        clock(&mut uut);
        clock(&mut uut);
        let pending = [uut.pending[0].val(), uut.pending[1].val()];
        assert_eq!((pending, uut.irq.val()), ([true, false], false));
        uut.enables[0].next = true;
        clock(&mut uut);
        assert!(uut.irq.val());
    }

    #[test]
    fn an_event_in_the_cycle_of_its_clear_stays_pending() {
        let mut uut = interrupts();
        happens(&mut uut, 0);
        uut.clears[0].next = true;
        happens(&mut uut, 0);
        assert!(uut.pending[0].val());
        clock(&mut uut);
        assert!(!uut.pending[0].val());
    }

    #[test]
    fn a_reset_leaves_nothing_pending() {
        let mut uut = interrupts();
        uut.enables[0].next = true;
        happens(&mut uut, 0);
        uut.reset.next = true;
        clock(&mut uut);
        uut.reset.next = false;
        assert!(!uut.pending[0].val() && !uut.irq.val());
        clock(&mut uut);
        assert!(!uut.irq.val());
    }

    #[test]
    fn it_exports() {
        let text =
            coretrace_hdl_verilog::verilog(Interrupts::<3>::default(), "interrupts").unwrap();
        assert!(!text.contains('$'));
    }
}
