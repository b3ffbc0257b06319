// SPDX-License-Identifier: MIT OR Apache-2.0
//! `SiteCounters`: a sum for each of 2^A sites, in block RAM.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high: what is on its way is dropped, sums stay |
//! | `valid`, `site[A-1:0]` | in | an event at a site |
//! | `amount[M-1:0]` | in | what it adds |
//! | `clears` | in | it adds nothing: the sum is 0 now, see `sum` |
//! | `sum_valid`, `sum[31:0]` | out | two cycles later: the event had `clears`, and the sum before it |
//! | `fills` | out | for one cycle: a sum has passed 2^30; time to read the sums out |
//!
//! A sum never wraps unseen: bit 31 of it is a flag that stays once the sum has reached 2^31, and
//! then the low 31 bits are those of the sum modulo 2^31. Reading a sum clears it, so that every event
//! is in one read-out and in no other.
//!
//! Read, add, write: two events are on their way when an event is read, and both may be at its site.
//! The sum is taken from them where it is, so any order of sites is exact.
//!
//! ```text
//! sum = amount + (the event before is here ? its sum : the one before that is ? its sum : memory)
//! ```
//!
//! Each bit of that is one look-up table in front of the carry chain.
//!
//! Latency 2 cycles to `sum`, 3 to the memory and to `fills`. Throughput one event per cycle.

use coretrace_abi::flow_stream::SUM_BITS;
use coretrace_hdl_dataflow::{Bus, Word, all, clocked_block, named};
use rust_hdl::prelude::*;

/// Bits of a sum without its flag.
const COUNT_W: u32 = SUM_BITS;
/// Bits of a sum with its flag: block RAM of 2^13 words has 4 bits, so eight of them hold the sums of two
/// banks of 4096 sites, without a multiplexer.
pub const SUM_W: usize = COUNT_W as usize + 1;

#[derive(LogicBlock, Default)]
pub struct SiteCounters<const A: usize, const M: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub valid: Signal<In, Bit>,
    pub site: Signal<In, Bits<A>>,
    pub amount: Signal<In, Bits<M>>,
    pub clears: Signal<In, Bit>,
    pub sum_valid: Signal<Out, Bit>,
    pub sum: Signal<Out, Bus<SUM_W>>,
    pub fills: Signal<Out, Bit>,
    sums: RAM<Bus<SUM_W>, A>,
    step: CountStep<A, M>,
}

impl<const A: usize, const M: usize> Logic for SiteCounters<A, M> {
    #[hdl_gen]
    fn update(&mut self) {
        self.sums.read_clock.next = self.clock.val();
        self.sums.write_clock.next = self.clock.val();
        self.sums.read_address.next = self.site.val();
        self.sums.write_address.next = self.step.write_site.val();
        self.sums.write_data.next = self.step.write_sum.val();
        self.sums.write_enable.next = self.step.write_valid.val();
        self.step.clock.next = self.clock.val();
        self.step.reset.next = self.reset.val();
        self.step.valid.next = self.valid.val();
        self.step.site.next = self.site.val();
        self.step.amount.next = self.amount.val();
        self.step.clears.next = self.clears.val();
        self.step.stored.next = self.sums.read_data.val();
        self.sum_valid.next = self.step.sum_valid.val();
        self.sum.next = self.step.sum.val();
        self.fills.next = self.step.fills.val();
    }
}

clocked_block! {
    /// The pipeline of `SiteCounters` around its memory, for `N` bits of a site and `P` bits of an
    /// amount; `stored` is what the memory had for the event of the cycle before.
    pub struct CountStep;
    inputs CountInputs {
        reset: Bit,
        valid: Bit,
        site: Bits<N>,
        amount: Bits<P>,
        clears: Bit,
        stored: Bus<SUM_W>,
    }
    lane_inputs {}
    outputs CountOutputs {
        write_valid: Bit,
        write_site: Bits<N>,
        write_sum: Bus<SUM_W>,
        sum_valid: Bit,
        sum: Bus<SUM_W>,
        fills: Bit,
    }
    lane_outputs {}
    pair_outputs {}
    kernel count_step;
}

/// What a word was in the cycle before. All words here are of one stage: the events of three cycles
/// meet in one.
fn before<T: Word>(word: T) -> T {
    let (held, next) = T::register(word.width(), word.stage());
    T::set_next(next, word);
    held
}

