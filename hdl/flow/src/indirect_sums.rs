// SPDX-License-Identifier: MIT OR Apache-2.0
//! `IndirectSums`: indirect branches in, how often each led where out.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high, for more than 8 cycles: entries that wait are discarded, a read-out ends; sums stay |
//! | `hop`, `indirect` | in | as [`WalkReport`](super::WalkReport) puts them out; what comes behind a hop that reads out is of the next read-out |
//! | `pause` | out | give the walker no token in this cycle |
//! | `entry_valid`, `entry` | out | the oldest [`BeatEntry`] |
//! | `entry_ready` | in | it is taken in this cycle |
//! | `done` | out | for one cycle: all entries of the read-out have been taken |
//!
//! ```text
//! indirect ─▶ IndirectEvent ─▶ SumTable ─▶ IndirectWord ─▶ SyncFifo ─▶ entries
//! ```
//!
//! The table has 512 places. A branch and a target that another way displaces leaves it with its sum, so
//! that the entries of a way add up to how often it was taken.
//!
//! A way has the parity of its read-out. A read-out empties each place, in cycles without a branch, and
//! in one of sixteen for which the walker pauses; what is counted meanwhile is of the next one. It
//! waits while 32 entries wait: the rest of the room is for what other ways displace.
//!
//! While 48 entries wait, no branch is counted, and the next entry says so.
//!
//! A hop that reads out must not come before `done` of the one before. A read-out takes 512 cycles at least,
//! and 16 times as many at most while there is room. Throughput one branch per cycle.

use super::beat_entry::{BEAT_ENTRY_W, BeatEntry};
use super::item::MOST_SITE_W;
use super::walk_report::{HOP_W, Hop, INDIRECT_W, IndirectBranch};
use coretrace_hdl_dataflow::{Bus, Word, kernel_block, named};
use coretrace_hdl_parts::stream::SyncFifo;
use coretrace_hdl_sink::profile::{EVENT_W, Event, INDEX_W, SUM_ENTRY_W, SumEntry, SumTable};
use rust_hdl::prelude::*;

/// Address bits of the FIFO.
const PLACES_W: usize = 6;
/// Bits of the number of cycles from one pause to the next.
const PAUSE_W: usize = 4;
/// Bits of the number of cycles in which the last entries leave the table.
const TAIL_W: usize = 3;

#[derive(LogicBlock, Default)]
pub struct IndirectSums {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub hop: Signal<In, Bus<HOP_W>>,
    pub indirect: Signal<In, Bus<INDIRECT_W>>,
    pub pause: Signal<Out, Bit>,
    pub entry_valid: Signal<Out, Bit>,
    pub entry: Signal<Out, Bus<BEAT_ENTRY_W>>,
    pub entry_ready: Signal<In, Bit>,
    pub done: Signal<Out, Bit>,
    branch: DFF<Bus<INDIRECT_W>>,
    turns: DFF<Bit>,
    counted: IndirectEvent<1>,
    sums: SumTable,
    word: IndirectWord<1>,
    entries: SyncFifo<BEAT_ENTRY_W, PLACES_W>,
    head: IndirectHead<1>,
    /// Branches are of a read-out with an odd number.
    is_odd: DFF<Bit>,
    /// The table is being emptied; its last entries are on their way; their end goes into the FIFO.
    walking: DFF<Bit>,
    settling: DFF<Bit>,
    ending: DFF<Bit>,
    place: DFF<Bits<INDEX_W>>,
    tail: DFF<Bits<TAIL_W>>,
    until_pause: DFF<Bits<PAUSE_W>>,
    /// A branch was not counted.
    missed: DFF<Bit>,
    has_room: Signal<Local, Bit>,
    walks: Signal<Local, Bit>,
    empties: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
}

