// SPDX-License-Identifier: MIT OR Apache-2.0
//! `SharedTables`: the exit and run words of all sites, for two walkers: each has a port of each memory.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `exit_site[2]`, `exit_read[2]`, `run_site[2]` | in | of each walker, as of [`WalkTables`](super::WalkTables) |
//! | `exit[2]`, `flags[2]`, `run_word[2]` | out | likewise |
//! | `exit_write`, `run_write`, `write_site[SW-1:0]`, `write_exit[SW-1:0]`, ... | in | new words, as of [`WalkTables`](super::WalkTables) |
//! | `holds` | out | walker 0 is to get no token in the next cycle |
//! | `aims`, `aim[SW-1:0]` | out | walker 0 is to put out this site as `exit_site` in the next cycle |
//!
//! A word is written through the port of walker 0, which pauses for two cycles: so no multiplexer is
//! in front of the address, in the loop of the walk.
//!
//! Latency 1 cycle; a word is written three cycles later. Throughput two words read per cycle.

use super::FlagWord;
use super::item::{EXIT_FLAGS_W, RUN_W};
use super::walker::FLAGS_W;
use coretrace_hdl_parts::stream::SharedMemory;
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
pub struct SharedTables<const SW: usize> {
    pub clock: Signal<In, Clock>,
    pub exit_site: [Signal<In, Bits<SW>>; 2],
    pub exit_read: [Signal<In, Bit>; 2],
    pub exit: [Signal<Out, Bits<SW>>; 2],
    pub flags: [Signal<Out, Bits<FLAGS_W>>; 2],
    pub run_site: [Signal<In, Bits<SW>>; 2],
    pub run_word: [Signal<Out, Bits<RUN_W>>; 2],
    pub exit_write: Signal<In, Bit>,
    pub run_write: Signal<In, Bit>,
    pub write_site: Signal<In, Bits<SW>>,
    pub write_exit: Signal<In, Bits<SW>>,
    pub write_flags: Signal<In, Bits<EXIT_FLAGS_W>>,
    pub write_run: Signal<In, Bits<RUN_W>>,
    pub holds: Signal<Out, Bit>,
    pub aims: Signal<Out, Bit>,
    pub aim: Signal<Out, Bits<SW>>,
    exits: SharedMemory<SW, SW>,
    flag_words: SharedMemory<SW, FLAGS_W>,
    runs: SharedMemory<SW, RUN_W>,
    flag_word: FlagWord<1>,
    /// The word on its way, by the cycles since it came.
    exit_write_s1: DFF<Bit>,
    exit_write_s2: DFF<Bit>,
    exit_s1: DFF<Bits<SW>>,
    exit_s2: DFF<Bits<SW>>,
    flags_s1: DFF<Bits<FLAGS_W>>,
    flags_s2: DFF<Bits<FLAGS_W>>,
    site_s1: DFF<Bits<SW>>,
    site_s2: DFF<Bits<SW>>,
    site_s3: DFF<Bits<SW>>,
    run_write_s1: DFF<Bit>,
    run_write_s2: DFF<Bit>,
    run_write_s3: DFF<Bit>,
    run_s1: DFF<Bits<RUN_W>>,
    run_s2: DFF<Bits<RUN_W>>,
    run_s3: DFF<Bits<RUN_W>>,
}

impl<const SW: usize> Logic for SharedTables<SW> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, exits, flag_words, runs);
        dff_setup!(
            self,
            clock,
            exit_write_s1,
            exit_write_s2,
            exit_s1,
            exit_s2,
            flags_s1,
            flags_s2,
            site_s1,
            site_s2,
            site_s3,
            run_write_s1,
            run_write_s2,
            run_write_s3,
            run_s1,
            run_s2,
            run_s3
        );
        self.flag_word.flags.next = self.write_flags.val();
        self.exit_write_s1.d.next = self.exit_write.val();
        self.exit_write_s2.d.next = self.exit_write_s1.q.val();
        self.exit_s1.d.next = self.write_exit.val();
        self.exit_s2.d.next = self.exit_s1.q.val();
        self.flags_s1.d.next = self.flag_word.word.val();
        self.flags_s2.d.next = self.flags_s1.q.val();
        self.site_s1.d.next = self.write_site.val();
        self.site_s2.d.next = self.site_s1.q.val();
        self.site_s3.d.next = self.site_s2.q.val();
        self.run_write_s1.d.next = self.run_write.val();
        self.run_write_s2.d.next = self.run_write_s1.q.val();
        self.run_write_s3.d.next = self.run_write_s2.q.val();
        self.run_s1.d.next = self.write_run.val();
        self.run_s2.d.next = self.run_s1.q.val();
        self.run_s3.d.next = self.run_s2.q.val();

        // No token comes in the cycle in which the walker aims, and none in the one after it.
        self.holds.next = self.exit_write.val()
            | self.exit_write_s1.q.val()
            | self.run_write.val()
            | self.run_write_s1.q.val();
        self.aims.next = self.exit_write_s1.q.val();
        self.aim.next = self.site_s1.q.val();

        self.exits.address_0.next = self.exit_site[0].val();
        self.exits.enable_0.next = self.exit_read[0].val();
        self.exits.write.next = self.exit_write_s2.q.val();
        self.exits.write_word.next = self.exit_s2.q.val();
        self.exits.address_1.next = self.exit_site[1].val();
        self.exits.enable_1.next = self.exit_read[1].val();
        self.exit[0].next = self.exits.word_0.val();
        self.exit[1].next = self.exits.word_1.val();
        self.flag_words.address_0.next = self.exit_site[0].val();
        self.flag_words.enable_0.next = self.exit_read[0].val();
        self.flag_words.write.next = self.exit_write_s2.q.val();
        self.flag_words.write_word.next = self.flags_s2.q.val();
        self.flag_words.address_1.next = self.exit_site[1].val();
        self.flag_words.enable_1.next = self.exit_read[1].val();
        self.flags[0].next = self.flag_words.word_0.val();
        self.flags[1].next = self.flag_words.word_1.val();

        // A token reads its run two cycles behind its coming.
        self.runs.address_0.next = self.run_site[0].val();
        if self.run_write_s3.q.val() {
            self.runs.address_0.next = self.site_s3.q.val();
        }
        self.runs.enable_0.next = true;
        self.runs.write.next = self.run_write_s3.q.val();
        self.runs.write_word.next = self.run_s3.q.val();
        self.runs.address_1.next = self.run_site[1].val();
        self.runs.enable_1.next = true;
        self.run_word[0].next = self.runs.word_0.val();
        self.run_word[1].next = self.runs.word_1.val();
    }
}
