// SPDX-License-Identifier: MIT OR Apache-2.0
//! `GrayCounter`: a counter whose value another clock may read.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `enable` | in | count one up, modulo 2^W; `W` is 2 at least |
//! | `clear` | in | go to 0; nobody may look at `gray` while it is there |
//! | `count[W-1:0]` | out | the value, a register |
//! | `gray[W-1:0]` | out | the value in Gray code, a register: one bit changes at most, but for `clear` |
//! | `gray_next[W-1:0]` | out | one more than the value in Gray code, a register |
//!
//! Latency 1 cycle. Throughput one count in each cycle.

use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
pub struct GrayCounter<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub enable: Signal<In, Bit>,
    pub clear: Signal<In, Bit>,
    pub count: Signal<Out, Bits<W>>,
    pub gray: Signal<Out, Bits<W>>,
    pub gray_next: Signal<Out, Bits<W>>,
    binary: DFF<Bits<W>>,
    code: DFF<Bits<W>>,
    /// The code after `code`, its lowest bit inverted, so that it is right at power-on.
    ahead: DFF<Bits<W>>,
    sum: Signal<Local, Bits<W>>,
    sum_code: Signal<Local, Bits<W>>,
}

impl<const W: usize> Logic for GrayCounter<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, binary, code, ahead);
        self.sum.next = self.binary.q.val() + 2;
        self.sum_code.next = self.sum.val() ^ (self.sum.val() >> 1);
        if self.enable.val() {
            self.binary.d.next = self.binary.q.val() + 1;
            self.code.d.next = self.ahead.q.val() ^ 1;
            self.ahead.d.next = self.sum_code.val() ^ 1;
        }
        if self.clear.val() {
            self.binary.d.next = 0.into();
            self.code.d.next = 0.into();
            self.ahead.d.next = 0.into();
        }
        self.count.next = self.binary.q.val();
        self.gray.next = self.code.q.val();
        self.gray_next.next = self.ahead.q.val() ^ 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_hdl_dataflow::sim::cycle;

    #[test]
    fn it_counts_and_wraps_with_one_bit_of_gray_code_at_a_time() {
        let mut uut = GrayCounter::<4>::default();
        uut.connect_all();
        let mut before = 0_u64;
        for step in 0..40_u64 {
            assert_eq!(u64::from(uut.count.val()), step / 2 % 16);
            // Every second cycle counts.
            uut.enable.next = step % 2 == 1;
            cycle(&mut uut, |uut, clock| uut.clock.next = clock);
            let (gray, count): (u64, u64) = (uut.gray.val().into(), uut.count.val().into());
            assert_eq!(gray, count ^ count >> 1);
            assert_eq!((gray ^ before).count_ones(), (step % 2) as u32);
            let next = (count + 1) % 16;
            assert_eq!(u64::from(uut.gray_next.val()), next ^ next >> 1);
            before = gray;
        }
        uut.enable.next = true;
        uut.clear.next = true;
        cycle(&mut uut, |uut, clock| uut.clock.next = clock);
        assert_eq!((uut.count.val(), uut.gray.val()), (0.into(), 0.into()));
    }

    #[test]
    fn it_exports() {
        let text =
            coretrace_hdl_verilog::verilog(GrayCounter::<4>::default(), "gray_counter").unwrap();
        assert!(!text.contains('$'));
    }
}
