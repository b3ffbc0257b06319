// SPDX-License-Identifier: MIT OR Apache-2.0
//! `AsyncFifo`: words of `W` bits from the clock of a trace port into the clock of a decoder.
//!
//! | port | dir | clock | meaning |
//! |---|---|---|---|
//! | `write_clock` | in | | clock of the trace port; it may stop and restart at any time |
//! | `write_data[W-1:0]` | in | `write_clock` | word |
//! | `write_valid` | in | `write_clock` | the word is valid; a trace port cannot be stalled, so there is no TREADY |
//! | `clock` | in | | clock of the decoder |
//! | `reset` | in | `clock` | discard all words and clear the count, on both sides |
//! | `enable` | in | `clock` | a word may be read in this cycle; it appears at the output in the next |
//! | `m_axis_tdata[W-1:0]` | out | `clock` | word |
//! | `m_axis_tvalid` | out | `clock` | the word is valid, for one cycle |
//! | `m_axis_tuser` | out | `clock` | discontinuity: words were lost just before this one |
//! | `sts_overflows[N-1:0]` | out | `clock` | words lost since the memory was full, saturating; `N` is 32 at most, 16 by default |
//!
//! The memory has 2^A places and holds one word fewer; the default is `A` = 4, 16 places. Latency 3
//! cycles of `clock` after the edge that wrote the word, 4 if the two edges are too close.
//! Throughput one word per cycle of the slower clock; `sts_overflows` is 3 to 5 cycles late.
//!
//! **Overflow.** With 16 places no overflow is possible if `clock` is at least as fast as
//! `write_clock` and `enable` stays 1. A word is seen and read at the third or fourth edge of
//! `clock` after its own: words arrive no faster than one per cycle, so none must wait for another.
//! The write side knows at most three edges of `write_clock` later that the place is free, because
//! the read pointer passes a synchroniser too. So at most eight words are stored at any time. If
//! `clock` is slower or `enable` is 0 for too long, a word that meets a full memory is dropped and
//! counted, and so are all words behind it until half of the places are free: what overruns a memory
//! for long comes out as long stretches, not as words with a hole behind each. The next word that is
//! stored carries the flag through the memory.
//!
//! **Crossing.** Only four things cross, all of them registers in front of a [`Synchroniser`]: both
//! pointers and the number of lost words in Gray code, and the clear request with its
//! acknowledgement. The memory is read two synchronised edges after it was written. Constraints
//! must keep the bits of one Gray code within one period of each other
//! (`set_max_delay -datapath_only`).
//!
//! **Reset.** `reset` is synchronous to `clock`, one cycle is enough, and no reset is needed at
//! power-on. A four-phase handshake clears the write side: the read side holds the request until it
//! sees the write side in reset, withdraws it, and starts to read when it sees that the reset has
//! ended. Until then the output is idle, and whatever the write side does when the read pointer
//! jumps is cleared. If `write_clock` stops, the handshake waits for it. Words written before the
//! end of the handshake are discarded without flag and count: a reset starts a new stream.

use super::{GrayCounter, Synchroniser};
use rust_hdl::prelude::*;

