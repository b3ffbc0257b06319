// SPDX-License-Identifier: MIT OR Apache-2.0
//! `SiteCounters`: a sum for each of 2^A sites, in block RAM.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high: what is on its way is dropped, sums stay |
//! | `valid`, `site[A-1:0]` | in | an event at a site |
//! | `amount[M-1:0]` | in | what it adds |
//! | `replaces`, `value[32:0]` | in | it adds nothing: the sum is now this one, see `sum` |
//! | `sum_valid`, `sum[32:0]` | out | three cycles later: the event had `replaces`, and the sum before it |
//! | `fills` | out | for one cycle: a sum has passed 2^31; time to read the sums out |
//!
//! A sum never wraps unseen: bit 32 of it is a flag that stays once the sum has reached 2^32, and
//! then the low 32 bits are those of the sum modulo 2^32. Reading a sum is replacing it, by 0 as a
//! rule, so that every event is in one read-out and in no other.
//!
//! Read, register, add, write: three events are on their way when an event is read, and each of
//! them may be at its site. The sum is taken from them where it is, so any order of sites is exact.
//!
//! Latency 3 cycles to `sum`, 4 to the memory and to `fills`. Throughput one event per cycle.

use coretrace_hdl_dataflow::{Bus, Word, clocked_block, named};
use rust_hdl::prelude::*;

/// Bits of a sum with its flag.
pub const SUM_W: usize = 33;
/// Bits of a sum without its flag.
const COUNT_W: u32 = 32;

#[derive(LogicBlock, Default)]
pub struct SiteCounters<const A: usize, const M: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub valid: Signal<In, Bit>,
    pub site: Signal<In, Bits<A>>,
    pub amount: Signal<In, Bits<M>>,
    pub replaces: Signal<In, Bit>,
    pub value: Signal<In, Bus<SUM_W>>,
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
        self.step.replaces.next = self.replaces.val();
        self.step.value.next = self.value.val();
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
        replaces: Bit,
        value: Bus<SUM_W>,
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

