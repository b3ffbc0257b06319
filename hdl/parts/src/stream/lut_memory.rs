// SPDX-License-Identifier: MIT OR Apache-2.0
//! `LutMemory`: a small memory of 2^A words of `W` bits that is read in the same cycle.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `read_address[A-1:0]` | in | the word to output in this cycle |
//! | `read_data[W-1:0]` | out | that word, before it is written in this cycle |
//! | `write_address[A-1:0]`, `write_data[W-1:0]`, `write_enable` | in | a word to write at the clock edge |
//!
//! Latency 0 cycles. Throughput one word read and one written per cycle. All words begin as 0.
//!
//! The block prints its own Verilog, because rust-hdl's memories read at a clock edge.

use rust_hdl::core::ast::Verilog;
use rust_hdl::prelude::*;

#[derive(LogicBlock)]
pub struct LutMemory<const A: usize, const W: usize> {
    pub clock: Signal<In, Clock>,
    pub read_address: Signal<In, Bits<A>>,
    pub read_data: Signal<Out, Bits<W>>,
    pub write_address: Signal<In, Bits<A>>,
    pub write_data: Signal<In, Bits<W>>,
    pub write_enable: Signal<In, Bit>,
    _words: Vec<Bits<W>>,
}

impl<const A: usize, const W: usize> Default for LutMemory<A, W> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            read_address: Default::default(),
            read_data: Default::default(),
            write_address: Default::default(),
            write_data: Default::default(),
            write_enable: Default::default(),
            _words: vec![Bits::default(); 1 << A],
        }
    }
}

impl<const A: usize, const W: usize> Logic for LutMemory<A, W> {
    fn update(&mut self) {
        if self.clock.pos_edge() && self.write_enable.val() {
            let place = self.write_address.val().to_u64() as usize;
            self._words[place] = self.write_data.val();
        }
        let place = self.read_address.val().to_u64() as usize;
        self.read_data.next = self._words[place];
    }

    fn connect(&mut self) {
        self.read_data.connect();
    }

    fn hdl(&self) -> Verilog {
        let depth = self._words.len();
        Verilog::Custom(format!(
            "(* ram_style = \"distributed\" *) reg [{}:0] words [0:{}];\n\
             integer i;\n\
             initial for (i = 0; i < {depth}; i = i + 1) words[i] = {W}'d0;\n\
             assign read_data = words[read_address];\n\
             always @(posedge clock)\n  if (write_enable) words[write_address] <= write_data;\n",
            W - 1,
            depth - 1
        ))
    }
}
