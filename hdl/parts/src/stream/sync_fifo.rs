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

use super::fifo_places::FifoPlaces;
use coretrace_hdl_dataflow::Bus;
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
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
    places: FifoPlaces<A>,
    words: RAM<Bus<W>, A>,
}

impl<const W: usize, const A: usize> Logic for SyncFifo<W, A> {
    #[hdl_gen]
    fn update(&mut self) {
        self.places.clock.next = self.clock.val();
        self.places.reset.next = self.reset.val();
        self.places.write_valid.next = self.write_valid.val();
        self.places.m_axis_tready.next = self.m_axis_tready.val();
        self.words.write_clock.next = self.clock.val();
        self.words.read_clock.next = self.clock.val();
        self.words.write_address.next = self.places.write_place.val();
        self.words.write_data.next = self.write_data.val();
        self.words.write_enable.next = self.write_valid.val();
        self.words.read_address.next = self.places.read_place.val();
        self.m_axis_tdata.next = self.words.read_data.val();
        self.m_axis_tvalid.next = self.places.m_axis_tvalid.val();
        self.half_full.next = self.places.half_full.val();
        self.fills_up.next = self.places.fills_up.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::LutFifo;
    use coretrace_hdl_dataflow::Carrier;
    use coretrace_hdl_dataflow::sim::cycle;
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};
    use std::collections::VecDeque;

    fn word(number: u64) -> Bus<70> {
        let mut wide = coretrace_hdl_dataflow::Wide::default();
        wide.or_field(0, 64, number);
        wide.or_field(64, 6, number % 64);
        Bus::from_wide(&wide)
    }

    macro_rules! test_fifo {
        ($module:ident, $fifo:ident) => {
            mod $module {
                use super::*;

                type Fifo = $fifo<70, 4>;

                #[test]
                fn words_come_out_in_order_under_every_rate() {
                    for seed in 0..30 {
                        println!("seed {seed}");
                        let mut rng = StdRng::seed_from_u64(seed);
                        let (writes, reads) =
                            (rng.random_range(0.1..1.0), rng.random_range(0.1..1.0));
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
                                assert_eq!(
                                    uut.m_axis_tdata.val(),
                                    due.pop_front().expect("a word")
                                );
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
        };
    }

    test_fifo!(in_block_ram, SyncFifo);
    test_fifo!(in_luts, LutFifo);
}
