// SPDX-License-Identifier: MIT OR Apache-2.0
//! `RowSerialiser`: the rows of one source in, its bytes out, one in 16 cycles.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high |
//! | `s_axis_tdata[31:0]`, `s_axis_tkeep[3:0]`, `s_axis_tvalid` | in | a row; up to four in cycles one after the other, the first of them while `is_busy` is 0 |
//! | `s_axis_discontinuity` | in | bytes were lost before the row |
//! | `m_axis_tdata[7:0]`, `m_axis_tvalid` | out | a byte, for one cycle |
//! | `m_axis_tkeep` | out | it counts; without it the word only reports the loss |
//! | `m_axis_tuser` | out | bytes were lost before the bytes that follow |
//! | `is_busy` | out | there are bytes still to be put out |
//!
//! A loss comes out in a word of its own. Latency up to 33 cycles. Throughput one byte in 16 cycles,
//! and one cycle of 16 for a row without any.

use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
pub struct RowSerialiser {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub s_axis_tdata: Signal<In, Bits<32>>,
    pub s_axis_tkeep: Signal<In, Bits<4>>,
    pub s_axis_tvalid: Signal<In, Bit>,
    pub s_axis_discontinuity: Signal<In, Bit>,
    pub m_axis_tdata: Signal<Out, Bits<8>>,
    pub m_axis_tkeep: Signal<Out, Bit>,
    pub m_axis_tvalid: Signal<Out, Bit>,
    pub m_axis_tuser: Signal<Out, Bit>,
    pub is_busy: Signal<Out, Bit>,
    // The rows of a frame; the pointers have one bit more than there are places.
    rows: RAM<Bits<37>, 2>,
    written: DFF<Bits<3>>,
    read: DFF<Bits<3>>,
    is_readable: DFF<Bit>,
    // The row whose bytes are being put out.
    data: DFF<Bits<32>>,
    keep: DFF<Bits<4>>,
    lost: DFF<Bit>,
    phase: DFF<Bits<4>>,
    has_row: Signal<Local, Bit>,
    has_rows: Signal<Local, Bit>,
    row: Signal<Local, Bits<37>>,
}

impl Logic for RowSerialiser {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            written,
            read,
            is_readable,
            data,
            keep,
            lost,
            phase
        );
        self.rows.write_clock.next = self.clock.val();
        self.rows.read_clock.next = self.clock.val();
        self.phase.d.next = self.phase.q.val() + 1;

        self.rows.write_address.next = self.written.q.val().get_bits::<2>(0);
        self.rows.write_data.next = bit_cast::<37, 32>(self.s_axis_tdata.val())
            | (bit_cast::<37, 4>(self.s_axis_tkeep.val()) << 32);
        if self.s_axis_discontinuity.val() {
            self.rows.write_data.next = bit_cast::<37, 32>(self.s_axis_tdata.val())
                | (bit_cast::<37, 4>(self.s_axis_tkeep.val()) << 32)
                | (bits::<37>(1) << 36);
        }
        self.rows.write_enable.next = self.s_axis_tvalid.val();
        if self.s_axis_tvalid.val() {
            self.written.d.next = self.written.q.val() + 1;
        }

        // A loss, or the first byte that is left, or another row in the midst between two bytes.
        // The memory shows what was written one cycle after the pointers do.
        self.has_rows.next = self.written.q.val() != self.read.q.val();
        self.has_row.next = self.lost.q.val() | self.keep.q.val().any();
        self.is_readable.d.next = self.has_rows.val();
        self.rows.read_address.next = self.read.q.val().get_bits::<2>(0);
        self.row.next = self.rows.read_data.val();
        if (self.phase.q.val() == 8) & self.is_readable.q.val() & !self.has_row.val() {
            self.data.d.next = self.row.val().get_bits::<32>(0);
            self.keep.d.next = self.row.val().get_bits::<4>(32);
            self.lost.d.next = self.row.val().get_bit(36);
            self.read.d.next = self.read.q.val() + 1;
        }
        self.m_axis_tvalid.next = (self.phase.q.val() == 0) & self.has_row.val();
        self.m_axis_tuser.next = self.lost.q.val();
        self.m_axis_tkeep.next = !self.lost.q.val();
        self.m_axis_tdata.next = self.data.q.val().get_bits::<8>(24);
        if self.keep.q.val().get_bit(2) {
            self.m_axis_tdata.next = self.data.q.val().get_bits::<8>(16);
        }
        if self.keep.q.val().get_bit(1) {
            self.m_axis_tdata.next = self.data.q.val().get_bits::<8>(8);
        }
        if self.keep.q.val().get_bit(0) {
            self.m_axis_tdata.next = self.data.q.val().get_bits::<8>(0);
        }
        if self.phase.q.val() == 0 {
            self.lost.d.next = false;
            if !self.lost.q.val() {
                // All but the lowest bit that is set.
                self.keep.d.next = 0.into();
                if self.keep.q.val().get_bit(2) {
                    self.keep.d.next = self.keep.q.val() & 0x8;
                }
                if self.keep.q.val().get_bit(1) {
                    self.keep.d.next = self.keep.q.val() & 0xC;
                }
                if self.keep.q.val().get_bit(0) {
                    self.keep.d.next = self.keep.q.val() & 0xE;
                }
            }
        }
        self.is_busy.next = self.has_rows.val() | self.has_row.val();

        if self.reset.val() {
            self.written.d.next = 0.into();
            self.read.d.next = 0.into();
            self.is_readable.d.next = false;
            self.keep.d.next = 0.into();
            self.lost.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stimulus::with_seeds;
    use coretrace_hdl_dataflow::sim::cycle;
    use rand::RngExt;

    #[test]
    fn bytes_come_out_in_order_and_losses_before_them_one_in_sixteen_cycles() {
        with_seeds(10, |rng| {
            let mut uut = RowSerialiser::default();
            uut.connect_all();
            let (mut expected, mut found) = (vec![], vec![]);
            let mut last = None;
            let (mut frames, mut rows_left) = (20, 0);
            for time in 0..8000 {
                if rows_left == 0 && frames > 0 && !uut.is_busy.val() {
                    (frames, rows_left) = (frames - 1, rng.random_range(1..=4));
                }
                uut.s_axis_tvalid.next = rows_left > 0;
                if rows_left > 0 {
                    rows_left -= 1;
                    let (data, keep): (u32, u32) = (rng.random(), rng.random_range(0..16));
                    let lost = rng.random_ratio(1, 8);
                    uut.s_axis_tdata.next = data.to_bits();
                    uut.s_axis_tkeep.next = keep.to_bits();
                    uut.s_axis_discontinuity.next = lost;
                    expected.extend(lost.then_some(None));
                    let bytes = data.to_le_bytes().into_iter().enumerate();
                    expected.extend(
                        bytes
                            .filter(|(lane, _)| keep >> lane & 1 == 1)
                            .map(|(_, byte)| Some(byte)),
                    );
                }
                cycle(&mut uut, |uut, clock| uut.clock.next = clock);
                if uut.m_axis_tvalid.val() {
                    assert!(last.is_none_or(|last| time - last >= 16), "at {time}");
                    last = Some(time);
                    assert_eq!(uut.m_axis_tuser.val(), !uut.m_axis_tkeep.val());
                    let byte = uut.m_axis_tdata.val().to_u8();
                    found.push(uut.m_axis_tkeep.val().then_some(byte));
                }
            }
            assert_eq!(frames, 0);
            assert!(!uut.is_busy.val());
            assert_eq!(found, expected);
        });
    }
}
