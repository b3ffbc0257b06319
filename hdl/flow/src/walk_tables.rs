// SPDX-License-Identifier: MIT OR Apache-2.0
//! `WalkTables`: the exit and run words of all sites, for one walker.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `exit_site[SW-1:0]`, `exit_read` | in | the exit word to be read; without `exit_read` the one that was read stays |
//! | `exit[SW-1:0]`, `flags[6:0]` | out | a cycle later: the exit, and what [`FlagWord`] makes of its flags |
//! | `run_site[SW-1:0]` | in | the run word to be read |
//! | `run_word[7:0]` | out | a cycle later |
//! | `exit_write`, `run_write`, `write_site[SW-1:0]` | in | a new exit word, a new run word of this site |
//! | `write_exit[SW-1:0]`, `write_flags[5:0]`, `write_run[7:0]` | in | where an E leads, of an indirect call the next site; link, indirect, outside, trigger, parity; sites in a row that may have an N, trigger, parity |
//!
//! Latency 1 cycle. Throughput one word read and one written per cycle.

use super::item::{EXIT_FLAGS_W, RUN_W};
use super::walker::FLAGS_W;
use coretrace_hdl_dataflow::{Word, kernel_block};
use coretrace_hdl_parts::stream::TableMemory;
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
pub struct WalkTables<const SW: usize> {
    pub clock: Signal<In, Clock>,
    pub exit_site: Signal<In, Bits<SW>>,
    pub exit_read: Signal<In, Bit>,
    pub exit: Signal<Out, Bits<SW>>,
    pub flags: Signal<Out, Bits<FLAGS_W>>,
    pub run_site: Signal<In, Bits<SW>>,
    pub run_word: Signal<Out, Bits<RUN_W>>,
    pub exit_write: Signal<In, Bit>,
    pub run_write: Signal<In, Bit>,
    pub write_site: Signal<In, Bits<SW>>,
    pub write_exit: Signal<In, Bits<SW>>,
    pub write_flags: Signal<In, Bits<EXIT_FLAGS_W>>,
    pub write_run: Signal<In, Bits<RUN_W>>,
    exits: TableMemory<SW, SW>,
    flag_words: TableMemory<SW, FLAGS_W>,
    runs: TableMemory<SW, RUN_W>,
    flag_word: FlagWord<1>,
}

impl<const SW: usize> Logic for WalkTables<SW> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, exits, flag_words, runs);
        self.exits.read_address.next = self.exit_site.val();
        self.exits.read_enable.next = self.exit_read.val();
        self.exit.next = self.exits.read_data.val();
        self.exits.write_address.next = self.write_site.val();
        self.exits.write_data.next = self.write_exit.val();
        self.exits.write_enable.next = self.exit_write.val();
        self.flag_words.read_address.next = self.exit_site.val();
        self.flag_words.read_enable.next = self.exit_read.val();
        self.flags.next = self.flag_words.read_data.val();
        self.flag_word.flags.next = self.write_flags.val();
        self.flag_words.write_address.next = self.write_site.val();
        self.flag_words.write_data.next = self.flag_word.word.val();
        self.flag_words.write_enable.next = self.exit_write.val();
        self.runs.read_address.next = self.run_site.val();
        self.runs.read_enable.next = true;
        self.run_word.next = self.runs.read_data.val();
        self.runs.write_address.next = self.write_site.val();
        self.runs.write_data.next = self.write_run.val();
        self.runs.write_enable.next = self.run_write.val();
    }
}

kernel_block! {
    /// The flags of a site as they are stored.
    pub struct FlagWord;
    inputs FlagInputs { flags: Bits<EXIT_FLAGS_W>, }
    lane_inputs {}
    outputs FlagOutputs { word: Bits<FLAGS_W>, }
    lane_outputs {}
    kernel flag_word;
}

fn flag_word<T: Word, const N: usize>(i: FlagInputs<T::Port, N>) -> FlagOutputs<T, N> {
    let flags = T::field(&i.flags, 0, EXIT_FLAGS_W as u32);
    let is_call = flags.bit(0);
    FlagOutputs {
        word: vec![flags, flags.bit(1).and(is_call.not())],
    }
}
