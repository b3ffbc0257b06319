// SPDX-License-Identifier: MIT OR Apache-2.0
//! `RunCheck`: whether there may be so many N atoms from a site on.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `count[4:0]` | in | N atoms; in this cycle the run of the site at which they begin is read |
//! | `word[7:0]` | in | a cycle later: conditional sites in a row from that one on, at most 31, the trigger of the site, and the parity |
//! | `fails`, `run[4:0]` | out | in that cycle: one of them is at a site that cannot have an N atom; so many can be |
//! | `trigger[1:0]` | out | what happens when something leads to the site; 0 of a damaged word |
//! | `damaged` | out | the word has a wrong parity |
//!
//! A run of 31 may be longer; no token has more N atoms than that.
//!
//! Latency 1 cycle. Throughput one check per cycle.

use super::item::{ATOMS_W, RUN_W, TRIGGER_W};
use super::parity::is_odd;
use coretrace_hdl_dataflow::{Word, kernel_block};
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
pub struct RunCheck {
    pub clock: Signal<In, Clock>,
    pub count: Signal<In, Bits<ATOMS_W>>,
    pub word: Signal<In, Bits<RUN_W>>,
    pub fails: Signal<Out, Bit>,
    pub run: Signal<Out, Bits<ATOMS_W>>,
    pub trigger: Signal<Out, Bits<TRIGGER_W>>,
    pub damaged: Signal<Out, Bit>,
    count_s1: DFF<Bits<ATOMS_W>>,
    fields: RunFields<1>,
}

impl Logic for RunCheck {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, count_s1);
        self.count_s1.d.next = self.count.val();
        self.fields.word.next = self.word.val();
        self.run.next = self.fields.run.val();
        self.fails.next = self.fields.run.val() < self.count_s1.q.val();
        self.trigger.next = self.fields.trigger.val();
        self.damaged.next = self.fields.damaged.val();
    }
}

kernel_block! {
    /// What is in a run word.
    pub struct RunFields;
    inputs RunInputs { word: Bits<RUN_W>, }
    lane_inputs {}
    outputs RunOutputs { run: Bits<ATOMS_W>, trigger: Bits<TRIGGER_W>, damaged: Bit, }
    lane_outputs {}
    kernel run_fields;
}

fn run_fields<T: Word, const N: usize>(i: RunInputs<T::Port, N>) -> RunOutputs<T, N> {
    let (run_w, trigger_w) = (ATOMS_W as u32, TRIGGER_W as u32);
    let damaged = is_odd(T::field(&i.word, 0, RUN_W as u32));
    let trigger = T::field(&i.word, run_w, trigger_w);
    RunOutputs {
        run: vec![T::field(&i.word, 0, run_w)],
        trigger: vec![trigger.mask(damaged.not())],
        damaged: vec![damaged],
    }
}
