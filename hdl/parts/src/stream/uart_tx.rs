// SPDX-License-Identifier: MIT OR Apache-2.0
//! `UartTx`: words of 32 bits to a serial line, as four characters of 8 data bits, no parity and
//! one stop bit, the lowest byte first.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high; it aborts a word |
//! | `s_axis_tdata[31:0]`, `s_axis_tvalid`, `s_axis_tready` | in | words |
//! | `tx` | out | the line, high while idle |
//!
//! Latency 1 cycle to the first start bit. Throughput one word per 40 bit times and one cycle.

use rust_hdl::prelude::*;

#[derive(LogicBlock)]
pub struct UartTx {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub s_axis_tdata: Signal<In, Bits<32>>,
    pub s_axis_tvalid: Signal<In, Bit>,
    pub s_axis_tready: Signal<Out, Bit>,
    pub tx: Signal<Out, Bit>,
    /// Clock cycles of a bit, less one.
    bit_cycles: Constant<Bits<16>>,
    stop_bits: Constant<Bits<40>>,
    /// Bits of the word still to send, the next one lowest.
    line: DFF<Bits<40>>,
    bits_left: DFF<Bits<6>>,
    cycles_left: DFF<Bits<16>>,
    /// The line is low: flip-flops start at 0, the line at 1.
    is_low: DFF<Bit>,
    is_idle: Signal<Local, Bit>,
    is_bit_over: Signal<Local, Bit>,
}

impl UartTx {
    /// A transmitter with this many clock cycles per bit.
    ///
    /// # Panics
    /// If a bit has no cycle.
    pub fn new(cycles_per_bit: u16) -> UartTx {
        assert!(cycles_per_bit > 0, "a bit of no length");
        // Bit 9 of each character of 10 bits.
        let stop_bits = (0..4)
            .map(|character| 1_u64 << (10 * character + 9))
            .sum::<u64>();
        UartTx {
            clock: Default::default(),
            reset: Default::default(),
            s_axis_tdata: Default::default(),
            s_axis_tvalid: Default::default(),
            s_axis_tready: Default::default(),
            tx: Default::default(),
            bit_cycles: Constant::new(u64::from(cycles_per_bit - 1).into()),
            stop_bits: Constant::new(stop_bits.into()),
            line: Default::default(),
            bits_left: Default::default(),
            cycles_left: Default::default(),
            is_low: Default::default(),
            is_idle: Default::default(),
            is_bit_over: Default::default(),
        }
    }
}

impl Default for UartTx {
    /// Four cycles per bit, for simulation.
    fn default() -> UartTx {
        UartTx::new(4)
    }
}

impl Logic for UartTx {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, line, bits_left, cycles_left, is_low);
        self.is_idle.next = !self.bits_left.q.val().any();
        self.is_bit_over.next = !self.cycles_left.q.val().any();
        self.s_axis_tready.next = self.is_idle.val();
        self.is_low.d.next = !self.is_idle.val() & !self.line.q.val().get_bit(0);
        if self.is_idle.val() {
            if self.s_axis_tvalid.val() {
                self.line.d.next = self.stop_bits.val()
                    | (bit_cast::<40, 8>(self.s_axis_tdata.val().get_bits::<8>(0)) << 1)
                    | (bit_cast::<40, 8>(self.s_axis_tdata.val().get_bits::<8>(8)) << 11)
                    | (bit_cast::<40, 8>(self.s_axis_tdata.val().get_bits::<8>(16)) << 21)
                    | (bit_cast::<40, 8>(self.s_axis_tdata.val().get_bits::<8>(24)) << 31);
                self.bits_left.d.next = 40.into();
                self.cycles_left.d.next = self.bit_cycles.val();
            }
        } else {
            self.cycles_left.d.next = self.cycles_left.q.val() - 1;
            if self.is_bit_over.val() {
                self.line.d.next = self.line.q.val() >> 1;
                self.bits_left.d.next = self.bits_left.q.val() - 1;
                self.cycles_left.d.next = self.bit_cycles.val();
            }
        }
        self.tx.next = !self.is_low.q.val();
        if self.reset.val() {
            self.bits_left.d.next = 0.into();
            self.is_low.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_hdl_dataflow::sim::cycle;

    /// The line in each cycle, after that in which the first word was taken.
    fn line(uut: &mut UartTx, words: &[u32], cycles: usize) -> Vec<bool> {
        let mut words = words.iter();
        let mut next = words.next();
        let step = |_| {
            uut.s_axis_tvalid.next = next.is_some();
            uut.s_axis_tdata.next = next.copied().unwrap_or(0).to_bits();
            if uut.s_axis_tready.val() {
                next = words.next();
            }
            cycle(uut, |uut, clock| uut.clock.next = clock);
            uut.tx.val()
        };
        (0..cycles).map(step).collect()
    }

    #[test]
    fn a_word_is_four_characters_of_ten_bits_in_time() {
        for cycles_per_bit in [1, 3] {
            let mut uut = UartTx::new(cycles_per_bit as u16);
            uut.connect_all();
            coretrace_hdl_dataflow::sim::settle(&mut uut);
            assert!(uut.tx.val(), "the line is high from the start");
            let words = [0x8765_4321_u32, 0x00FF_00FF];
            let word_cycles = 40 * cycles_per_bit + 1;
            let line = line(&mut uut, &words, 3 * word_cycles);
            for (number, word) in words.iter().enumerate() {
                // The first cycle takes the word.
                let start = number * word_cycles + 1;
                assert!(line[start - 1], "the line is high between words");
                for (index, byte) in word.to_le_bytes().into_iter().enumerate() {
                    let expected = u32::from(byte) << 1 | 1 << 9;
                    for bit in 0..10 {
                        for part in 0..cycles_per_bit {
                            let at = start + (10 * index + bit) * cycles_per_bit + part;
                            assert_eq!(line[at], expected >> bit & 1 == 1, "{byte:#x}, {bit}");
                        }
                    }
                }
            }
            assert!(line[2 * word_cycles..].iter().all(|&high| high));
        }
    }
}
