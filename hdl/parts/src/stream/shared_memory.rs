// SPDX-License-Identifier: MIT OR Apache-2.0
//! `SharedMemory`: a table of 2^A words of `W` bits, at most 64, in block RAM with two ports.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `address_0[A-1:0]`, `enable_0`, `address_1[A-1:0]`, `enable_1` | in | of each port the word to output from the next cycle on; without enable the word at the output stays |
//! | `word_0[W-1:0]`, `word_1[W-1:0]` | out | the words |
//! | `write`, `write_word[W-1:0]` | in | with `enable_0`: the word at `address_0` is a new one |
//!
//! Latency 1 cycle; no output register. Throughput two words read per cycle, or one read and one
//! written; both ports read a word that is written in the same cycle as it was before.
//!
//! The block prints its own Verilog, in as many memories as [`TableMemory`](super::TableMemory).

use super::table_memory::slice_w;
use rust_hdl::core::ast::Verilog;
use rust_hdl::prelude::*;
use std::fmt::Write;

#[derive(LogicBlock)]
pub struct SharedMemory<const A: usize, const W: usize> {
    pub clock: Signal<In, Clock>,
    pub address_0: Signal<In, Bits<A>>,
    pub enable_0: Signal<In, Bit>,
    pub word_0: Signal<Out, Bits<W>>,
    pub write: Signal<In, Bit>,
    pub write_word: Signal<In, Bits<W>>,
    pub address_1: Signal<In, Bits<A>>,
    pub enable_1: Signal<In, Bit>,
    pub word_1: Signal<Out, Bits<W>>,
    _words: Vec<u64>,
}

impl<const A: usize, const W: usize> Default for SharedMemory<A, W> {
    fn default() -> Self {
        assert!(W <= 64, "a word of {W} bits");
        Self {
            clock: Default::default(),
            address_0: Default::default(),
            enable_0: Default::default(),
            word_0: Default::default(),
            write: Default::default(),
            write_word: Default::default(),
            address_1: Default::default(),
            enable_1: Default::default(),
            word_1: Default::default(),
            _words: vec![0; 1 << A],
        }
    }
}

impl<const A: usize, const W: usize> Logic for SharedMemory<A, W> {
    fn update(&mut self) {
        if !self.clock.pos_edge() {
            return;
        }
        if self.enable_1.val() {
            let place = self.address_1.val().to_u64() as usize;
            self.word_1.next = self._words[place].into();
        }
        if self.enable_0.val() {
            let place = self.address_0.val().to_u64() as usize;
            self.word_0.next = self._words[place].into();
            if self.write.val() {
                self._words[place] = self.write_word.val().to_u64();
            }
        }
    }

    fn connect(&mut self) {
        self.word_0.connect();
        self.word_1.connect();
    }

    fn hdl(&self) -> Verilog {
        let depth = self._words.len();
        let step = slice_w(A);
        let slices: Vec<usize> = (0..W).step_by(step).collect();
        let mut text = String::new();
        let mut print = |line: String| writeln!(text, "{line}").expect("writing to a string");
        for (number, low) in slices.iter().enumerate() {
            let top = step.min(W - low) - 1;
            print(format!(
                "(* ram_style = \"block\" *) reg [{top}:0] words_{number} [0:{}];",
                depth - 1
            ));
        }
        print("integer i;\ninitial begin".into());
        print(format!("  word_0 = {W}'d0;\n  word_1 = {W}'d0;"));
        print(format!("  for (i = 0; i < {depth}; i = i + 1) begin"));
        for number in 0..slices.len() {
            print(format!("    words_{number}[i] = 0;"));
        }
        print("  end\nend".into());
        for (number, low) in slices.iter().enumerate() {
            let range = format!("[{}:{low}]", low + step.min(W - low) - 1);
            print(format!(
                "always @(posedge clock) begin\n  \
                   if (enable_0) begin\n    \
                     word_0{range} <= words_{number}[address_0];\n    \
                     if (write)\n      words_{number}[address_0] <= write_word{range};\n  \
                   end\n\
                 end\n\
                 always @(posedge clock) begin\n  \
                   if (enable_1)\n    word_1{range} <= words_{number}[address_1];\n\
                 end"
            ));
        }
        Verilog::Custom(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_hdl_dataflow::sim::cycle;
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn both_ports_read_what_the_first_one_wrote_before() {
        let mut rng = StdRng::seed_from_u64(1);
        let mut uut = SharedMemory::<4, 15>::default();
        uut.connect_all();
        let (mut words, mut read) = ([0; 16], [0; 2]);
        for _ in 0..2000 {
            let address: [usize; 2] = [rng.random_range(0..16), rng.random_range(0..16)];
            let enable: [bool; 2] = rng.random();
            let write = rng.random_bool(0.3);
            let word = rng.random_range(0..1 << 15);
            uut.address_0.next = (address[0] as u64).into();
            uut.address_1.next = (address[1] as u64).into();
            uut.enable_0.next = enable[0];
            uut.enable_1.next = enable[1];
            uut.write.next = write;
            uut.write_word.next = word.into();
            for port in (0..2).filter(|&port| enable[port]) {
                read[port] = words[address[port]];
            }
            if write && enable[0] {
                words[address[0]] = word;
            }
            cycle(&mut uut, |u, c| u.clock.next = c);
            let got = [uut.word_0.val().to_u64(), uut.word_1.val().to_u64()];
            assert_eq!(got, read);
        }
    }
}