#[derive(LogicBlock)]
pub struct AsyncFifo<const W: usize, const A: usize = 4, const N: usize = 16> {
    pub write_clock: Signal<In, Clock>,
    pub write_data: Signal<In, Bits<W>>,
    pub write_valid: Signal<In, Bit>,
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub enable: Signal<In, Bit>,
    pub m_axis_tdata: Signal<Out, Bits<W>>,
    pub m_axis_tvalid: Signal<Out, Bit>,
    pub m_axis_tuser: Signal<Out, Bit>,
    pub sts_overflows: Signal<Out, Bits<N>>,
    // The words, and for each whether words were lost just before it.
    words: RAM<Bits<W>, A>,
    flags: RAM<Bit, A>,
    // Write side.
    write_pointer: GrayCounter<A>,
    drops: GrayCounter<N>,
    lost: DFF<Bit>,
    read_pointer_seen: Synchroniser<A>,
    write_reset: Synchroniser<1>,
    is_full: Signal<Local, Bit>,
    is_empty: Signal<Local, Bit>,
    is_half_empty: Signal<Local, Bit>,
    has_room: Signal<Local, Bit>,
    stores: Signal<Local, Bit>,
    discards: Signal<Local, Bit>,
    // The quarter of the memory that a side is in.
    write_high: Signal<Local, Bits<A>>,
    read_high: Signal<Local, Bits<A>>,
    write_quarter: Signal<Local, Bits<2>>,
    read_quarter_code: Signal<Local, Bits<2>>,
    read_quarter: Signal<Local, Bits<2>>,
    behind_read_quarter: Signal<Local, Bits<2>>,
    /// Bits of a place in a quarter.
    quarter_w: Constant<Bits<A>>,
    // Read side.
    read_pointer: GrayCounter<A>,
    write_pointer_seen: Synchroniser<A>,
    drops_seen: Synchroniser<N>,
    is_cleared: Synchroniser<1>,
    /// A clear must be requested as soon as the last one has ended.
    is_due: DFF<Bit>,
    asks: DFF<Bit>,
    valid: DFF<Bit>,
    overflows: DFF<Bits<N>>,
    is_quiet: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    by_two: Signal<Local, Bits<N>>,
    by_four: Signal<Local, Bits<N>>,
    by_eight: Signal<Local, Bits<N>>,
    by_sixteen: Signal<Local, Bits<N>>,
    by_all: Signal<Local, Bits<N>>,
}

impl<const W: usize, const A: usize, const N: usize> Default for AsyncFifo<W, A, N> {
    fn default() -> Self {
        Self {
            write_clock: Default::default(),
            write_data: Default::default(),
            write_valid: Default::default(),
            clock: Default::default(),
            reset: Default::default(),
            enable: Default::default(),
            m_axis_tdata: Default::default(),
            m_axis_tvalid: Default::default(),
            m_axis_tuser: Default::default(),
            sts_overflows: Default::default(),
            words: Default::default(),
            flags: Default::default(),
            write_pointer: Default::default(),
            drops: Default::default(),
            lost: Default::default(),
            read_pointer_seen: Default::default(),
            write_reset: Default::default(),
            is_full: Default::default(),
            is_empty: Default::default(),
            is_half_empty: Default::default(),
            has_room: Default::default(),
            stores: Default::default(),
            discards: Default::default(),
            write_high: Default::default(),
            read_high: Default::default(),
            write_quarter: Default::default(),
            read_quarter_code: Default::default(),
            read_quarter: Default::default(),
            behind_read_quarter: Default::default(),
            quarter_w: Constant::new((A as u64 - 2).into()),
            read_pointer: Default::default(),
            write_pointer_seen: Default::default(),
            drops_seen: Default::default(),
            is_cleared: Default::default(),
            is_due: Default::default(),
            asks: Default::default(),
            valid: Default::default(),
            overflows: Default::default(),
            is_quiet: Default::default(),
            takes: Default::default(),
            by_two: Default::default(),
            by_four: Default::default(),
            by_eight: Default::default(),
            by_sixteen: Default::default(),
            by_all: Default::default(),
        }
    }
}

