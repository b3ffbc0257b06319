// SPDX-License-Identifier: MIT OR Apache-2.0
//! `UartRx`: characters of 8 data bits, no parity and one stop bit from a serial line.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock` | in | the clock |
//! | `rx` | in | the line, asynchronous; high while idle |
//! | `m_axis_tdata[7:0]`, `m_axis_tvalid` | out | a character, valid for one cycle; there is no TREADY |
//!
//! Each bit is sampled in its middle. A character begins where the line falls; one whose stop bit
//! is low is dropped.

use super::Synchroniser;
use rust_hdl::prelude::*;

#[derive(LogicBlock)]
pub struct UartRx {
    pub clock: Signal<In, Clock>,
    pub rx: Signal<In, Bit>,
    pub m_axis_tdata: Signal<Out, Bits<8>>,
    pub m_axis_tvalid: Signal<Out, Bit>,
    /// Clock cycles of a bit, and of one and a half; both less one.
    bit_cycles: Constant<Bits<16>>,
    first_cycles: Constant<Bits<16>>,
    /// Inverted: flip-flops start at 0, the line is high.
    is_low: Synchroniser<1>,
    character: DFF<Bits<8>>,
    /// Data bits and stop bit still to receive.
    bits_left: DFF<Bits<4>>,
    cycles_left: DFF<Bits<16>>,
    valid: DFF<Bit>,
    was_low: DFF<Bit>,
    low: Signal<Local, Bit>,
}

impl UartRx {
    /// A receiver with this many clock cycles per bit.
    ///
    /// # Panics
    /// If a bit has fewer than two cycles, or a bit and a half more than 2^16.
    pub fn new(cycles_per_bit: u16) -> UartRx {
        assert!(
            (2..0xAAAA).contains(&cycles_per_bit),
            "{cycles_per_bit} cycles per bit"
        );
        let number = |number: u16| Constant::new(u64::from(number).into());
        UartRx {
            clock: Default::default(),
            rx: Default::default(),
            m_axis_tdata: Default::default(),
            m_axis_tvalid: Default::default(),
            bit_cycles: number(cycles_per_bit - 1),
            first_cycles: number(cycles_per_bit + cycles_per_bit / 2 - 1),
            is_low: Default::default(),
            character: Default::default(),
            bits_left: Default::default(),
            cycles_left: Default::default(),
            valid: Default::default(),
            was_low: Default::default(),
            low: Default::default(),
        }
    }
}

impl Default for UartRx {
    /// Four cycles per bit, for simulation.
    fn default() -> UartRx {
        UartRx::new(4)
    }
}

impl Logic for UartRx {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            character,
            bits_left,
            cycles_left,
            valid,
            was_low
        );
        self.is_low.clock.next = self.clock.val();
        self.is_low.d.next = 1.into();
        if self.rx.val() {
            self.is_low.d.next = 0.into();
        }
        self.low.next = self.is_low.q.val().any();
        self.was_low.d.next = self.low.val();
        self.valid.d.next = false;
        if self.bits_left.q.val().any() {
            self.cycles_left.d.next = self.cycles_left.q.val() - 1;
            if !self.cycles_left.q.val().any() {
                self.cycles_left.d.next = self.bit_cycles.val();
                self.bits_left.d.next = self.bits_left.q.val() - 1;
                if self.bits_left.q.val() == 1 {
                    self.valid.d.next = !self.low.val();
                } else {
                    self.character.d.next =
                        (self.character.q.val() >> 1).replace_bit(7, !self.low.val());
                }
            }
        } else {
            if self.low.val() & !self.was_low.q.val() {
                self.bits_left.d.next = 9.into();
                self.cycles_left.d.next = self.first_cycles.val();
            }
        }
        self.m_axis_tdata.next = self.character.q.val();
        self.m_axis_tvalid.next = self.valid.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_hdl_dataflow::sim::cycle;

    /// The line for a character, with this stop bit, `pause` idle cycles before it.
    fn character(byte: u8, stop: bool, cycles_per_bit: usize, pause: usize) -> Vec<bool> {
        let bits = u32::from(byte) << 1 | u32::from(stop) << 9;
        let bits = (0..10).flat_map(|bit| vec![bits >> bit & 1 == 1; cycles_per_bit]);
        vec![true; pause].into_iter().chain(bits).collect()
    }

    #[test]
    fn characters_come_out_but_for_those_without_a_stop_bit() {
        for cycles_per_bit in [2, 5] {
            let mut uut = UartRx::new(cycles_per_bit as u16);
            uut.connect_all();
            let mut line = vec![true; 3];
            let mut expected = vec![];
            for (number, byte) in [0x31_u8, 0x00, 0xFF, 0x5A, 0xA5].into_iter().enumerate() {
                line.extend(character(byte, true, cycles_per_bit, number % 3));
                line.extend(character(!byte, false, cycles_per_bit, 0));
                // The line stays low for a while, and is high for one bit at least.
                line.extend(vec![false; number * cycles_per_bit]);
                line.extend(vec![true; cycles_per_bit]);
                expected.push(byte);
            }
            line.extend([true; 10]);
            let mut found = vec![];
            for level in line {
                uut.rx.next = level;
                cycle(&mut uut, |uut, clock| uut.clock.next = clock);
                if uut.m_axis_tvalid.val() {
                    found.push(uut.m_axis_tdata.val().to_u8());
                }
            }
            assert_eq!(found, expected, "{cycles_per_bit} cycles per bit");
        }
    }
}
