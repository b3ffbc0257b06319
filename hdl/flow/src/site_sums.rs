// SPDX-License-Identifier: MIT OR Apache-2.0
//! `SiteSums`: hops in, sums by site out, read while others are counted.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high: a read-out ends, sums stay |
//! | `hop`, `at[SW-1:0]`, ..., `cycles` | in | as [`WalkReport`](super::WalkReport) and [`CycleQueue`](super::CycleQueue) put them out |
//! | `begins` | in | the sums that a hop marked may come; or will, once there is such a hop |
//! | `room` | in | there is room for five sums more |
//! | `pause` | out | give the walker no token in this cycle |
//! | `sum_valid`, `sum_site[SW-1:0]` | out | the sums of a site, in increasing order of sites |
//! | `sum_taken[31:0]`, `sum_entered[31:0]`, `sum_left[31:0]` | out | see [`SiteCounters`] |
//! | `cycles_valid`, `sum_cycles[31:0]` | out | its cycles, a cycle in front of the other sums at least |
//! | `done` | out | for one cycle: those of all sites have come |
//! | `fills` | out | for one cycle: a sum has passed 2^30 |
//!
//! ```text
//! hop ─▶ CountEvents ─▶ SiteCounters of taken, entered, left and cycles, two banks each ─▶ sums
//! ```
//!
//! A hop that reads out changes the bank: what comes behind it is counted in the other one. The sums
//! of the first are read in cycles without an event, and in one of sixteen for which the walker
//! pauses: of each site first the cycles, if any were counted, then the counts. Each is 0 then. So every event is in one read-out and in no other.
//!
//! After a reset bank 0 counts: what a reset cut off comes in the read-out behind the next one.
//!
//! `CW` is `SW` + 1. A read-out takes 2^SW cycles at least, twice as many with cycles, and 16 times as many at most while there is
//! room. Throughput one hop per cycle.

use super::cycle_queue::SITE_CYCLES_W;
use super::item::CYCLES_W;
use super::walk_report::HOP_W;
use super::{CountEvents, SUM_W, SiteCounters};
use coretrace_hdl_dataflow::Bus;
use rust_hdl::prelude::*;

/// Bits of the number of cycles from one pause to the next.
const PAUSE_W: usize = 4;
/// Bits of the number of cycles in which the last sums come.
const TAIL_W: usize = 2;

#[derive(LogicBlock)]
pub struct SiteSums<const SW: usize, const CW: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub hop: Signal<In, Bus<HOP_W>>,
    pub at: Signal<In, Bits<SW>>,
    pub base: Signal<In, Bits<SW>>,
    pub left_at: Signal<In, Bits<SW>>,
    pub ended_at: Signal<In, Bits<SW>>,
    pub cycles: Signal<In, Bus<SITE_CYCLES_W>>,
    pub begins: Signal<In, Bit>,
    pub room: Signal<In, Bit>,
    pub pause: Signal<Out, Bit>,
    pub sum_valid: Signal<Out, Bit>,
    pub sum_site: Signal<Out, Bits<SW>>,
    pub sum_taken: Signal<Out, Bus<SUM_W>>,
    pub sum_entered: Signal<Out, Bus<SUM_W>>,
    pub sum_left: Signal<Out, Bus<SUM_W>>,
    pub cycles_valid: Signal<Out, Bit>,
    pub sum_cycles: Signal<Out, Bus<SUM_W>>,
    pub done: Signal<Out, Bit>,
    pub fills: Signal<Out, Bit>,
    events: CountEvents<SW, CW>,
    taken: SiteCounters<CW, 1>,
    entered: SiteCounters<CW, 1>,
    left: SiteCounters<CW, 1>,
    timed: SiteCounters<CW, CYCLES_W>,
    /// A bank is to be read; it is being read; its last sums are on their way.
    marked: DFF<Bit>,
    reading: DFF<Bit>,
    ending: DFF<Bit>,
    tail: DFF<Bits<TAIL_W>>,
    /// The cycles of the next site have been read, its counts have not.
    cycles_read: DFF<Bit>,
    /// Cycles have been counted in bank 0, in bank 1; no reset, since sums stay.
    timed_0: DFF<Bit>,
    timed_1: DFF<Bit>,
    /// The next site to be read, and those of the two cycles before.
    next_site: DFF<Bits<SW>>,
    site_s1: DFF<Bits<SW>>,
    site_s2: DFF<Bits<SW>>,
    until_pause: DFF<Bits<PAUSE_W>>,
    upper_bank: Constant<Bits<CW>>,
    reads: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    read_place: Signal<Local, Bits<CW>>,
    taken_place: Signal<Local, Bits<CW>>,
    entered_place: Signal<Local, Bits<CW>>,
    left_place: Signal<Local, Bits<CW>>,
    timed_place: Signal<Local, Bits<CW>>,
    reads_counts: Signal<Local, Bit>,
    reads_cycles: Signal<Local, Bit>,
    has_cycles: Signal<Local, Bit>,
}

