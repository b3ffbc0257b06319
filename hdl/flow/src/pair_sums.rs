// SPDX-License-Identifier: MIT OR Apache-2.0
//! `PairSums`: hops of two walkers in, sums by site out, read while others are counted.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high: a read-out ends, sums stay |
//! | `hop[2]`, `at[2]`, `base[2]`, `left_at[2]`, `ended_at[2]` | in | of each walker, as [`WalkReport`](super::WalkReport) puts them out |
//! | `begins`, `room` | in | as of [`SiteSums`], for both walkers |
//! | `pause[2]` | out | give this walker no token in this cycle |
//! | `sum_valid`, `sum_site[SW-1:0]`, `sum_taken[31:0]`, `sum_entered[31:0]`, `sum_left[31:0]` | out | the sums of a site, those of both walkers added up |
//! | `done` | out | for one cycle: those of all sites have come |
//! | `fills` | out | for one cycle: a sum of one walker has passed 2^30 |
//!
//! ```text
//! hop of walker 0 ─▶ SiteSums ─▶ PackSums ─▶ SyncFifo ─┬▶ AddSums ─▶ sums
//! hop of walker 1 ─▶ SiteSums ─▶ PackSums ─▶ SyncFifo ─┘
//! ```
//!
//! Cycles are not counted: those behind an address would be of a branch of the other walker.
//!
//! Each walker has its own counters: two events per cycle at any sites take four ports of a memory, and
//! counters that share memories would wait for each other. Each changes its bank at its own hop that
//! reads out, and reads when it can; sums of a site wait for those of the other walker.
//!
//! A hop that reads out must not come before `done` of the one before: only one of the walkers might
//! then change its bank.
//!
//! `CW` is `SW` + 1. A read-out takes as long as one of [`SiteSums`]. Throughput a hop of each walker per
//! cycle.

use super::cycle_queue::SITE_CYCLES_W;
use super::walk_report::HOP_W;
use super::{SUM_W, SiteSums};
use coretrace_abi::flow_stream::SUM_BITS;
use coretrace_hdl_dataflow::{Bus, Word, any, clocked_block, kernel_block, layout, named};
use coretrace_hdl_parts::stream::SyncFifo;
use rust_hdl::prelude::*;

/// Address bits of the FIFOs of sums.
const PLACES_W: usize = 5;

layout! {
    /// The sums of a site.
    pub struct SumWord {
        taken: SUM_W,
        entered: SUM_W,
        left: SUM_W,
    }
}

/// Bits of the sums of a site.
const SUMS_W: usize = SumWord::WIDTH;

#[derive(LogicBlock)]
pub struct PairSums<const SW: usize, const CW: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub hop: [Signal<In, Bus<HOP_W>>; 2],
    pub at: [Signal<In, Bits<SW>>; 2],
    pub base: [Signal<In, Bits<SW>>; 2],
    pub left_at: [Signal<In, Bits<SW>>; 2],
    pub ended_at: [Signal<In, Bits<SW>>; 2],
    pub begins: Signal<In, Bit>,
    pub room: Signal<In, Bit>,
    pub pause: [Signal<Out, Bit>; 2],
    pub sum_valid: Signal<Out, Bit>,
    pub sum_site: Signal<Out, Bits<SW>>,
    pub sum_taken: Signal<Out, Bus<SUM_W>>,
    pub sum_entered: Signal<Out, Bus<SUM_W>>,
    pub sum_left: Signal<Out, Bus<SUM_W>>,
    pub done: Signal<Out, Bit>,
    pub fills: Signal<Out, Bit>,
    sums: [SiteSums<SW, CW>; 2],
    words: [PackSums<1>; 2],
    fifos: [SyncFifo<SUMS_W, PLACES_W>; 2],
    add: AddSums<SW, 1>,
    /// The site of the next sums.
    next_site: DFF<Bits<SW>>,
    no_cycles: Constant<Bus<SITE_CYCLES_W>>,
    takes: Signal<Local, Bit>,
}

impl<const SW: usize, const CW: usize> Default for PairSums<SW, CW> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            hop: Default::default(),
            at: Default::default(),
            base: Default::default(),
            left_at: Default::default(),
            ended_at: Default::default(),
            begins: Default::default(),
            room: Default::default(),
            pause: Default::default(),
            sum_valid: Default::default(),
            sum_site: Default::default(),
            sum_taken: Default::default(),
            sum_entered: Default::default(),
            sum_left: Default::default(),
            done: Default::default(),
            fills: Default::default(),
            sums: Default::default(),
            words: Default::default(),
            fifos: Default::default(),
            add: Default::default(),
            next_site: Default::default(),
            no_cycles: Constant::new(Bus::default()),
            takes: Default::default(),
        }
    }
}

