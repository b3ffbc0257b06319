// SPDX-License-Identifier: MIT OR Apache-2.0
//! `Synchroniser`: two flip-flops in a row, for bits that another clock drives.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock` | in | the clock to which the bits cross |
//! | `d[W-1:0]` | in | registers of another clock; between two edges of `clock` at most one bit that matters may change, as in a Gray code |
//! | `q[W-1:0]` | out | `d`, safe to use |
//!
//! Latency 2 cycles, or 3 when `d` changes too close to an edge. It has no reset: old contents are
//! gone after two cycles.
//!
//! The block prints its own Verilog, because a kernel has no way to give its registers the
//! attribute `ASYNC_REG`: with it Vivado keeps both flip-flops, places them side by side and knows
//! them in its report of clock crossings.

use rust_hdl::core::ast::Verilog;
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
pub struct Synchroniser<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub d: Signal<In, Bits<W>>,
    pub q: Signal<Out, Bits<W>>,
    /// The first of the two flip-flops; the second is `q`.
    _first: Bits<W>,
}

impl<const W: usize> Logic for Synchroniser<W> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            self.q.next = self._first;
            self._first = self.d.val();
        }
    }

    fn connect(&mut self) {
        self.q.connect();
    }

    fn hdl(&self) -> Verilog {
        let register = |name| {
            let range = format!("[{}:0]", W - 1);
            format!("(* ASYNC_REG = \"TRUE\" *) reg {range} {name} = {W}'h0;\n")
        };
        let registers = register("first") + &register("second");
        Verilog::Custom(
            registers
                + "assign q = second;\n\
                   always @(posedge clock) begin\n  first <= d;\n  second <= first;\nend\n",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_hdl_dataflow::sim::cycle;

    #[test]
    fn bits_come_out_at_the_second_edge() {
        let mut uut = Synchroniser::<5>::default();
        uut.connect_all();
        let found: Vec<u64> = [1_u64, 3, 2, 6, 7]
            .map(|bits| {
                uut.d.next = bits.into();
                cycle(&mut uut, |uut, clock| uut.clock.next = clock);
                uut.q.val().into()
            })
            .to_vec();
        assert_eq!(found, [0, 1, 3, 2, 6]);
    }

    #[test]
    fn both_registers_are_marked_in_verilog() {
        let text =
            coretrace_hdl_verilog::verilog(Synchroniser::<5>::default(), "synchroniser").unwrap();
        for register in ["first", "second"] {
            let line = format!("(* ASYNC_REG = \"TRUE\" *) reg [4:0] {register} = 5'h0;");
            assert!(text.contains(&line), "{text}");
        }
    }
}
