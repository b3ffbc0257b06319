// SPDX-License-Identifier: MIT OR Apache-2.0
//! `SaturatingCounter`: a 32-bit sum that saturates.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `amount[W-1:0]` | in | added in every cycle |
//! | `clear` | in | the sum begins again; all that is not in `count` in this cycle is in the next sum |
//! | `count[31:0]` | out | the sum so far, 0xFFFFFFFF once it would be greater |
//!
//! `W` is 3 by default, and less than 31. Latency 2 cycles: the logic that computes the amount is not in the carry path.

use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
pub struct SaturatingCounter<const W: usize = 3> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub clear: Signal<In, Bit>,
    pub amount: Signal<In, Bits<W>>,
    pub count: Signal<Out, Bits<32>>,
    amount_s1: DFF<Bits<W>>,
    sum_s2: DFF<Bits<32>>,
    sum: Signal<Local, Bits<32>>,
}

impl<const W: usize> Logic for SaturatingCounter<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, amount_s1, sum_s2);
        self.count.next = self.sum_s2.q.val();
        self.amount_s1.d.next = self.amount.val();
        self.sum.next = self.sum_s2.q.val() + bit_cast::<32, W>(self.amount_s1.q.val());
        self.sum_s2.d.next = self.sum.val();
        // The top bit can fall only when the sum wraps: the amount is small.
        if self.sum_s2.q.val().get_bit(31) & !self.sum.val().get_bit(31) {
            self.sum_s2.d.next = 0xFFFF_FFFF_u64.into();
        }
        if self.clear.val() {
            self.sum_s2.d.next = bit_cast::<32, W>(self.amount_s1.q.val());
        }
        if self.reset.val() {
            self.amount_s1.d.next = 0.into();
            self.sum_s2.d.next = 0.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_hdl_dataflow::sim::cycle;

    fn clock(uut: &mut SaturatingCounter) {
        cycle(uut, |u, c| u.clock.next = c);
    }

    fn counter() -> SaturatingCounter {
        let mut uut = SaturatingCounter::<3>::default();
        uut.connect_all();
        uut
    }

    #[test]
    fn the_sum_is_there_two_cycles_later() {
        let mut uut = counter();
        for amount in [7_u8, 0, 1, 4, 0, 0] {
            uut.amount.next = amount.to_bits();
            clock(&mut uut);
        }
        assert_eq!(uut.count.val(), 12);
    }

    #[test]
    fn the_sum_stays_at_its_greatest_value() {
        for below in 0..=7_u32 {
            let mut uut = counter();
            uut.sum_s2.q.next = (u32::MAX - below).to_bits();
            uut.amount.next = 7.into();
            clock(&mut uut);
            uut.amount.next = 0.into();
            clock(&mut uut);
            assert_eq!(uut.count.val(), u32::MAX.to_bits(), "{below} below");
            uut.amount.next = 1.into();
            clock(&mut uut);
            clock(&mut uut);
            assert_eq!(uut.count.val(), u32::MAX.to_bits(), "{below} below");
        }
    }

    #[test]
    fn reset_clears_the_sum_and_what_is_on_its_way() {
        let mut uut = counter();
        uut.amount.next = 5.into();
        clock(&mut uut);
        clock(&mut uut);
        assert_eq!(uut.count.val(), 5);
        uut.reset.next = true;
        clock(&mut uut);
        uut.reset.next = false;
        uut.amount.next = 0.into();
        clock(&mut uut);
        assert_eq!(uut.count.val(), 0);
    }

    #[test]
    fn every_amount_is_in_one_of_two_counts_around_a_clear() {
        for clear in 0..8 {
            let mut uut = counter();
            let (mut before, mut amounts) = (0, 0);
            for cycle in 0..8_u8 {
                uut.clear.next = cycle == clear;
                if cycle == clear {
                    before = uut.count.val().to_u32();
                }
                let amount = cycle % 4 + 1;
                uut.amount.next = amount.to_bits();
                amounts += u32::from(amount);
                clock(&mut uut);
            }
            uut.clear.next = false;
            uut.amount.next = 0.into();
            clock(&mut uut);
            clock(&mut uut);
            let after = uut.count.val().to_u32();
            assert_eq!(before + after, amounts, "clear in cycle {clear}");
        }
    }

    #[test]
    fn it_exports() {
        let text =
            coretrace_hdl_verilog::verilog(SaturatingCounter::<3>::default(), "counter").unwrap();
        assert!(!text.contains('$'));
    }
}
