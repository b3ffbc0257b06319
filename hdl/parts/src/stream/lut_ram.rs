// SPDX-License-Identifier: MIT OR Apache-2.0
//! `LutRam`: a memory of 2^A words in LUTs, with the ports and the timing of rust-hdl's `RAM`.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `read_clock`, `read_address[A-1:0]` | in | the word to output from the next cycle on |
//! | `read_data` | out | that word, before it is written at the same edge |
//! | `write_clock`, `write_address[A-1:0]`, `write_data`, `write_enable` | in | a word to write at the clock edge |
//!
//! Latency 1 cycle. Throughput one word read and one written per cycle. All words begin as the default.
//!
//! The block prints its own Verilog: left to itself, synthesis takes a block RAM of thousands of bits for a
//! memory of few words.

use rust_hdl::core::ast::Verilog;
use rust_hdl::prelude::*;

#[derive(LogicBlock)]
pub(super) struct LutRam<D: Synth, const A: usize> {
    pub read_address: Signal<In, Bits<A>>,
    pub read_clock: Signal<In, Clock>,
    pub read_data: Signal<Out, D>,
    pub write_address: Signal<In, Bits<A>>,
    pub write_clock: Signal<In, Clock>,
    pub write_data: Signal<In, D>,
    pub write_enable: Signal<In, Bit>,
    _words: Vec<D>,
}

impl<D: Synth, const A: usize> Default for LutRam<D, A> {
    fn default() -> Self {
        Self {
            read_address: Default::default(),
            read_clock: Default::default(),
            read_data: Default::default(),
            write_address: Default::default(),
            write_clock: Default::default(),
            write_data: Default::default(),
            write_enable: Default::default(),
            _words: vec![D::default(); 1 << A],
        }
    }
}

impl<D: Synth, const A: usize> Logic for LutRam<D, A> {
    fn update(&mut self) {
        if self.read_clock.pos_edge() {
            self.read_data.next = self._words[self.read_address.val().to_u64() as usize];
        }
        if self.write_clock.pos_edge() && self.write_enable.val() {
            self._words[self.write_address.val().to_u64() as usize] = self.write_data.val();
        }
    }

    fn connect(&mut self) {
        self.read_data.connect();
    }

    fn hdl(&self) -> Verilog {
        let (word, depth) = (D::BITS, self._words.len());
        Verilog::Custom(format!(
            "(* ram_style = \"distributed\" *) reg [{}:0] mem[{}:0];\n\
             integer i;\n\
             initial begin\n  read_data = {word}'d0;\n  \
             for (i = 0; i < {depth}; i = i + 1) mem[i] = {word}'d0;\nend\n\
             always @(posedge read_clock)\n  read_data <= mem[read_address];\n\
             always @(posedge write_clock)\n  if (write_enable) mem[write_address] <= write_data;\n",
            word - 1,
            depth - 1
        ))
    }
}