#[named]
fn count_step<T: Word, const N: usize, const P: usize>(
    i: CountInputs<T::Port, N>,
) -> CountOutputs<T, N, P> {
    let live = T::field(&i.reset, 0, 1).not();
    let valid = T::field(&i.valid, 0, 1).and(live);
    let site = T::field(&i.site, 0, N as u32);
    let clears = T::field(&i.clears, 0, 1);
    // Nothing is added to a sum that is cleared, so that the adder outputs the sum before it.
    let amount = T::field(&i.amount, 0, P as u32).mask(clears.not());
    let stored = T::field(&i.stored, 0, SUM_W as u32);

    // Events by the cycle they are in: 1 adds, 2 is written now.
    let (valid1, site1) = (before(valid), before(site));
    let (valid2, site2) = (before(valid1.and(live)), before(site1));
    let (sum2, sum2_next) = T::register(SUM_W as u32, valid.stage());
    // What the memory did not know as it was read: the sum of the event before, and the one that was
    // written in that cycle.
    let follows1 = before(valid1.and(site.eq_on_carry(site1)));
    let missed1 = before(valid2.and(site.eq_on_carry(site2)));
    let old = follows1.mux(sum2, missed1.mux(before(sum2), stored));

    let amount1 = before(amount).extend(COUNT_W + 1);
    let clears1 = before(clears);
    let total = amount1.add(old.slice(0, COUNT_W).extend(COUNT_W + 1));
    let flag = old.bit(COUNT_W).or(total.bit(COUNT_W));
    let counted = flag.concat(total.slice(0, COUNT_W));
    let sum = counted.mask(clears1.not());
    T::set_next(sum2_next, sum);

    let top = COUNT_W - 1;
    let was_low = before(old.bit(top).not());
    // An output is a register: it has the value that the next event will see.
    CountOutputs {
        write_valid: vec![valid1.and(live)],
        write_site: vec![site1],
        write_sum: vec![sum],
        sum_valid: vec![all(&[valid1, clears1, live])],
        sum: vec![counted],
        fills: vec![all(&[valid2, was_low, sum2.bit(top)])],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_hdl_dataflow::Carrier;
    use coretrace_hdl_dataflow::sim::cycle;
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};
    use std::collections::VecDeque;

    /// Bits of a site.
    const A: usize = 4;
    /// Cycles from an event with `clears` to its sum.
    const LATENCY: usize = 2;
    const FLAG: u64 = 1 << COUNT_W;

    /// What happens at a site.
    #[derive(Clone, Copy)]
    enum Event {
        Adds(u64),
        Clears,
    }

    /// The counters, with amounts of any size, and what they should hold.
    struct Bench {
        uut: SiteCounters<A, 32>,
        sums: [u64; 1 << A],
        /// The sums that are to come out, by the cycle.
        due: VecDeque<Option<u64>>,
    }

    impl Bench {
        fn new() -> Bench {
            let mut uut = SiteCounters::default();
            uut.connect_all();
            let sums = [0; 1 << A];
            let due = VecDeque::from([None; LATENCY - 1]);
            Bench { uut, sums, due }
        }

        fn step(&mut self, event: Option<(usize, Event)>) {
            self.uut.valid.next = event.is_some();
            let mut read = None;
            if let Some((site, event)) = event {
                let old = self.sums[site];
                self.uut.site.next = (site as u64).into();
                self.sums[site] = match event {
                    Event::Adds(amount) => {
                        self.uut.clears.next = false;
                        self.uut.amount.next = amount.into();
                        (old % FLAG + amount) | (old & FLAG)
                    }
                    Event::Clears => {
                        self.uut.clears.next = true;
                        read = Some(old);
                        0
                    }
                };
            }
            cycle(&mut self.uut, |u, c| u.clock.next = c);
            self.due.push_back(read);
            let due = self.due.pop_front().expect("an entry for each cycle");
            let out = self.uut.sum.val().to_wide().field(0, SUM_W as u32);
            assert_eq!(self.uut.sum_valid.val().then_some(out), due);
        }

        /// Reads every sum out and leaves 0.
        fn read_out(&mut self) {
            (0..1 << A).for_each(|site| self.step(Some((site, Event::Clears))));
            (0..LATENCY).for_each(|_| self.step(None));
        }
    }

    #[test]
    fn every_pattern_of_sites_in_flight_is_exact() {
        // Six events at one of three sites each, or none.
        for pattern in 0..4_usize.pow(6) {
            let mut bench = Bench::new();
            for place in 0..6 {
                let site = pattern >> (2 * place) & 3;
                bench.step((site < 3).then_some((site, Event::Adds(1))));
            }
            bench.read_out();
        }
    }

    #[test]
    fn random_events_and_read_outs_between_them_are_exact() {
        for seed in 0..20 {
            println!("seed {seed}");
            let mut rng = StdRng::seed_from_u64(seed);
            let mut bench = Bench::new();
            let sites = rng.random_range(1..=1 << A);
            for _ in 0..500 {
                let site = rng.random_range(0..sites);
                let event = match rng.random_range(0..10) {
                    0 => Event::Clears,
                    1 => Event::Adds(rng.random_range(0..FLAG)),
                    _ => Event::Adds(rng.random_range(0..256)),
                };
                bench.step(rng.random_bool(0.8).then_some((site, event)));
            }
            bench.read_out();
        }
    }

    #[test]
    fn a_sum_that_reaches_its_end_keeps_a_flag() {
        let mut bench = Bench::new();
        bench.step(Some((3, Event::Adds(FLAG - 2))));
        (0..5).for_each(|_| bench.step(Some((3, Event::Adds(1)))));
        assert_eq!(bench.sums[3], FLAG | 3);
        // As many again: the flag stays.
        bench.step(Some((3, Event::Adds(FLAG - 4))));
        (0..2).for_each(|_| bench.step(Some((3, Event::Adds(1)))));
        assert_eq!(bench.sums[3], FLAG | 1);
        bench.read_out();
    }

    #[test]
    fn half_full_is_reported_once() {
        let mut bench = Bench::new();
        bench.step(Some((3, Event::Adds(FLAG / 2 - 3))));
        let mut reported = 0;
        for _ in 0..12 {
            bench.step(Some((3, Event::Adds(1))));
            reported += usize::from(bench.uut.fills.val());
        }
        assert_eq!(reported, 1);
    }

    #[test]
    fn a_reset_keeps_the_sums() {
        let mut bench = Bench::new();
        bench.step(Some((5, Event::Adds(7))));
        (0..4).for_each(|_| bench.step(None));
        bench.uut.reset.next = true;
        bench.step(None);
        bench.uut.reset.next = false;
        bench.read_out();
    }
}
