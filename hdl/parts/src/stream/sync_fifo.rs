// SPDX-License-Identifier: MIT OR Apache-2.0
//! `SyncFifo`: words of `W` bits in block RAM, 2^A places, one clock.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high: discard all words |
//! | `write_data[W-1:0]`, `write_valid` | in | a word; the writer must stop in time, see below |
//! | `m_axis_tdata[W-1:0]`, `m_axis_tvalid` | out | the oldest word |
//! | `m_axis_tready` | in | it is taken in this cycle |
//! | `half_full`, `fills_up` | out | at least half of the places were taken a cycle ago; three quarters |
//!
//! There is no TREADY at the input: a quarter of the places less two remains for words in flight
//! when the writer sees `fills_up`. Latency 2 cycles. Throughput one word per cycle.

use coretrace_hdl_dataflow::Bus;
use rust_hdl::prelude::*;

#[derive(LogicBlock)]
pub struct SyncFifo<const W: usize, const A: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub write_data: Signal<In, Bus<W>>,
    pub write_valid: Signal<In, Bit>,
    pub m_axis_tdata: Signal<Out, Bus<W>>,
    pub m_axis_tvalid: Signal<Out, Bit>,
    pub m_axis_tready: Signal<In, Bit>,
    pub half_full: Signal<Out, Bit>,
    pub fills_up: Signal<Out, Bit>,
    words: RAM<Bus<W>, A>,
    write_pointer: DFF<Bits<A>>,
    read_pointer: DFF<Bits<A>>,
    /// The place after that of `read_pointer`.
    read_pointer_next: DFF<Bits<A>>,
    valid: DFF<Bit>,
    has_half: DFF<Bit>,
    filling: DFF<Bit>,
    takes: Signal<Local, Bit>,
    reads: Signal<Local, Bits<A>>,
    level: Signal<Local, Bits<A>>,
    half: Constant<Bits<A>>,
    three_quarters: Constant<Bits<A>>,
}

impl<const W: usize, const A: usize> Default for SyncFifo<W, A> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            write_data: Default::default(),
            write_valid: Default::default(),
            m_axis_tdata: Default::default(),
            m_axis_tvalid: Default::default(),
            m_axis_tready: Default::default(),
            half_full: Default::default(),
            fills_up: Default::default(),
            words: Default::default(),
            write_pointer: Default::default(),
            read_pointer: Default::default(),
            read_pointer_next: Default::default(),
            valid: Default::default(),
            has_half: Default::default(),
            filling: Default::default(),
            takes: Default::default(),
            reads: Default::default(),
            level: Default::default(),
            half: Constant::new((1u64 << (A - 1)).into()),
            three_quarters: Constant::new((3u64 << (A - 2)).into()),
        }
    }
}

impl<const W: usize, const A: usize> Logic for SyncFifo<W, A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            write_pointer,
            read_pointer,
            read_pointer_next,
            valid,
            has_half,
            filling
        );
        self.words.write_clock.next = self.clock.val();
        self.words.read_clock.next = self.clock.val();
        self.words.write_address.next = self.write_pointer.q.val();
        self.words.write_data.next = self.write_data.val();
        self.words.write_enable.next = self.write_valid.val();
        if self.write_valid.val() {
            self.write_pointer.d.next = self.write_pointer.q.val() + 1;
        }

        // The memory gets the address of the word to output after this cycle.
        self.takes.next = self.valid.q.val() & self.m_axis_tready.val();
        self.reads.next = self.read_pointer.q.val();
        self.valid.d.next = self.read_pointer.q.val() != self.write_pointer.q.val();
        if self.takes.val() {
            self.reads.next = self.read_pointer_next.q.val();
            self.valid.d.next = self.read_pointer_next.q.val() != self.write_pointer.q.val();
        }
        self.words.read_address.next = self.reads.val();
        self.read_pointer.d.next = self.reads.val();
        self.read_pointer_next.d.next = self.reads.val() + 1;
        self.level.next = self.write_pointer.q.val() - self.read_pointer.q.val();
        self.has_half.d.next = self.level.val() >= self.half.val();
        self.filling.d.next = self.level.val() >= self.three_quarters.val();
        self.m_axis_tdata.next = self.words.read_data.val();
        self.m_axis_tvalid.next = self.valid.q.val();
        self.half_full.next = self.has_half.q.val();
        self.fills_up.next = self.filling.q.val();

        if self.reset.val() {
            self.write_pointer.d.next = 0.into();
            self.read_pointer.d.next = 0.into();
            self.read_pointer_next.d.next = 1.into();
            self.valid.d.next = false;
            self.has_half.d.next = false;
            self.filling.d.next = false;
        }
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

    type Fifo = SyncFifo<70, 4>;

    fn word(number: u64) -> Bus<70> {
        let mut wide = coretrace_hdl_dataflow::Wide::default();
        wide.or_field(0, 64, number);
        wide.or_field(64, 6, number % 64);
        Bus::from_wide(&wide)
    }

    #[test]
    fn words_come_out_in_order_under_every_rate() {
        for seed in 0..30 {
            println!("seed {seed}");
            let mut rng = StdRng::seed_from_u64(seed);
            let (writes, reads) = (rng.random_range(0.1..1.0), rng.random_range(0.1..1.0));
            let mut uut = Fifo::default();
            uut.connect_all();
            uut.reset.next = true;
            cycle(&mut uut, |u, c| u.clock.next = c);
            uut.reset.next = false;
            let mut due = VecDeque::new();
            let (mut number, mut taken) = (0, 0);
            for _ in 0..400 {
                // The writer sees the level at most two cycles late.
                let write = !uut.fills_up.val() && rng.random_bool(writes);
                uut.write_valid.next = write;
                uut.write_data.next = word(number);
                let ready = rng.random_bool(reads);
                uut.m_axis_tready.next = ready;
                if ready && uut.m_axis_tvalid.val() {
                    assert_eq!(uut.m_axis_tdata.val(), due.pop_front().expect("a word"));
                    taken += 1;
                }
                cycle(&mut uut, |u, c| u.clock.next = c);
                if write {
                    due.push_back(word(number));
                    number += 1;
                }
                assert!(due.len() < 16, "the writer stops in time");
            }
            assert!(taken > 20);
        }
    }

    #[test]
    fn a_word_per_cycle_goes_through() {
        let mut uut = Fifo::default();
        uut.connect_all();
        uut.reset.next = true;
        cycle(&mut uut, |u, c| u.clock.next = c);
        uut.reset.next = false;
        uut.m_axis_tready.next = true;
        uut.write_valid.next = true;
        for number in 0..100 {
            uut.write_data.next = word(number);
            cycle(&mut uut, |u, c| u.clock.next = c);
            assert_eq!(uut.m_axis_tvalid.val(), number >= 1, "cycle {number}");
            if number >= 1 {
                assert_eq!(uut.m_axis_tdata.val(), word(number - 1));
            }
        }
    }
}
