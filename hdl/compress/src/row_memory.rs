// SPDX-License-Identifier: MIT OR Apache-2.0
//! `RowMemory`: a table of 2^A words of `W` bits, at most 64, in block RAM. All words of a row are cleared at once.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `read_address[A-1:0]` | in | the word to output in the next cycle |
//! | `read_data[W-1:0]` | out | that word, before it is written in the cycle of its address |
//! | `write_address[A-1:0]`, `write_data[W-1:0]`, `write_enable` | in | a word to write at the clock edge |
//! | `clear`, `clear_row[8:0]` | in | all words of a row are `START`; nothing else is written |
//!
//! There are [`ROWS`] rows, or one for each word of a smaller table, so that [`ROWS`] cycles clear all of it.
//!
//! Latency 1 cycle, behind which is a multiplexer of the words of a row. Throughput one word read and one
//! written per cycle. All words begin as 0.
//!
//! The block prints its own Verilog: a word is as many bytes of nine bits as it fills, because a
//! block RAM writes such bytes one by one.

use coretrace_hdl_dataflow::{Bus, Carrier, Wide};
use rust_hdl::core::ast::Verilog;
use rust_hdl::prelude::*;
use std::fmt::Write;

/// Address bits of a row.
pub const ROW_W: usize = 9;
/// Rows of a table.
pub const ROWS: usize = 1 << ROW_W;
/// Bits of a byte of a block RAM.
const BYTE_W: usize = 9;

#[derive(LogicBlock)]
pub struct RowMemory<const A: usize, const W: usize, const START: u64> {
    pub clock: Signal<In, Clock>,
    pub read_address: Signal<In, Bits<A>>,
    pub read_data: Signal<Out, Bus<W>>,
    pub write_address: Signal<In, Bits<A>>,
    pub write_data: Signal<In, Bus<W>>,
    pub write_enable: Signal<In, Bit>,
    pub clear: Signal<In, Bit>,
    pub clear_row: Signal<In, Bits<ROW_W>>,
    _words: Vec<u64>,
}

impl<const A: usize, const W: usize, const START: u64> Default for RowMemory<A, W, START> {
    fn default() -> Self {
        assert!(W <= 64, "a word of {W} bits");
        Self {
            clock: Default::default(),
            read_address: Default::default(),
            read_data: Default::default(),
            write_address: Default::default(),
            write_data: Default::default(),
            write_enable: Default::default(),
            clear: Default::default(),
            clear_row: Default::default(),
            _words: vec![0; 1 << A],
        }
    }
}

impl<const A: usize, const W: usize, const START: u64> RowMemory<A, W, START> {
    /// Address bits of a word in its row.
    const LANE_W: usize = A.saturating_sub(ROW_W);
    /// Words of a row.
    const LANES: usize = 1 << Self::LANE_W;
}

fn number<const W: usize>(word: &Bus<W>) -> u64 {
    word.to_wide().field(0, W as u32)
}

impl<const A: usize, const W: usize, const START: u64> Logic for RowMemory<A, W, START> {
    fn update(&mut self) {
        if !self.clock.pos_edge() {
            return;
        }
        let place = self.read_address.val().to_u64() as usize;
        let mut word = Wide::default();
        word.or_field(0, W as u32, self._words[place]);
        self.read_data.next = Bus(word);
        if self.clear.val() {
            let row = self.clear_row.val().to_u64() as usize % (self._words.len() / Self::LANES);
            let words = &mut self._words[row * Self::LANES..][..Self::LANES];
            words.fill(START);
        } else if self.write_enable.val() {
            let place = self.write_address.val().to_u64() as usize;
            self._words[place] = number(&self.write_data.val());
        }
    }

    fn connect(&mut self) {
        self.read_data.connect();
    }

    fn hdl(&self) -> Verilog {
        let lanes = Self::LANES;
        let row_w = A - Self::LANE_W;
        let pitch = if lanes == 1 {
            W
        } else {
            W.next_multiple_of(BYTE_W)
        };
        let (top, low) = (A - 1, Self::LANE_W);
        let lane = |port: &str| match Self::LANE_W {
            0 => "1'd0".to_owned(),
            _ => format!("{port}[{}:0]", low - 1),
        };
        let lane_w = low.max(1);
        let mut text = String::new();
        let mut print = |line: String| writeln!(text, "{line}").expect("writing to a string");
        print(format!(
            "(* ram_style = \"block\" *) reg [{}:0] rows [0:{}];",
            lanes * pitch - 1,
            (1 << row_w) - 1
        ));
        print(format!("reg [{}:0] row;", lanes * pitch - 1));
        print(format!("reg [{}:0] lane;", lane_w - 1));
        print("integer i;\ninitial begin\n  row = 0;\n  lane = 0;".into());
        print(format!(
            "  for (i = 0; i < {}; i = i + 1)\n    rows[i] = 0;\nend",
            1 << row_w
        ));
        print(format!("assign read_data = row[lane * {pitch} +: {W}];"));
        print(format!(
            "wire [{0}:0] write_row = clear ? clear_row[{0}:0] : write_address[{top}:{low}];",
            row_w - 1
        ));
        print(format!(
            "wire [{}:0] write_word = clear ? {W}'d{START} : write_data;",
            W - 1
        ));
        print(format!(
            "wire [{}:0] write_lane = {};",
            lane_w - 1,
            lane("write_address")
        ));
        print("always @(posedge clock) begin".into());
        print(format!("  row <= rows[read_address[{top}:{low}]];"));
        print(format!("  lane <= {};", lane("read_address")));
        for number in 0..lanes {
            print(format!(
                "  if (clear || write_enable && write_lane == {lane_w}'d{number})\n    \
                 rows[write_row][{}:{}] <= write_word;",
                number * pitch + W - 1,
                number * pitch
            ));
        }
        print("end".into());
        Verilog::Custom(text)
    }
}
