// SPDX-License-Identifier: MIT OR Apache-2.0
//! `RunCheck`: whether there may be so many N atoms from a site on.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `count[4:0]` | in | N atoms; in this cycle the run of the site at which they begin is read |
//! | `word[5:0]` | in | a cycle later: conditional sites in a row from that one on, at most 31, and the parity |
//! | `fails`, `run[4:0]` | out | in that cycle: one of them is at a site that cannot have an N atom; so many can be |
//! | `damaged` | out | the word has a wrong parity |
//!
//! A run of 31 may be longer; no token has more N atoms than that.
//!
//! Latency 1 cycle. Throughput one check per cycle.

use super::item::{ATOMS_W, RUN_W};
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
pub struct RunCheck {
    pub clock: Signal<In, Clock>,
    pub count: Signal<In, Bits<ATOMS_W>>,
    pub word: Signal<In, Bits<RUN_W>>,
    pub fails: Signal<Out, Bit>,
    pub run: Signal<Out, Bits<ATOMS_W>>,
    pub damaged: Signal<Out, Bit>,
    count_s1: DFF<Bits<ATOMS_W>>,
    most: Signal<Local, Bits<ATOMS_W>>,
}

impl Logic for RunCheck {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, count_s1);
        self.count_s1.d.next = self.count.val();
        self.most.next = self.word.val().get_bits::<ATOMS_W>(0);
        self.run.next = self.most.val();
        self.fails.next = self.most.val() < self.count_s1.q.val();
        self.damaged.next = self.word.val().xor();
    }
}
