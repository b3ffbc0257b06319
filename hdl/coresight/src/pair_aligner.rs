// SPDX-License-Identifier: MIT OR Apache-2.0
//! `PairAligner`: pairs of samples of a trace port of 4 bits in, its bytes out.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock` | in | clock of the trace port |
//! | `rise[3:0]`, `fall[3:0]` | in | samples of a rising edge of it and of the falling edge after that, in every cycle |
//! | `m_axis_tdata[7:0]` | out | the byte, in every cycle |
//! | `is_slip` | out | with a byte: the next one begins at the other edge |
//!
//! A byte may begin at either edge. A full sync, 0x7FFFFFFF, shows which, and comes out in whole
//! bytes itself. Before the first one a byte begins at the rising edge.
//!
//! Latency 6 cycles from the pair that ends a byte. Throughput one byte per cycle. There is no
//! reset: the next full sync puts everything right.
//! Source: Arm IHI 0029, full sync packets.

use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
pub struct PairAligner {
    pub clock: Signal<In, Clock>,
    pub rise: Signal<In, Bits<4>>,
    pub fall: Signal<In, Bits<4>>,
    pub m_axis_tdata: Signal<Out, Bits<8>>,
    pub is_slip: Signal<Out, Bit>,
    /// The last pairs, the newest one first, the sample of the rising edge lowest.
    pairs: [DFF<Bits<8>>; 6],
    is_odd: DFF<Bit>,
    slip: DFF<Bit>,
    octet: DFF<Bits<8>>,
    newest: Signal<Local, Bits<8>>,
    fifth: Signal<Local, Bits<8>>,
    sixth: Signal<Local, Bits<8>>,
    has_ones: Signal<Local, Bit>,
    even_sync: Signal<Local, Bit>,
    odd_sync: Signal<Local, Bit>,
}

impl Logic for PairAligner {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, is_odd, slip, octet);
        for i in 0..6 {
            self.pairs[i].clock.next = self.clock.val();
        }
        self.pairs[0].d.next =
            bit_cast::<8, 4>(self.rise.val()) | (bit_cast::<8, 4>(self.fall.val()) << 4);
        for i in 0..5 {
            self.pairs[i + 1].d.next = self.pairs[i].q.val();
        }
        self.newest.next = self.pairs[0].q.val();
        self.fifth.next = self.pairs[4].q.val();
        self.sixth.next = self.pairs[5].q.val();

        // A full sync is seven samples of 0xF and one of 0x7. It ends with the newest pair, or in
        // the midst of it.
        self.has_ones.next = (self.pairs[1].q.val() == 0xFF)
            & (self.pairs[2].q.val() == 0xFF)
            & (self.pairs[3].q.val() == 0xFF);
        self.even_sync.next = self.has_ones.val() & (self.newest.val() == 0x7F);
        self.odd_sync.next = self.has_ones.val()
            & ((self.newest.val() & 0x0F) == 0x07)
            & ((self.fifth.val() & 0xF0) == 0xF0);
        if self.even_sync.val() {
            self.is_odd.d.next = false;
        }
        if self.odd_sync.val() {
            self.is_odd.d.next = true;
        }
        self.slip.d.next = (self.even_sync.val() & self.is_odd.q.val())
            | (self.odd_sync.val() & !self.is_odd.q.val());

        // A cycle later the sync begins with the fifth pair, or in the midst of the sixth.
        self.octet.d.next = self.fifth.val();
        if self.is_odd.q.val() {
            self.octet.d.next = (self.sixth.val() >> 4) | (self.fifth.val() << 4);
        }
        self.m_axis_tdata.next = self.octet.q.val();
        self.is_slip.next = self.slip.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NarrowPort;
    use crate::stimulus::with_seeds;
    use coretrace_coresight::FSYNC;
    use coretrace_hdl_dataflow::sim::cycle;
    use rand::RngExt;

    /// The samples of words.
    fn samples(words: &[u32]) -> Vec<u8> {
        let parts = |word: &u32| {
            let word = *word;
            (0..8).map(move |part| (word >> (4 * part) & 0xF) as u8)
        };
        words.iter().flat_map(parts).collect()
    }

    /// The bytes for samples, each with its flag, from the first one that the samples fill.
    fn bytes(samples: &[u8]) -> Vec<(u8, bool)> {
        let mut uut = PairAligner::default();
        uut.connect_all();
        let step = |pair: &[u8]| {
            uut.rise.next = u64::from(pair[0]).into();
            uut.fall.next = u64::from(pair[1]).into();
            cycle(&mut uut, |uut, clock| uut.clock.next = clock);
            (uut.m_axis_tdata.val().to_u8(), uut.is_slip.val())
        };
        let all = [samples, &[0; 17]].concat();
        let found: Vec<_> = all.chunks_exact(2).map(step).collect();
        found[5..].to_vec()
    }

    #[test]
    fn words_come_out_in_whole_bytes_behind_a_sync_at_either_edge() {
        with_seeds(10, |rng| {
            let words = [FSYNC, rng.random(), rng.random(), FSYNC];
            let expected: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            for start in 0..4 {
                let samples = [vec![0; start], samples(&words)].concat();
                let found = bytes(&samples);
                let slips = found.iter().filter(|(_, slip)| *slip).count();
                assert_eq!(slips, start % 2, "{start} samples before the sync");
                let skipped = start.div_ceil(2);
                let found = found.iter().skip(skipped).take(16).map(|(byte, _)| *byte);
                assert!(
                    found.eq(expected.iter().copied()),
                    "{start} samples before the sync"
                );
            }
        });
    }

    #[test]
    fn a_narrow_port_that_a_slip_resets_finds_the_words_behind_each_sync() {
        with_seeds(20, |rng| {
            let mut words = vec![];
            let mut all = vec![];
            for _ in 0..4 {
                let stretch = [FSYNC, rng.random(), rng.random(), rng.random()];
                // Samples in between, so that the next sync is at any edge. Four of them, 16 bits,
                // are left to the frame generator.
                let lost = [0, 1, 2, 3, 5, 6, 7][rng.random_range(0..7)];
                all.extend(samples(&stretch));
                all.extend(vec![0; lost]);
                words.push(stretch);
            }
            let mut port = NarrowPort::<8>::default();
            port.connect_all();
            port.s_axis_tvalid.next = true;
            let mut found = vec![];
            for (byte, slip) in bytes(&all).into_iter().chain([(0, false); 8]) {
                port.s_axis_tdata.next = u64::from(byte).into();
                port.reset.next = slip;
                cycle(&mut port, |port, clock| port.clock.next = clock);
                if port.m_axis_tvalid.val() {
                    found.push(port.m_axis_tdata.val().to_u32());
                }
            }
            // The reset may take the last word of a stretch, which the port has not put out yet.
            for stretch in &words {
                let is_there = found.windows(3).any(|window| window == &stretch[..3]);
                assert!(is_there, "{stretch:08x?} in {found:08x?}");
            }
        });
    }
}