impl Logic for IndirectSums {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, sums, entries);
        dff_setup!(
            self,
            clock,
            branch,
            turns,
            is_odd,
            walking,
            settling,
            ending,
            place,
            tail,
            until_pause,
            missed
        );
        self.branch.d.next = self.indirect.val();
        self.counted.hop.next = self.hop.val();
        self.turns.d.next = self.counted.reads_out.val();
        self.counted.indirect.next = self.branch.q.val();
        self.counted.is_odd.next = self.is_odd.q.val();
        self.has_room.next = !self.entries.fills_up.val();
        self.walks.next = self.walking.q.val() & !self.entries.half_full.val();
        self.empties.next = self.walks.val() & !self.counted.counts.val();
        self.sums.reset.next = self.reset.val();
        self.sums.evt.next = self.counted.evt.val();
        self.sums.counts.next = self.has_room.val();
        self.sums.flush.next = self.empties.val();
        self.sums.walk.next = self.place.q.val();

        self.ends.next = self.ending.q.val() & self.has_room.val() & !self.sums.entry_valid.val();
        self.word.is_end.next = self.ends.val();
        self.word.missed.next = self.missed.q.val();
        self.word.entry.next = self.sums.entry.val();
        self.entries.reset.next = self.reset.val();
        self.entries.write_valid.next = self.sums.entry_valid.val() | self.ends.val();
        self.entries.write_data.next = self.word.word.val();
        if self.sums.entry_valid.val() {
            self.missed.d.next = false;
        }
        if self.counted.counts.val() & !self.has_room.val() {
            self.missed.d.next = true;
        }

        self.until_pause.d.next = self.until_pause.q.val() + 1;
        self.pause.next = (self.walks.val() | self.ending.q.val() & self.has_room.val())
            & self.until_pause.q.val().all();
        self.tail.d.next = self.tail.q.val() + 1;
        if self.turns.q.val() {
            self.is_odd.d.next = !self.is_odd.q.val();
            self.walking.d.next = true;
            self.place.d.next = 0.into();
        }
        if self.empties.val() {
            self.place.d.next = self.place.q.val() + 1;
            if self.place.q.val().all() {
                self.walking.d.next = false;
                self.settling.d.next = true;
                self.tail.d.next = 0.into();
            }
        }
        if self.settling.q.val() & self.tail.q.val().all() {
            self.settling.d.next = false;
            self.ending.d.next = true;
        }
        if self.ends.val() {
            self.ending.d.next = false;
        }

        self.head.valid.next = self.entries.m_axis_tvalid.val();
        self.head.entry.next = self.entries.m_axis_tdata.val();
        self.entry_valid.next = self.head.is_entry.val();
        self.entry.next = self.entries.m_axis_tdata.val();
        self.done.next = self.head.is_end.val();
        self.entries.m_axis_tready.next = self.entry_ready.val() | self.head.is_end.val();

        if self.reset.val() {
            self.turns.d.next = false;
            self.is_odd.d.next = false;
            self.walking.d.next = false;
            self.settling.d.next = false;
            self.ending.d.next = false;
            self.missed.d.next = false;
        }
    }
}

kernel_block! {
    /// What a branch counts for in the table; whether a hop reads out.
    pub struct IndirectEvent;
    inputs EventInputs { hop: Bus<HOP_W>, indirect: Bus<INDIRECT_W>, is_odd: Bit, }
    lane_inputs {}
    outputs EventOutputs { reads_out: Bit, counts: Bit, evt: Bus<EVENT_W>, }
    lane_outputs {}
    kernel indirect_event;
}

/// Bits of a key of the table.
const KEY_W: u32 = 64;

#[named]
fn indirect_event<T: Word, const N: usize>(i: EventInputs<T::Port, N>) -> EventOutputs<T, N> {
    let branch = IndirectBranch::<T>::unpack(&i.indirect);
    let is_odd = T::field(&i.is_odd, 0, 1);
    let bits = INDEX_W as u32;
    // The sites of a program are close together, and so are those that a branch leads to.
    let low = |site: T| site.slice(0, bits).xor(site.slice(bits, bits));
    let half = bits / 2;
    let turned = |word: T| word.slice(0, half).concat(word.slice(half, bits - half));
    let event = Event {
        valid: branch.valid,
        kind: T::constant(0, 2),
        key: is_odd
            .concat(branch.target.concat(branch.site))
            .extend(KEY_W),
        weight: T::constant(1, 32),
        index: low(branch.site).xor(turned(low(branch.target))),
    };
    let hop = Hop::<T>::unpack(&i.hop);
    EventOutputs {
        reads_out: vec![hop.reads_out],
        counts: vec![branch.valid],
        evt: event.pack(),
    }
}

kernel_block! {
    /// What leaves the table, or the end of a read-out, as an [`BeatEntry`].
    pub struct IndirectWord;
    inputs WordInputs { is_end: Bit, missed: Bit, entry: Bus<SUM_ENTRY_W>, }
    lane_inputs {}
    outputs WordOutputs { word: Bus<BEAT_ENTRY_W>, }
    lane_outputs {}
    kernel indirect_word;
}

fn indirect_word<T: Word, const N: usize>(i: WordInputs<T::Port, N>) -> WordOutputs<T, N> {
    let entry = SumEntry::<T>::unpack(&i.entry);
    let bits = MOST_SITE_W as u32;
    let word = BeatEntry {
        is_end: T::field(&i.is_end, 0, 1),
        is_hop: T::constant(0, 1),
        missed: T::field(&i.missed, 0, 1),
        flags: entry.key.bit(2 * bits).extend(4),
        site: entry.key.slice(0, bits),
        target: entry.key.slice(bits, bits),
        count: entry.sum,
    };
    WordOutputs { word: word.pack() }
}

kernel_block! {
    /// Whether the oldest word is an entry, or the end of a read-out.
    pub struct IndirectHead;
    inputs HeadInputs { valid: Bit, entry: Bus<BEAT_ENTRY_W>, }
    lane_inputs {}
    outputs HeadOutputs { is_entry: Bit, is_end: Bit, }
    lane_outputs {}
    kernel indirect_head;
}

