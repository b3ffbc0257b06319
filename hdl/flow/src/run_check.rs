// SPDX-License-Identifier: MIT OR Apache-2.0
//! `RunCheck`: whether there may be so many N atoms from a site on.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `base[SW-1:0]`, `count[4:0]` | in | the site at which the N atoms begin, and their number |
//! | `fails`, `run_read[4:0]` | out | a cycle later: one of them is at a site that cannot have an N atom; so many can be |
//! | `damaged` | out | the word that says so has a wrong parity |
//! | `run_write`, `run_site[SW-1:0]`, `run[5:0]` | in | a new entry of the table: conditional sites in a row from this one on, at most 31, and the parity |
//!
//! A run of 31 may be longer; no token has more N atoms than that.
//!
//! Latency 1 cycle. Throughput one check per cycle.

use super::TableMemory;
use super::item::{ATOMS_W, RUN_W};
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
pub struct RunCheck<const SW: usize> {
    pub clock: Signal<In, Clock>,
    pub base: Signal<In, Bits<SW>>,
    pub count: Signal<In, Bits<ATOMS_W>>,
    pub fails: Signal<Out, Bit>,
    pub run_read: Signal<Out, Bits<ATOMS_W>>,
    pub damaged: Signal<Out, Bit>,
    pub run_write: Signal<In, Bit>,
    pub run_site: Signal<In, Bits<SW>>,
    pub run: Signal<In, Bits<RUN_W>>,
    runs: TableMemory<SW, RUN_W>,
    count_s1: DFF<Bits<ATOMS_W>>,
    stored: Signal<Local, Bits<RUN_W>>,
    most: Signal<Local, Bits<ATOMS_W>>,
}

impl<const SW: usize> Logic for RunCheck<SW> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, count_s1);
        clock!(self, clock, runs);
        self.runs.read_address.next = self.base.val();
        self.runs.read_enable.next = true;
        self.runs.write_address.next = self.run_site.val();
        self.runs.write_data.next = self.run.val();
        self.runs.write_enable.next = self.run_write.val();
        self.count_s1.d.next = self.count.val();
        self.stored.next = self.runs.read_data.val();
        self.most.next = self.stored.val().get_bits::<ATOMS_W>(0);
        self.run_read.next = self.most.val();
        self.fails.next = self.most.val() < self.count_s1.q.val();
        self.damaged.next = self.stored.val().xor();
    }
}