impl<const SW: usize, const CW: usize> Default for SiteSums<SW, CW> {
    fn default() -> Self {
        assert!(CW == SW + 1, "a bit says which bank");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            hop: Default::default(),
            at: Default::default(),
            base: Default::default(),
            left_at: Default::default(),
            ended_at: Default::default(),
            cycles: Default::default(),
            begins: Default::default(),
            room: Default::default(),
            pause: Default::default(),
            sum_valid: Default::default(),
            sum_site: Default::default(),
            sum_taken: Default::default(),
            sum_entered: Default::default(),
            sum_left: Default::default(),
            cycles_valid: Default::default(),
            sum_cycles: Default::default(),
            done: Default::default(),
            fills: Default::default(),
            events: Default::default(),
            taken: Default::default(),
            entered: Default::default(),
            left: Default::default(),
            timed: Default::default(),
            marked: Default::default(),
            reading: Default::default(),
            ending: Default::default(),
            tail: Default::default(),
            cycles_read: Default::default(),
            timed_0: Default::default(),
            timed_1: Default::default(),
            next_site: Default::default(),
            site_s1: Default::default(),
            site_s2: Default::default(),
            until_pause: Default::default(),
            upper_bank: Constant::new((1_u64 << SW).into()),
            reads: Default::default(),
            ends: Default::default(),
            read_place: Default::default(),
            taken_place: Default::default(),
            entered_place: Default::default(),
            left_place: Default::default(),
            timed_place: Default::default(),
            reads_counts: Default::default(),
            reads_cycles: Default::default(),
            has_cycles: Default::default(),
        }
    }
}

