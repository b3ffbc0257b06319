// SPDX-License-Identifier: MIT OR Apache-2.0
//! `TableMemory`: a table of 2^A words of `W` bits, at most 64, in block RAM.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `read_address[A-1:0]`, `read_enable` | in | the word to output from the next cycle on; without enable the word at the output stays |
//! | `read_data[W-1:0]` | out | the word |
//! | `write_address[A-1:0]`, `write_data[W-1:0]`, `write_enable` | in | a new word |
//!
//! Latency 1 cycle; no output register, so that a loop through the table takes one cycle.
//! Throughput one word read and one written per cycle; a word that is written in the same cycle is
//! read as it was before.
//!
//! The block prints its own Verilog: a table of more words than the widest shape of a block RAM has
//! is printed as several memories of as few bits as one block RAM holds of all words. Left to
//! itself, synthesis splits the words of a deep table over block RAMs and puts a multiplexer behind
//! them, which may be in a loop.

use rust_hdl::core::ast::Verilog;
use rust_hdl::prelude::*;
use std::fmt::Write;

/// Address bits of a block RAM of one bit (36 Kbit, without parity).
const BLOCK_RAM_W: usize = 15;
/// Address bits up to which a memory is not split: a block RAM has at least nine bits of each word.
const WHOLE_W: usize = 12;

#[derive(LogicBlock)]
pub struct TableMemory<const A: usize, const W: usize> {
    pub clock: Signal<In, Clock>,
    pub read_address: Signal<In, Bits<A>>,
    pub read_enable: Signal<In, Bit>,
    pub read_data: Signal<Out, Bits<W>>,
    pub write_address: Signal<In, Bits<A>>,
    pub write_data: Signal<In, Bits<W>>,
    pub write_enable: Signal<In, Bit>,
    _words: Vec<u64>,
}

impl<const A: usize, const W: usize> Default for TableMemory<A, W> {
    fn default() -> Self {
        assert!(W <= 64, "a word of {W} bits");
        Self {
            clock: Default::default(),
            read_address: Default::default(),
            read_enable: Default::default(),
            read_data: Default::default(),
            write_address: Default::default(),
            write_data: Default::default(),
            write_enable: Default::default(),
            _words: vec![0; 1 << A],
        }
    }
}

/// Bits of each of the memories that a table is printed as.
pub(super) fn slice_w(address_w: usize) -> usize {
    if address_w <= WHOLE_W {
        64
    } else {
        1 << BLOCK_RAM_W.saturating_sub(address_w)
    }
}

impl<const A: usize, const W: usize> Logic for TableMemory<A, W> {
    fn update(&mut self) {
        if !self.clock.pos_edge() {
            return;
        }
        if self.read_enable.val() {
            let place = self.read_address.val().to_u64() as usize;
            self.read_data.next = self._words[place].into();
        }
        if self.write_enable.val() {
            let place = self.write_address.val().to_u64() as usize;
            self._words[place] = self.write_data.val().to_u64();
        }
    }

    fn connect(&mut self) {
        self.read_data.connect();
    }

    fn hdl(&self) -> Verilog {
        let depth = self._words.len();
        let step = slice_w(A);
        let slices: Vec<usize> = (0..W).step_by(step).collect();
        let mut text = String::new();
        let mut print = |line: String| writeln!(text, "{line}").expect("writing to a string");
        for (number, low) in slices.iter().enumerate() {
            let width = step.min(W - low);
            print(format!(
                "(* ram_style = \"block\" *) reg [{}:0] words_{number} [0:{}];",
                width - 1,
                depth - 1
            ));
        }
        print("integer i;\ninitial begin".into());
        print(format!("  read_data = {W}'d0;"));
        print(format!("  for (i = 0; i < {depth}; i = i + 1) begin"));
        for number in 0..slices.len() {
            print(format!("    words_{number}[i] = 0;"));
        }
        print("  end\nend".into());
        for (number, low) in slices.iter().enumerate() {
            let range = format!("[{}:{low}]", low + step.min(W - low) - 1);
            print(format!(
                "always @(posedge clock) begin\n  \
                   if (read_enable)\n    read_data{range} <= words_{number}[read_address];\n  \
                   if (write_enable)\n    words_{number}[write_address] <= write_data{range};\n\
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
    use coretrace_hdl_verilog::verilog;

    #[test]
    fn a_word_is_read_a_cycle_later_and_stays_without_enable() {
        let mut uut = TableMemory::<4, 15>::default();
        uut.connect_all();
        uut.write_enable.next = true;
        for place in 0..16_u64 {
            uut.write_address.next = place.into();
            uut.write_data.next = (place * 1000).into();
            cycle(&mut uut, |u, c| u.clock.next = c);
        }
        // The word that is written while it is read comes out as it was.
        uut.read_enable.next = true;
        uut.read_address.next = 7.into();
        uut.write_address.next = 7.into();
        uut.write_data.next = 5.into();
        cycle(&mut uut, |u, c| u.clock.next = c);
        assert_eq!(uut.read_data.val(), 7000);
        uut.write_enable.next = false;
        uut.read_enable.next = false;
        cycle(&mut uut, |u, c| u.clock.next = c);
        assert_eq!(uut.read_data.val(), 7000);
        uut.read_enable.next = true;
        cycle(&mut uut, |u, c| u.clock.next = c);
        assert_eq!(uut.read_data.val(), 5);
    }

    #[test]
    fn a_deep_table_has_a_memory_for_each_bit() {
        let memories = |text: String| text.matches(" words_").count();
        let flat = verilog(TableMemory::<12, 15>::default(), "flat").unwrap();
        let deep = verilog(TableMemory::<15, 18>::default(), "deep").unwrap();
        let declarations = |text: &str| text.matches("ram_style").count();
        assert_eq!((declarations(&flat), declarations(&deep)), (1, 18));
        assert!(memories(deep) > memories(flat));
        assert_eq!([13, 14, 15, 16].map(slice_w), [4, 2, 1, 1]);
    }
}
