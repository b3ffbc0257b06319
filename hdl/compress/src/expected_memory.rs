// SPDX-License-Identifier: MIT OR Apache-2.0
//! `ExpectedMemory`: 2^A targets, at most 512, each with a confidence, in block RAM.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `read_address[A-1:0]` | in | the word to output in the next cycle |
//! | `target[61:0]`, `confidence[1:0]` | out | that word, before it is written in the cycle of its address |
//! | `write_address[A-1:0]`, `new_target[61:0]`, `new_confidence[1:0]` | in | a word to write at the clock edge |
//! | `write_target`, `write_confidence` | in | which parts of it are written |
//! | `clear`, `clear_row[8:0]` | in | the word that is written is this row, and its confidence is 0 |
//!
//! Latency 1 cycle. Throughput one word read and one written per cycle. All words begin as 0.
//!
//! The block prints its own Verilog: a target fills seven bytes of nine bits, because a block RAM writes such
//! bytes one by one.

use super::branch_bits::ADDRESS_W;
use super::row_memory::ROW_W;
use rust_hdl::core::ast::Verilog;
use rust_hdl::prelude::*;

/// Bits of a confidence.
pub const CONFIDENCE_W: usize = 2;
/// The lowest bit of a confidence in its word.
const CONFIDENCE_PLACE: usize = ADDRESS_W.next_multiple_of(9);

#[derive(LogicBlock)]
pub struct ExpectedMemory<const A: usize> {
    pub clock: Signal<In, Clock>,
    pub read_address: Signal<In, Bits<A>>,
    pub target: Signal<Out, Bits<ADDRESS_W>>,
    pub confidence: Signal<Out, Bits<CONFIDENCE_W>>,
    pub write_address: Signal<In, Bits<A>>,
    pub new_target: Signal<In, Bits<ADDRESS_W>>,
    pub new_confidence: Signal<In, Bits<CONFIDENCE_W>>,
    pub write_target: Signal<In, Bit>,
    pub write_confidence: Signal<In, Bit>,
    pub clear: Signal<In, Bit>,
    pub clear_row: Signal<In, Bits<ROW_W>>,
    _words: Vec<(Bits<ADDRESS_W>, Bits<CONFIDENCE_W>)>,
}

impl<const A: usize> Default for ExpectedMemory<A> {
    fn default() -> Self {
        assert!(A <= ROW_W, "2^{A} words cannot be cleared");
        Self {
            clock: Default::default(),
            read_address: Default::default(),
            target: Default::default(),
            confidence: Default::default(),
            write_address: Default::default(),
            new_target: Default::default(),
            new_confidence: Default::default(),
            write_target: Default::default(),
            write_confidence: Default::default(),
            clear: Default::default(),
            clear_row: Default::default(),
            _words: vec![Default::default(); 1 << A],
        }
    }
}

impl<const A: usize> Logic for ExpectedMemory<A> {
    fn update(&mut self) {
        if !self.clock.pos_edge() {
            return;
        }
        let (target, confidence) = self._words[self.read_address.val().to_u64() as usize];
        self.target.next = target;
        self.confidence.next = confidence;
        let clears = self.clear.val();
        let place = if clears {
            self.clear_row.val().to_u64() as usize % self._words.len()
        } else {
            self.write_address.val().to_u64() as usize
        };
        let (target, confidence) = &mut self._words[place];
        if self.write_target.val() {
            *target = self.new_target.val();
        }
        if clears {
            *confidence = 0.into();
        } else if self.write_confidence.val() {
            *confidence = self.new_confidence.val();
        }
    }

    fn connect(&mut self) {
        self.target.connect();
        self.confidence.connect();
    }

    fn hdl(&self) -> Verilog {
        let (words, top) = (self._words.len(), A - 1);
        let (address_w, low) = (ADDRESS_W, CONFIDENCE_PLACE);
        let high = low + CONFIDENCE_W - 1;
        Verilog::Custom(format!(
            "(* ram_style = \"block\" *) reg [{high}:0] words [0:{}];\n\
             reg [{high}:0] word;\n\
             integer i;\n\
             initial begin\n  word = 0;\n  for (i = 0; i < {words}; i = i + 1)\n    words[i] = 0;\nend\n\
             assign target = word[{}:0];\n\
             assign confidence = word[{high}:{low}];\n\
             wire [{top}:0] place = clear ? clear_row[{top}:0] : write_address;\n\
             always @(posedge clock) begin\n  \
               word <= words[read_address];\n  \
               if (write_target)\n    words[place][{}:0] <= new_target;\n  \
               if (clear || write_confidence)\n    \
                 words[place][{high}:{low}] <= clear ? {CONFIDENCE_W}'d0 : new_confidence;\n\
             end",
            words - 1,
            address_w - 1,
            address_w - 1,
        ))
    }
}
