// SPDX-License-Identifier: MIT OR Apache-2.0
//! `Maximum`: the greatest value of a level.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `level[W-1:0]` | in | a number in every cycle |
//! | `clear` | in | only levels that are not in `most` in this cycle count from now on |
//! | `most[W-1:0]` | out | the greatest level so far |
//!
//! Latency 2 cycles.

use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
pub struct Maximum<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub clear: Signal<In, Bit>,
    pub level: Signal<In, Bits<W>>,
    pub most: Signal<Out, Bits<W>>,
    level_s1: DFF<Bits<W>>,
    most_s2: DFF<Bits<W>>,
}

impl<const W: usize> Logic for Maximum<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, level_s1, most_s2);
        self.most.next = self.most_s2.q.val();
        self.level_s1.d.next = self.level.val();
        if self.clear.val() | (self.level_s1.q.val() > self.most_s2.q.val()) {
            self.most_s2.d.next = self.level_s1.q.val();
        }
        if self.reset.val() {
            self.level_s1.d.next = 0.into();
            self.most_s2.d.next = 0.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_hdl_dataflow::sim::cycle;
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    fn clock(uut: &mut Maximum<4>) {
        cycle(uut, |u, c| u.clock.next = c);
    }

    #[test]
    fn every_level_counts_before_or_behind_a_clear() {
        let mut rng = StdRng::seed_from_u64(1);
        let mut uut = Maximum::<4>::default();
        uut.connect_all();
        let (mut most, mut seen, mut on_its_way) = (0, 0, 0);
        for step in 0..2000 {
            let level = rng.random_range(0..16_u64);
            let (clear, reset) = (rng.random_bool(0.1), rng.random_bool(0.02));
            uut.level.next = level.into();
            uut.clear.next = clear;
            uut.reset.next = reset;
            clock(&mut uut);
            most = if clear {
                on_its_way
            } else {
                on_its_way.max(most)
            };
            on_its_way = level;
            if reset {
                (most, on_its_way) = (0, 0);
            }
            assert_eq!(uut.most.val(), most, "step {step}");
            seen = seen.max(most);
        }
        assert_eq!(seen, 15);
    }

    #[test]
    fn it_exports() {
        let text = coretrace_hdl_verilog::verilog(Maximum::<4>::default(), "maximum").unwrap();
        assert!(!text.contains('$'));
    }
}
