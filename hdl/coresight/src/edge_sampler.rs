// SPDX-License-Identifier: MIT OR Apache-2.0
//! `EdgeSampler`: the pins of a trace port of `W` bits, sampled at both edges of its clock.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock` | in | clock of the trace port |
//! | `pins[W-1:0]` | in | its data |
//! | `rise[W-1:0]`, `fall[W-1:0]` | out | samples of a rising edge and of the falling edge after it |
//!
//! Latency 1 cycle from the rising edge of the samples, half a cycle from the falling edge.
//! Throughput one pair per cycle. There is no reset.
//! Source: Arm IHI 0029, a trace port changes its data at both edges of TRACECLK.
//!
//! The block prints its own Verilog, because rust-hdl has no flip-flop for falling edges.

use rust_hdl::core::ast::Verilog;
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
pub struct EdgeSampler<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub pins: Signal<In, Bits<W>>,
    pub rise: Signal<Out, Bits<W>>,
    pub fall: Signal<Out, Bits<W>>,
    _rise_first: Bits<W>,
    _fall_first: Bits<W>,
}

impl<const W: usize> Logic for EdgeSampler<W> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            self.rise.next = self._rise_first;
            self.fall.next = self._fall_first;
            self._rise_first = self.pins.val();
        }
        if self.clock.neg_edge() {
            self._fall_first = self.pins.val();
        }
    }

    fn connect(&mut self) {
        self.rise.connect();
        self.fall.connect();
    }

    fn hdl(&self) -> Verilog {
        let register = |name| format!("reg [{}:0] {name} = {W}'h0;\n", W - 1);
        let registers = ["rise_first", "fall_first", "rise_second", "fall_second"].map(register);
        Verilog::Custom(
            registers.concat()
                + "assign rise = rise_second;\nassign fall = fall_second;\n\
                   always @(posedge clock) begin\n  rise_first <= pins;\n  \
                   rise_second <= rise_first;\n  fall_second <= fall_first;\nend\n\
                   always @(negedge clock) fall_first <= pins;\n",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_hdl_dataflow::sim::settle;

    #[test]
    fn a_pair_is_what_stood_at_a_rising_edge_and_at_the_falling_one_after_it() {
        let mut uut = EdgeSampler::<4>::default();
        uut.connect_all();
        let mut found = vec![];
        for sample in 0..12_u64 {
            uut.pins.next = sample.into();
            settle(&mut uut);
            let is_rising = sample % 2 == 0;
            uut.clock.next = is_rising.into();
            settle(&mut uut);
            if is_rising {
                found.push((u64::from(uut.rise.val()), u64::from(uut.fall.val())));
            }
        }
        assert_eq!(found, [(0, 0), (0, 1), (2, 3), (4, 5), (6, 7), (8, 9)]);
    }
}