fn indirect_head<T: Word, const N: usize>(i: HeadInputs<T::Port, N>) -> HeadOutputs<T, N> {
    let entry = BeatEntry::<T>::unpack(&i.entry);
    let valid = T::field(&i.valid, 0, 1);
    HeadOutputs {
        is_entry: vec![valid.and(entry.is_end.not())],
        is_end: vec![valid.and(entry.is_end)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_hdl_dataflow::sim::cycle;
    use coretrace_hdl_dataflow::{Carrier, Wide};
    use coretrace_test_gen::{Rng, rng};
    use rand::RngExt;
    use std::collections::BTreeMap;

    /// How often each branch led to each site.
    type Ways = BTreeMap<(u64, u64), u64>;

    struct Bench {
        uut: IndirectSums,
        /// Of read-outs with an even number, with an odd one.
        ways: [Ways; 2],
        missed: bool,
        done: bool,
    }

    impl Bench {
        fn new() -> Bench {
            let mut uut = IndirectSums::default();
            uut.connect_all();
            let mut bench = Bench {
                uut,
                ways: Default::default(),
                missed: false,
                done: false,
            };
            bench.uut.reset.next = true;
            (0..10).for_each(|_| bench.clock(true));
            bench.uut.reset.next = false;
            bench
        }

        fn clock(&mut self, reads: bool) {
            self.uut.entry_ready.next = reads;
            coretrace_hdl_dataflow::sim::settle(&mut self.uut);
            let entry = BeatEntry::of_wide(&self.uut.entry.val().to_wide());
            if self.uut.entry_valid.val() && reads {
                let ways = &mut self.ways[entry.flags as usize];
                *ways.entry((entry.site, entry.target)).or_default() += entry.count;
                self.missed |= entry.missed == 1;
            }
            self.done |= self.uut.done.val();
            cycle(&mut self.uut, |uut, clock| uut.clock.next = clock);
        }

        /// A cycle with a branch or without any; the counters may be read behind it.
        fn branch(&mut self, way: Option<(u64, u64)>, reads_out: bool, reads: bool) {
            let (site, target) = way.unwrap_or_default();
            let branch = IndirectBranch {
                valid: way.is_some().into(),
                site,
                target,
            };
            self.uut.indirect.next = Bus(branch.wide());
            let hop = Hop {
                reads_out: reads_out.into(),
                ..Hop::of_wide(&Wide::default())
            };
            self.uut.hop.next = Bus(hop.wide());
            self.clock(reads);
        }
    }

    /// One of so many ways.
    fn way(rng: &mut Rng, ways: u64) -> (u64, u64) {
        let way = rng.random_range(0..ways);
        (way % 40, way * 7)
    }

    #[test]
    fn each_read_out_has_the_branches_since_the_one_before() {
        for ways in [3, 300, 3000] {
            let mut rng = rng(ways);
            let mut bench = Bench::new();
            let mut want: [Ways; 2] = Default::default();
            for number in 0..4 {
                // The branches of the next read-out come while this one goes on.
                let count = |want: &mut Ways, way| *want.entry(way).or_default() += 1;
                for at in 0..2000 {
                    let way = rng.random_bool(0.6).then(|| way(&mut rng, ways));
                    way.iter()
                        .for_each(|way| count(&mut want[number % 2], *way));
                    bench.branch(way, at == 1999, rng.random_bool(0.9));
                }
                bench.done = false;
                while !bench.done {
                    let way = rng.random_bool(0.6).then(|| way(&mut rng, ways));
                    way.iter()
                        .for_each(|way| count(&mut want[(number + 1) % 2], *way));
                    bench.branch(way, false, rng.random_bool(0.9));
                }
                let of = |all: &mut [Ways; 2]| std::mem::take(&mut all[number % 2]);
                assert_eq!(
                    of(&mut bench.ways),
                    of(&mut want),
                    "{ways} ways, read-out {number}"
                );
            }
            assert!(!bench.missed);
        }
    }

    #[test]
    fn a_read_out_leaves_room_for_what_is_counted_meanwhile() {
        let mut rng = rng(8);
        let mut bench = Bench::new();
        for at in 0..5000 {
            let way = way(&mut rng, 400);
            bench.branch(Some(way), at == 4999, true);
        }
        while !bench.done {
            let way = rng.random_bool(0.2).then(|| way(&mut rng, 400));
            bench.branch(way, false, rng.random_bool(0.4));
        }
        assert!(!bench.missed);
    }

    #[test]
    fn what_finds_no_room_is_reported() {
        let mut rng = rng(7);
        let mut bench = Bench::new();
        for _ in 0..5000 {
            let way = way(&mut rng, 3000);
            bench.branch(Some(way), false, false);
        }
        bench.branch(None, true, true);
        while !bench.done {
            bench.branch(None, false, true);
        }
        assert!(bench.missed);
        let counted: u64 = bench.ways[0].values().sum();
        assert!((100..4000).contains(&counted), "{counted} of 5000");
        assert_eq!(bench.ways[1], Ways::new());
    }
}