impl<const W: usize, const A: usize, const N: usize> Logic for AsyncFifo<W, A, N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, write_clock, lost);
        dff_setup!(self, clock, is_due, asks, valid, overflows);
        self.write_pointer.clock.next = self.write_clock.val();
        self.drops.clock.next = self.write_clock.val();
        self.read_pointer_seen.clock.next = self.write_clock.val();
        self.write_reset.clock.next = self.write_clock.val();
        self.words.write_clock.next = self.write_clock.val();
        self.flags.write_clock.next = self.write_clock.val();
        clock!(
            self,
            clock,
            read_pointer,
            write_pointer_seen,
            drops_seen,
            is_cleared
        );
        self.words.read_clock.next = self.clock.val();
        self.flags.read_clock.next = self.clock.val();

        // Write side. One place stays free, so that full and empty differ.
        self.read_pointer_seen.d.next = self.read_pointer.gray.val();
        self.write_reset.d.next = self.asks.q.val().into();
        self.is_full.next = self.write_pointer.gray_next.val() == self.read_pointer_seen.q.val();
        self.is_empty.next = self.write_pointer.gray.val() == self.read_pointer_seen.q.val();
        // The reader is in the quarter before the writer's: half of the places are free at least.
        self.write_high.next = self.write_pointer.count.val() >> self.quarter_w.val();
        self.write_quarter.next = bit_cast::<2, A>(self.write_high.val());
        self.read_high.next = self.read_pointer_seen.q.val() >> self.quarter_w.val();
        self.read_quarter_code.next = bit_cast::<2, A>(self.read_high.val());
        self.read_quarter.next = self.read_quarter_code.val() ^ (self.read_quarter_code.val() >> 1);
        self.behind_read_quarter.next = self.read_quarter.val() + 1;
        self.is_half_empty.next = self.write_quarter.val() == self.behind_read_quarter.val();
        // Behind a loss comes a stretch that is worth having, not a word for each one that is read.
        self.has_room.next = !self.is_full.val()
            & (!self.lost.q.val() | self.is_half_empty.val() | self.is_empty.val());
        self.stores.next = self.write_valid.val() & self.has_room.val();
        self.discards.next = self.write_valid.val() & !self.has_room.val();
        self.write_pointer.enable.next = self.stores.val();
        self.write_pointer.clear.next = self.write_reset.q.val().any();
        self.drops.enable.next = self.discards.val() & !self.drops.count.val().all();
        self.drops.clear.next = self.write_reset.q.val().any();
        if self.discards.val() {
            self.lost.d.next = true;
        }
        if self.stores.val() | self.write_reset.q.val().any() {
            self.lost.d.next = false;
        }
        self.words.write_address.next = self.write_pointer.count.val();
        self.words.write_data.next = self.write_data.val();
        self.words.write_enable.next = self.stores.val();
        self.flags.write_address.next = self.write_pointer.count.val();
        self.flags.write_data.next = self.lost.q.val();
        self.flags.write_enable.next = self.stores.val();

        // The handshake of the reset: a clear is requested only when the write side is known to
        // have left the previous one, so none can be missed or late.
        self.is_cleared.d.next = self.write_reset.q.val();
        self.is_due.d.next =
            self.reset.val() | (self.is_due.q.val() & self.is_cleared.q.val().any());
        self.asks.d.next =
            (self.asks.q.val() | self.is_due.q.val()) & !self.is_cleared.q.val().any();
        self.is_quiet.next = self.reset.val()
            | self.is_due.q.val()
            | self.asks.q.val()
            | self.is_cleared.q.val().any();

        // Read side.
        self.write_pointer_seen.d.next = self.write_pointer.gray.val();
        self.takes.next = (self.write_pointer_seen.q.val() != self.read_pointer.gray.val())
            & self.enable.val()
            & !self.is_quiet.val();
        self.read_pointer.enable.next = self.takes.val();
        self.read_pointer.clear.next = self.is_quiet.val();
        self.valid.d.next = self.takes.val();
        self.words.read_address.next = self.read_pointer.count.val();
        self.flags.read_address.next = self.read_pointer.count.val();
        self.m_axis_tdata.next = self.words.read_data.val();
        self.m_axis_tuser.next = self.flags.read_data.val();
        self.m_axis_tvalid.next = self.valid.q.val();

        // A bit of a number is the parity of its Gray code's bits from that position up.
        self.drops_seen.d.next = self.drops.gray.val();
        self.by_two.next = self.drops_seen.q.val() ^ (self.drops_seen.q.val() >> 1);
        self.by_four.next = self.by_two.val() ^ (self.by_two.val() >> 2);
        self.by_eight.next = self.by_four.val() ^ (self.by_four.val() >> 4);
        self.by_sixteen.next = self.by_eight.val() ^ (self.by_eight.val() >> 8);
        self.by_all.next = self.by_sixteen.val() ^ (self.by_sixteen.val() >> 16);
        self.overflows.d.next = self.by_all.val();
        if self.is_quiet.val() {
            self.overflows.d.next = 0.into();
        }
        self.sts_overflows.next = self.overflows.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::super::two_clocks::{Edges, Schedule};
    use super::*;
    use coretrace_hdl_dataflow::sim::{cycle, settle};
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};
    use std::iter::repeat_n;

    type Fifo<const A: usize> = AsyncFifo<32, A>;

    /// One with a count of another width.
    type Counting<const N: usize> = AsyncFifo<1, 2, N>;

    /// A FIFO whose words are numbered as they come in.
    struct Bench<const A: usize> {
        uut: Fifo<A>,
        /// Words written.
        written: u32,
        /// The number of each word read, and its discontinuity flag.
        read: Vec<(u32, bool)>,
    }

    impl<const A: usize> Bench<A> {
        fn new() -> Self {
            let mut uut = Fifo::default();
            uut.connect_all();
            uut.enable.next = true;
            Bench {
                uut,
                written: 0,
                read: vec![],
            }
        }

        /// Any step: rising edges, with or without a word, with or without reset.
        fn step(&mut self, edges: Edges, write: bool, reset: bool) {
            if edges.write {
                // Without a valid word the last one stays, which must not be taken twice.
                self.uut.write_valid.next = write;
                if write {
                    self.uut.write_data.next = self.written.to_bits();
                    self.written += 1;
                }
            }
            if edges.read {
                self.uut.reset.next = reset;
            }
            settle(&mut self.uut);
            for level in [true, false] {
                if edges.write {
                    self.uut.write_clock.next = level.into();
                }
                if edges.read {
                    self.uut.clock.next = level.into();
                }
                settle(&mut self.uut);
            }
            if edges.read && self.uut.m_axis_tvalid.val() {
                let number = self.uut.m_axis_tdata.val().to_u32();
                self.read.push((number, self.uut.m_axis_tuser.val()));
            }
        }

        /// Steps without words, until the FIFO is empty.
        fn drain(&mut self) {
            for edges in Schedule::new(10, 10).take(80) {
                self.step(edges, false, false);
            }
        }

        fn overflows(&self) -> u32 {
            self.uut.sts_overflows.val().to_u32()
        }

        /// Demands that the words from `first` on were read in order, that the flag is set exactly
        /// after each gap, and that the count is the number of words in the gaps.
        fn check(&self, first: u32) {
            let mut expected = first;
            let mut lost = 0;
            for &(number, flag) in &self.read {
                assert!(number >= expected, "{number} after {expected}");
                assert_eq!(flag, number > expected, "before word {number}");
                lost += number - expected;
                expected = number + 1;
            }
            lost += self.written - expected;
            assert_eq!(self.overflows(), lost, "{} words came in", self.written);
        }
    }

    fn with_seeds(count: u64, test: impl Fn(&mut StdRng)) {
        for seed in 0..count {
            println!("seed {seed}");
            test(&mut StdRng::seed_from_u64(seed));
        }
    }

    #[test]
    fn words_in_are_words_out_and_counted_drops_at_any_two_clocks() {
        let drops = std::cell::Cell::new(0);
        with_seeds(40, |rng| {
            let mut bench = Bench::<4>::new();
            let schedule = Schedule::random(rng).with_stalls(rng);
            let duty = [0.1, 0.5, 0.9, 1.0][rng.random_range(0..4)];
            let mut burst = true;
            for edges in schedule.take(1500) {
                if rng.random_ratio(1, 100) {
                    burst = !burst;
                }
                let write = burst && rng.random_bool(duty);
                bench.step(edges, write, false);
            }
            bench.drain();
            bench.check(0);
            assert!(bench.written > 0);
            drops.set(drops.get() + bench.overflows());
        });
        assert!(drops.get() > 100, "only {} words were lost", drops.get());
    }

    #[test]
    fn half_the_places_are_enough_if_the_read_clock_is_at_least_as_fast() {
        with_seeds(20, |rng| {
            let write = rng.random_range(100..400);
            // Often the same period, in any phase.
            let read = rng.random_range(90..400).min(write);
            let mut bench = Bench::<3>::new();
            for edges in Schedule::new(write, read).in_any_phase(rng).take(500) {
                bench.step(edges, true, false);
            }
            bench.drain();
            bench.check(0);
            assert_eq!(bench.overflows(), 0, "periods {write} and {read}");
        });
    }

    #[test]
    fn sixteen_places_hold_fifteen_words_and_the_next_one_is_lost() {
        let write = Edges {
            write: true,
            read: false,
        };
        for words in [15, 16, 20] {
            let mut bench = Bench::<4>::new();
            for edges in repeat_n(write, words) {
                bench.step(edges, true, false);
            }
            bench.drain();
            assert_eq!(bench.read.len(), 15);
            assert_eq!(bench.overflows(), words as u32 - 15);
            // The next word has the flag, the one after it does not.
            bench.step(write, true, false);
            bench.step(write, true, false);
            bench.drain();
            let flags: Vec<bool> = bench.read[15..].iter().map(|(_, flag)| *flag).collect();
            assert_eq!(flags, [words > 15, false]);
            bench.check(0);
        }
    }

    #[test]
    fn behind_a_loss_words_are_dropped_until_the_memory_is_half_empty() {
        let [write, read] = [true, false].map(|write| Edges {
            write,
            read: !write,
        });
        for pause in [0, 40] {
            let mut bench = Bench::<4>::new();
            repeat_n(write, 16).for_each(|edges| bench.step(edges, true, false));
            // A word comes for each that is read, or the port rests meanwhile.
            while bench.read.len() < 13 {
                bench.step(read, false, false);
                bench.step(write, pause == 0, false);
            }
            repeat_n(read, pause).for_each(|edges| bench.step(edges, false, false));
            repeat_n(write, 20).for_each(|edges| bench.step(edges, true, false));
            bench.drain();
            let flagged = |(at, &(_, flag)): (usize, &(u32, bool))| flag.then_some(at);
            let gaps: Vec<usize> = bench.read.iter().enumerate().filter_map(flagged).collect();
            assert_eq!(gaps, [15], "a pause of {pause}");
            assert!(bench.read.len() >= 15 + 8, "a pause of {pause}");
            bench.check(0);
        }
    }

    #[test]
    fn a_word_comes_out_at_the_third_edge_after_its_own_and_one_in_each_cycle() {
        let mut bench = Bench::<4>::new();
        let both = Edges {
            write: true,
            read: true,
        };
        for step in 0..50 {
            bench.step(both, true, false);
            assert_eq!(bench.read.len(), (step + 1_usize).saturating_sub(3));
        }
        bench.drain();
        bench.check(0);
    }

    #[test]
    fn the_count_stops_at_its_greatest_value() {
        let mut bench = Bench::<2>::new();
        let write = Edges {
            write: true,
            read: false,
        };
        bench.step(write, true, false);
        for _ in 0..0x1_0003 {
            bench.step(write, true, false);
        }
        bench.drain();
        assert_eq!(bench.overflows(), 0xFFFF);
    }

    #[test]
    fn a_count_of_32_bits_goes_on_behind_16_bits() {
        let mut uut = Counting::<32>::default();
        uut.connect_all();
        uut.write_valid.next = true;
        for _ in 0..0x1_0005 {
            cycle(&mut uut, |uut, clock| uut.write_clock.next = clock);
        }
        for _ in 0..4 {
            cycle(&mut uut, |uut, clock| uut.clock.next = clock);
        }
        // The memory holds three words.
        assert_eq!(uut.sts_overflows.val().to_u32(), 0x1_0002);
    }

    #[test]
    fn a_reset_at_any_time_begins_a_new_stream() {
        with_seeds(60, |rng| {
            let mut bench = Bench::<4>::new();
            let mut schedule = Schedule::random(rng).with_stalls(rng);
            // Several resets, the next one often before the previous one has ended.
            for _ in 0..rng.random_range(1..6) {
                for edges in schedule.by_ref().take(rng.random_range(0..60)) {
                    bench.step(edges, rng.random_bool(0.8), false);
                }
                let mut cycles = rng.random_range(1..4);
                while cycles > 0 {
                    let edges = schedule.next().unwrap();
                    bench.step(edges, rng.random_bool(0.8), true);
                    cycles -= u32::from(edges.read);
                }
                bench.read.clear();
            }
            // After the reset the output is idle for a while, then come new words.
            let resets_end = bench.written;
            for edges in Schedule::random(rng).take(1200) {
                bench.step(edges, rng.random_bool(0.8), false);
            }
            bench.drain();
            let first = bench.read[0].0;
            println!("word {first} is the first after the reset at {resets_end}");
            assert!(first < resets_end + 60);
            bench.check(first);
        });
    }

    #[test]
    fn a_second_reset_at_any_distance_is_as_good_as_the_first() {
        with_seeds(3, |rng| {
            for (write, distance) in [7, 10, 17, 25, 39, 70]
                .into_iter()
                .flat_map(|write| (0..40).map(move |distance| (write, distance)))
            {
                let mut bench = Bench::<4>::new();
                let mut schedule = Schedule::new(write, 10).in_any_phase(rng);
                for edges in schedule.by_ref().take(20) {
                    bench.step(edges, true, false);
                }
                // The read cycles from the first reset to the second.
                let mut cycle = 0;
                while cycle <= distance {
                    let edges = schedule.next().unwrap();
                    bench.step(edges, true, cycle == 0 || cycle == distance);
                    cycle += u32::from(edges.read);
                }
                bench.read.clear();
                let reset_end = bench.written;
                for edges in schedule.take(200) {
                    bench.step(edges, true, false);
                }
                bench.drain();
                let first = bench.read[0].0;
                println!("write period {write}, distance {distance}, first word {first}");
                assert!(first < reset_end + 30);
                bench.check(first);
            }
        });
    }

    #[test]
    fn a_reset_waits_for_a_stopped_write_clock() {
        let mut bench = Bench::<4>::new();
        let [write, read] = [true, false].map(|write| Edges {
            write,
            read: !write,
        });
        for edges in repeat_n(write, 20) {
            bench.step(edges, true, false);
        }
        bench.step(read, false, true);
        for edges in repeat_n(read, 50) {
            bench.step(edges, false, false);
        }
        assert!(bench.read.is_empty(), "old words came out");
        assert_eq!(bench.overflows(), 0);
        // The write clock restarts: a few words are discarded, and all later ones are read.
        for edges in Schedule::new(10, 10).take(100) {
            bench.step(edges, true, false);
        }
        bench.drain();
        let first = bench.read[0].0;
        assert!((20..32).contains(&first), "word {first} is the first");
        bench.check(first);
    }

    #[test]
    fn it_exports() {
        let text = coretrace_hdl_verilog::verilog(Fifo::<4>::default(), "async_fifo").unwrap();
        assert!(!text.contains('$'));
        assert!(text.contains("ASYNC_REG"));
    }
}