/// What a word was in the cycle before. All words here are of one stage: the events of four cycles
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
    let replaces = T::field(&i.replaces, 0, 1);
    // Nothing is added to a sum that is replaced, so that the adder outputs the sum before it.
    let amount = T::field(&i.amount, 0, P as u32).mask(replaces.not());
    let value = T::field(&i.value, 0, SUM_W as u32);
    let stored = T::field(&i.stored, 0, SUM_W as u32);

    // Events by the cycle they are in: 1 reads, 2 adds, 3 is written now.
    let (valid1, site1) = (before(valid), before(site));
    let (valid2, site2) = (before(valid1.and(live)), before(site1));
    let (valid3, site3) = (before(valid2.and(live)), before(site2));
    let (sum3, sum3_next) = T::register(SUM_W as u32, valid.stage());
    let written_at = |site: T| valid3.and(site3.eq(site));
    // What the memory does not know yet: the write of this cycle, and the one of the last cycle,
    // which came together with the read.
    let missed1 = before(written_at(site));
    let missed_sum = before(sum3);
    let old1 = written_at(site1).mux(sum3, missed1.mux(missed_sum, stored));
    let old2 = before(old1);
    let follows2 = before(valid2.and(site2.eq(site1)));
    let old = follows2.mux(sum3, old2);

    let amount2 = before(before(amount)).extend(COUNT_W + 1);
    let (replaces2, value2) = (before(before(replaces)), before(before(value)));
    let count = old.slice(0, COUNT_W).extend(COUNT_W + 1);
    let total = amount2.add(count);
    let flag = old.bit(COUNT_W).or(total.bit(COUNT_W));
    let counted = flag.concat(total.slice(0, COUNT_W));
    let sum = replaces2.mux(value2, counted);
    T::set_next(sum3_next, sum);

    let top = COUNT_W - 1;
    let was_low = before(old.bit(top).not().and(replaces2.not()));
    // An output is a register: it has the value that the next event will see.
    CountOutputs {
        write_valid: vec![valid2.and(live)],
        write_site: vec![site2],
        write_sum: vec![sum],
        sum_valid: vec![valid2.and(replaces2).and(live)],
        sum: vec![counted],
        fills: vec![valid3.and(was_low).and(sum3.bit(top))],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_hdl_dataflow::sim::cycle;
    use coretrace_hdl_dataflow::{Carrier, Wide};
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};
    use std::collections::VecDeque;

    /// Bits of a site.
    const A: usize = 4;
    /// Cycles from an event with `replaces` to its sum.
    const LATENCY: usize = 3;
    const FLAG: u64 = 1 << COUNT_W;

    fn sum(value: u64) -> Bus<SUM_W> {
        let mut wide = Wide::default();
        wide.or_field(0, SUM_W as u32, value);
        Bus(wide)
    }

    /// The counters, and what they should hold.
    struct Bench {
        uut: SiteCounters<A, 8>,
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

        fn step(&mut self, event: Option<(usize, u64, Option<u64>)>) {
            self.uut.valid.next = event.is_some();
            let mut read = None;
            if let Some((site, amount, value)) = event {
                let old = self.sums[site];
                self.uut.site.next = (site as u64).into();
                self.uut.amount.next = amount.into();
                self.uut.replaces.next = value.is_some();
                self.uut.value.next = sum(value.unwrap_or_default());
                read = value.and(Some(old));
                let counted = (old % FLAG + amount) | (old & FLAG);
                self.sums[site] = value.unwrap_or(counted);
            }
            cycle(&mut self.uut, |u, c| u.clock.next = c);
            self.due.push_back(read);
            let due = self.due.pop_front().expect("an entry for each cycle");
            let out = self.uut.sum.val().to_wide().field(0, SUM_W as u32);
            assert_eq!(self.uut.sum_valid.val().then_some(out), due);
        }

        /// Reads every sum out and leaves 0.
        fn read_out(&mut self) {
            (0..1 << A).for_each(|site| self.step(Some((site, 0, Some(0)))));
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
                bench.step((site < 3).then_some((site, 1, None)));
            }
            for site in 0..3 {
                bench.step(Some((site, 0, Some(0))));
            }
            (0..LATENCY).for_each(|_| bench.step(None));
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
                let value = rng.random_bool(0.1).then(|| rng.random_range(0..2 * FLAG));
                let amount = rng.random_range(0..256);
                bench.step(rng.random_bool(0.8).then_some((site, amount, value)));
            }
            bench.read_out();
        }
    }

    #[test]
    fn a_sum_that_reaches_its_end_keeps_a_flag() {
        let mut bench = Bench::new();
        bench.step(Some((3, 0, Some(FLAG - 2))));
        (0..5).for_each(|_| bench.step(Some((3, 1, None))));
        assert_eq!(bench.sums[3], FLAG | 3);
        bench.step(Some((3, 0, Some(2 * FLAG - 1))));
        bench.step(Some((3, 1, None)));
        assert_eq!(bench.sums[3], FLAG);
        bench.read_out();
    }

    #[test]
    fn half_full_is_reported_once() {
        let mut bench = Bench::new();
        bench.step(Some((3, 0, Some(FLAG / 2 - 3))));
        let mut reported = 0;
        for _ in 0..12 {
            bench.step(Some((3, 1, None)));
            reported += usize::from(bench.uut.fills.val());
        }
        assert_eq!(reported, 1);
    }

    #[test]
    fn a_reset_keeps_the_sums() {
        let mut bench = Bench::new();
        bench.step(Some((5, 7, None)));
        (0..4).for_each(|_| bench.step(None));
        bench.uut.reset.next = true;
        bench.step(None);
        bench.uut.reset.next = false;
        bench.read_out();
    }
}