impl<const SW: usize, const CW: usize> Logic for SiteSums<SW, CW> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, events, taken, entered, left, timed);
        dff_setup!(
            self,
            clock,
            marked,
            reading,
            ending,
            tail,
            cycles_read,
            timed_0,
            timed_1,
            next_site,
            site_s1,
            site_s2,
            until_pause
        );
        self.events.reset.next = self.reset.val();
        self.events.hop.next = self.hop.val();
        self.events.at.next = self.at.val();
        self.events.base.next = self.base.val();
        self.events.left_at.next = self.left_at.val();
        self.events.ended_at.next = self.ended_at.val();
        self.events.cycles.next = self.cycles.val();

        self.reads.next = self.reading.q.val() & self.room.val() & !self.events.counts.val();
        self.ends.next = self.ending.q.val() & self.tail.q.val().all();
        self.events.done.next = self.ends.val();
        self.tail.d.next = self.tail.q.val() + 1;
        self.until_pause.d.next = self.until_pause.q.val() + 1;
        self.pause.next = self.reading.q.val() & self.room.val() & self.until_pause.q.val().all();
        if self.marked.q.val() & self.begins.val() {
            self.marked.d.next = false;
            self.reading.d.next = true;
            self.cycles_read.d.next = false;
            self.next_site.d.next = 0.into();
        }
        // The bank that is read is the one that does not count.
        self.has_cycles.next = self.timed_1.q.val();
        if self.events.bank.val() {
            self.has_cycles.next = self.timed_0.q.val();
        }
        self.reads_cycles.next =
            self.reads.val() & self.has_cycles.val() & !self.cycles_read.q.val();
        self.reads_counts.next = self.reads.val() & !self.reads_cycles.val();
        if self.reads_cycles.val() {
            self.cycles_read.d.next = true;
        }
        if self.reads_counts.val() {
            self.cycles_read.d.next = false;
            self.next_site.d.next = self.next_site.q.val() + 1;
            if self.next_site.q.val().all() {
                self.reading.d.next = false;
                self.ending.d.next = true;
                self.tail.d.next = 0.into();
            }
        }
        if self.ends.val() {
            self.ending.d.next = false;
        }
        if self.events.bank.val() {
            if self.ends.val() {
                self.timed_0.d.next = false;
            }
            if self.events.timed.val() {
                self.timed_1.d.next = true;
            }
        } else {
            if self.ends.val() {
                self.timed_1.d.next = false;
            }
            if self.events.timed.val() {
                self.timed_0.d.next = true;
            }
        }
        if self.events.flips.val() {
            self.marked.d.next = true;
        }
        self.done.next = self.ends.val();

        // The bank above the site.
        self.read_place.next = bit_cast::<CW, SW>(self.next_site.q.val());
        if !self.events.bank.val() {
            self.read_place.next =
                bit_cast::<CW, SW>(self.next_site.q.val()) | self.upper_bank.val();
        }
        self.taken_place.next = self.events.taken_place.val();
        self.entered_place.next = self.events.entered_place.val();
        self.left_place.next = self.events.left_place.val();
        self.timed_place.next = self.events.timed_place.val();
        if self.reads.val() {
            self.taken_place.next = self.read_place.val();
            self.entered_place.next = self.read_place.val();
            self.left_place.next = self.read_place.val();
            self.timed_place.next = self.read_place.val();
        }
        self.taken.reset.next = self.reset.val();
        self.taken.valid.next = self.events.taken.val() | self.reads_counts.val();
        self.taken.site.next = self.taken_place.val();
        self.taken.amount.next = 1.into();
        self.taken.clears.next = self.reads_counts.val();
        self.entered.reset.next = self.reset.val();
        self.entered.valid.next = self.events.entered.val() | self.reads_counts.val();
        self.entered.site.next = self.entered_place.val();
        self.entered.amount.next = 1.into();
        self.entered.clears.next = self.reads_counts.val();
        self.left.reset.next = self.reset.val();
        self.left.valid.next = self.events.left.val() | self.reads_counts.val();
        self.left.site.next = self.left_place.val();
        self.left.amount.next = 1.into();
        self.left.clears.next = self.reads_counts.val();
        self.timed.reset.next = self.reset.val();
        self.timed.valid.next = self.events.timed.val() | self.reads_cycles.val();
        self.timed.site.next = self.timed_place.val();
        self.timed.amount.next = self.events.amount.val();
        self.timed.clears.next = self.reads_cycles.val();

        self.site_s1.d.next = self.next_site.q.val();
        self.site_s2.d.next = self.site_s1.q.val();
        self.sum_valid.next = self.taken.sum_valid.val();
        self.sum_site.next = self.site_s2.q.val();
        self.sum_taken.next = self.taken.sum.val();
        self.sum_entered.next = self.entered.sum.val();
        self.sum_left.next = self.left.sum.val();
        self.cycles_valid.next = self.timed.sum_valid.val();
        self.sum_cycles.next = self.timed.sum.val();
        self.fills.next = self.taken.fills.val()
            | self.entered.fills.val()
            | self.left.fills.val()
            | self.timed.fills.val();

        if self.reset.val() {
            self.marked.d.next = false;
            self.reading.d.next = false;
            self.ending.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Hop;
    use super::*;
    use coretrace_hdl_dataflow::sim::cycle;
    use coretrace_hdl_dataflow::{Carrier, Wide};

    const SITES: usize = 8;

    struct Bench {
        uut: SiteSums<3, 4>,
        /// The sums of a branch that was taken, by site.
        read: Vec<(usize, u64)>,
        done: bool,
    }

    impl Bench {
        fn clock(&mut self) {
            cycle(&mut self.uut, |uut, clock| uut.clock.next = clock);
            if self.uut.sum_valid.val() {
                let taken = self.uut.sum_taken.val().to_wide().field(0, SUM_W as u32);
                self.read
                    .push((self.uut.sum_site.val().to_u64() as usize, taken));
            }
            self.done |= self.uut.done.val();
        }

        /// A cycle with a hop: a branch is taken, or the sums are to be read.
        fn hop(&mut self, taken: Option<usize>) {
            let hop = Hop {
                valid: 1,
                taken: taken.is_some().into(),
                reads_out: taken.is_none().into(),
                ..Hop::of_wide(&Wide::default())
            };
            self.uut.hop.next = Bus(hop.wide());
            self.uut.at.next = (taken.unwrap_or_default() as u64).into();
            self.clock();
            self.uut.hop.next = Bus::default();
        }
    }

    #[test]
    fn each_read_out_has_what_came_since_the_one_before() {
        let mut uut = SiteSums::default();
        uut.connect_all();
        uut.begins.next = true;
        uut.room.next = true;
        let mut bench = Bench {
            uut,
            read: Vec::new(),
            done: false,
        };
        bench.uut.reset.next = true;
        (0..20).for_each(|_| bench.clock());
        bench.uut.reset.next = false;
        for round in 1..5 {
            (0..round).for_each(|_| bench.hop(Some(round)));
            bench.hop(None);
            // It is counted while the others are read.
            bench.hop(Some(0));
            while !bench.done {
                bench.clock();
            }
            (0..50).for_each(|_| bench.clock());
            let before = u64::from(round > 1);
            let want = (0..SITES).map(|site| match site {
                0 => (0, before),
                site if site == round => (site, round as u64),
                site => (site, 0),
            });
            assert_eq!(bench.read, want.collect::<Vec<_>>(), "round {round}");
            bench.read.clear();
            bench.done = false;
        }
    }
}