impl<const SW: usize, const CW: usize> Logic for PairSums<SW, CW> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, add);
        dff_setup!(self, clock, next_site);
        self.takes.next =
            self.fifos[0].m_axis_tvalid.val() & self.fifos[1].m_axis_tvalid.val() & self.room.val();
        for i in 0..2 {
            self.sums[i].clock.next = self.clock.val();
            self.sums[i].reset.next = self.reset.val();
            self.sums[i].hop.next = self.hop[i].val();
            self.sums[i].at.next = self.at[i].val();
            self.sums[i].base.next = self.base[i].val();
            self.sums[i].left_at.next = self.left_at[i].val();
            self.sums[i].ended_at.next = self.ended_at[i].val();
            self.sums[i].cycles.next = self.no_cycles.val();
            self.sums[i].begins.next = self.begins.val();
            self.sums[i].room.next = !self.fifos[i].fills_up.val();
            self.pause[i].next = self.sums[i].pause.val();
            self.words[i].taken.next = self.sums[i].sum_taken.val();
            self.words[i].entered.next = self.sums[i].sum_entered.val();
            self.words[i].left.next = self.sums[i].sum_left.val();
            self.fifos[i].clock.next = self.clock.val();
            self.fifos[i].reset.next = self.reset.val();
            self.fifos[i].write_valid.next = self.sums[i].sum_valid.val();
            self.fifos[i].write_data.next = self.words[i].word.val();
            self.fifos[i].m_axis_tready.next = self.takes.val();
        }
        if self.takes.val() {
            self.next_site.d.next = self.next_site.q.val() + 1;
        }
        self.add.reset.next = self.reset.val();
        self.add.valid.next = self.takes.val();
        self.add.site.next = self.next_site.q.val();
        self.add.word_0.next = self.fifos[0].m_axis_tdata.val();
        self.add.word_1.next = self.fifos[1].m_axis_tdata.val();
        self.sum_valid.next = self.add.sum_valid.val();
        self.sum_site.next = self.add.sum_site.val();
        self.sum_taken.next = self.add.taken.val();
        self.sum_entered.next = self.add.entered.val();
        self.sum_left.next = self.add.left.val();
        self.done.next = self.add.done.val();
        self.fills.next = self.sums[0].fills.val() | self.sums[1].fills.val();
        if self.reset.val() {
            self.next_site.d.next = 0.into();
        }
    }
}

kernel_block! {
    /// The sums of a site as a word.
    pub struct PackSums;
    inputs PackInputs { taken: Bus<SUM_W>, entered: Bus<SUM_W>, left: Bus<SUM_W>, }
    lane_inputs {}
    outputs PackOutputs { word: Bus<SUMS_W>, }
    lane_outputs {}
    kernel pack_sums;
}

fn pack_sums<T: Word, const N: usize>(i: PackInputs<T::Port, N>) -> PackOutputs<T, N> {
    let sum = |port: &T::Port| T::field(port, 0, SUM_W as u32);
    let word = SumWord {
        taken: sum(&i.taken),
        entered: sum(&i.entered),
        left: sum(&i.left),
    };
    PackOutputs { word: word.pack() }
}

clocked_block! {
    /// Adds up the sums of two walkers; `done` comes behind those of the last site. `N` bits of a site.
    pub struct AddSums;
    inputs AddInputs {
        reset: Bit,
        valid: Bit,
        site: Bits<N>,
        word_0: Bus<SUMS_W>,
        word_1: Bus<SUMS_W>,
    }
    lane_inputs {}
    outputs AddOutputs {
        sum_valid: Bit,
        sum_site: Bits<N>,
        taken: Bus<SUM_W>,
        entered: Bus<SUM_W>,
        left: Bus<SUM_W>,
        done: Bit,
    }
    lane_outputs {}
    pair_outputs {}
    kernel add_sums;
}

#[named]
fn add_sums<T: Word, const N: usize, const P: usize>(
    i: AddInputs<T::Port, N>,
) -> AddOutputs<T, N, P> {
    let live = T::field(&i.reset, 0, 1).not();
    let valid = T::field(&i.valid, 0, 1).and(live);
    let site = T::field(&i.site, 0, N as u32);
    let words = [&i.word_0, &i.word_1].map(|port| SumWord::<T>::unpack(port));
    // The top bit says that the sum of a walker has passed its end, or the sum of both.
    let add = |sums: [T; 2]| {
        let [low_0, low_1] = sums.map(|sum| sum.slice(0, SUM_BITS).extend(SUM_BITS + 1));
        let total = low_0.add(low_1);
        let passed = any(&[sums[0], sums[1], total].map(|sum| sum.bit(SUM_BITS)));
        passed.concat(total.slice(0, SUM_BITS))
    };
    AddOutputs {
        sum_valid: vec![valid],
        sum_site: vec![site],
        taken: vec![add(words.map(|word| word.taken))],
        entered: vec![add(words.map(|word| word.entered))],
        left: vec![add(words.map(|word| word.left))],
        done: vec![valid.and(site.not().any().not()).delay(1)],
    }
}
