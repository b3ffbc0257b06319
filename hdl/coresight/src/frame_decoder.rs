// SPDX-License-Identifier: MIT OR Apache-2.0
//! `FrameDecoder`: a 16-byte formatter frame in, four rows of four bytes with their trace IDs out.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `s_frame_tdata[127:0]` | in | frame, byte 0 in bits 7 to 0 |
//! | `s_frame_tvalid` | in | at most in one cycle of four; there is no TREADY |
//! | `s_frame_discontinuity` | in | bytes were lost before this frame, so the current ID is not known |
//! | `m_axis_tdata[31:0]` | out | the bytes, each in its place |
//! | `m_axis_tid[27:0]` | out | trace ID of each byte, 7 bits each; 0x7F: not known |
//! | `m_axis_tkeep[3:0]` | out | which bytes are data; any mask, even none |
//! | `m_axis_tvalid` | out | for the four rows of a frame, in consecutive cycles |
//! | `m_axis_discontinuity` | out | bytes were lost before this row, the first of a frame |
//!
//! No frame announces the ID 0x7F, because its announcement would look like a sync; so 0x7F is free
//! to say that no ID was seen since reset or since the loss.
//!
//! Latency 2 cycles to the first row. Throughput 1 row per cycle, so 1 frame per 4 cycles.
//! Source: Arm IHI 0029, trace formatter; the equations are those of
//! `coretrace_coresight::decode_row`.

use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
pub struct FrameDecoder {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub s_frame_tdata: Signal<In, Bits<128>>,
    pub s_frame_tvalid: Signal<In, Bit>,
    pub s_frame_discontinuity: Signal<In, Bit>,
    pub m_axis_tdata: Signal<Out, Bits<32>>,
    pub m_axis_tid: Signal<Out, Bits<28>>,
    pub m_axis_tkeep: Signal<Out, Bits<4>>,
    pub m_axis_tvalid: Signal<Out, Bit>,
    pub m_axis_discontinuity: Signal<Out, Bit>,
    // Stage 1: the frame, its next row in `rows[0]`; the last row ends with the auxiliary byte.
    rows: [DFF<Bits<32>>; 4],
    aux: DFF<Bits<8>>,
    /// A bit for each row that is left, the lowest ones.
    rows_left: DFF<Bits<4>>,
    lost: DFF<Bit>,
    current: DFF<Bits<7>>,
    current_valid: DFF<Bit>,
    // Stage 2: the decoded row.
    data: DFF<Bits<32>>,
    ids: DFF<Bits<28>>,
    keep: DFF<Bits<4>>,
    valid: DFF<Bit>,
    discontinuity: DFF<Bit>,
    // One row, in the names of the equations.
    row: Signal<Local, Bits<32>>,
    f0: Signal<Local, Bit>,
    f1: Signal<Local, Bit>,
    a0: Signal<Local, Bit>,
    a1: Signal<Local, Bit>,
    i0: Signal<Local, Bits<7>>,
    i1: Signal<Local, Bits<7>>,
    id0: Signal<Local, Bits<7>>,
    id1: Signal<Local, Bits<7>>,
    id2: Signal<Local, Bits<7>>,
    id3: Signal<Local, Bits<7>>,
    next_id: Signal<Local, Bits<7>>,
    last: Signal<Local, Bit>,
}

impl Logic for FrameDecoder {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            aux,
            rows_left,
            lost,
            current,
            current_valid,
            data,
            ids,
            keep,
            valid,
            discontinuity
        );
        for i in 0..4 {
            self.rows[i].clock.next = self.clock.val();
            self.rows[i].d.next = self.rows[i].q.val();
        }
        for i in 0..3 {
            self.rows[i].d.next = self.rows[i + 1].q.val();
        }

        self.row.next = self.rows[0].q.val();
        self.f0.next = self.row.val().get_bit(0);
        self.f1.next = self.row.val().get_bit(16);
        self.a0.next = self.aux.q.val().get_bit(0);
        self.a1.next = self.aux.q.val().get_bit(1);
        self.i0.next = self.row.val().get_bits::<7>(1);
        self.i1.next = self.row.val().get_bits::<7>(17);
        self.last.next = !self.rows_left.q.val().get_bit(1);

        // `TraceId::UNKNOWN`, which stays in force until an ID is announced.
        self.id0.next = 0x7F.into();
        if self.current_valid.q.val() & !self.lost.q.val() {
            self.id0.next = self.current.q.val();
        }
        self.id2.next = self.id0.val();
        self.id1.next = self.id0.val();
        if self.f0.val() {
            self.id2.next = self.i0.val();
            if !self.a0.val() {
                self.id1.next = self.i0.val();
            }
        }
        self.next_id.next = self.id2.val();
        self.id3.next = self.id2.val();
        if self.f1.val() {
            self.next_id.next = self.i1.val();
            if !self.a1.val() {
                self.id3.next = self.i1.val();
            }
        }

        self.valid.d.next = self.rows_left.q.val().get_bit(0);
        self.discontinuity.d.next = self.rows_left.q.val().get_bit(0) & self.lost.q.val();
        self.data.d.next = self
            .row
            .val()
            .replace_bit(0, self.a0.val())
            .replace_bit(16, self.a1.val());
        self.ids.d.next = bit_cast::<28, 7>(self.id0.val())
            | (bit_cast::<28, 7>(self.id1.val()) << 7)
            | (bit_cast::<28, 7>(self.id2.val()) << 14)
            | (bit_cast::<28, 7>(self.id3.val()) << 21);
        self.keep.d.next = bits::<4>(2)
            .replace_bit(0, !self.f0.val())
            .replace_bit(2, !self.f1.val())
            .replace_bit(3, !self.last.val());
        self.rows_left.d.next = self.rows_left.q.val() >> 1;
        self.aux.d.next = self.aux.q.val() >> 2;
        if self.rows_left.q.val().get_bit(0) {
            self.current.d.next = self.next_id.val();
            self.current_valid.d.next = true;
            self.lost.d.next = false;
        }
        if self.s_frame_tvalid.val() {
            for i in 0..4 {
                self.rows[i].d.next = self.s_frame_tdata.val().get_bits::<32>(32 * i);
            }
            self.aux.d.next = self.s_frame_tdata.val().get_bits::<8>(120);
            self.lost.d.next = self.s_frame_discontinuity.val();
            self.rows_left.d.next = 0xF.into();
        }
        if self.reset.val() {
            self.rows_left.d.next = 0.into();
            self.current_valid.d.next = false;
            self.valid.d.next = false;
        }

        self.m_axis_tdata.next = self.data.q.val();
        self.m_axis_tid.next = self.ids.q.val();
        self.m_axis_tkeep.next = self.keep.q.val();
        self.m_axis_tvalid.next = self.valid.q.val();
        self.m_axis_discontinuity.next = self.discontinuity.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stimulus::{random_frame, with_seeds};
    use coretrace_coresight::{FRAME_ROWS, Frame, Row, TraceId, decode_row};
    use coretrace_hdl_dataflow::sim::cycle;
    use rand::RngExt;

    /// A row as the ports show it: data bytes with their IDs, the others as `None`.
    type Lanes = [Option<(u8, u8)>; 4];

    fn lanes(row: &Row) -> Lanes {
        [0, 1, 2, 3].map(|lane| {
            let id = row.ids[lane].unwrap_or(TraceId::UNKNOWN);
            row.keep[lane].then_some((id.value(), row.data[lane]))
        })
    }

    /// One cycle with or without a frame; the row that is there after it.
    fn clock(uut: &mut FrameDecoder, frame: Option<(Frame, bool)>) -> Option<(Lanes, bool)> {
        uut.s_frame_tvalid.next = frame.is_some();
        let (bytes, lost) = frame.unwrap_or(([0xFF; 16], true));
        uut.s_frame_tdata.next = u128::from_le_bytes(bytes).to_bits();
        uut.s_frame_discontinuity.next = lost;
        cycle(uut, |u, c| u.clock.next = c);
        let (data, ids, keep) = (
            uut.m_axis_tdata.val().to_u32(),
            uut.m_axis_tid.val().to_u32(),
            uut.m_axis_tkeep.val().to_u8(),
        );
        let lane = |lane: u8| {
            let id = (ids >> (7 * lane)) as u8 & 0x7F;
            (keep >> lane & 1 == 1).then_some((id, (data >> (8 * lane)) as u8))
        };
        uut.m_axis_tvalid
            .val()
            .then(|| ([0, 1, 2, 3].map(lane), uut.m_axis_discontinuity.val()))
    }

    fn decoder() -> FrameDecoder {
        let mut uut = FrameDecoder::default();
        uut.connect_all();
        uut
    }

    #[test]
    fn it_equals_the_row_equations_with_any_time_between_frames() {
        with_seeds(20, |rng| {
            let mut uut = decoder();
            let (mut expected, mut found) = (Vec::new(), Vec::new());
            let mut current = None;
            let longest = rng.random_range(4..8);
            for _ in 0..100 {
                let frame = random_frame(rng);
                let lost = rng.random_ratio(1, 10);
                if lost {
                    current = None;
                }
                for index in 0..FRAME_ROWS {
                    let row = decode_row(&frame, index, current);
                    current = row.next;
                    expected.push((lanes(&row), lost && index == 0));
                }
                found.extend(clock(&mut uut, Some((frame, lost))));
                for _ in 1..rng.random_range(4..=longest) {
                    found.extend(clock(&mut uut, None));
                }
            }
            found.extend((0..4).filter_map(|_| clock(&mut uut, None)));
            assert_eq!(found, expected);
        });
    }

    #[test]
    fn four_rows_begin_two_cycles_after_a_frame_and_leave_no_gap() {
        let mut uut = decoder();
        let shown: Vec<bool> = (0..42)
            .map(|n| clock(&mut uut, (n % 4 == 0 && n < 40).then_some(([0; 16], false))).is_some())
            .collect();
        assert!(shown.iter().skip(1).take(40).all(|shown| *shown));
        assert!(!shown[0] && !shown[41]);
    }

    #[test]
    fn reset_forgets_the_id_and_the_rows_left() {
        let mut uut = decoder();
        let mut frame = [0; 16];
        frame[0] = 0x21;
        clock(&mut uut, Some((frame, false)));
        clock(&mut uut, None);
        uut.reset.next = true;
        clock(&mut uut, None);
        uut.reset.next = false;
        assert_eq!(clock(&mut uut, Some(([0; 16], false))), None);
        let (row, _) = clock(&mut uut, None).unwrap();
        assert_eq!(row[0], Some((TraceId::UNKNOWN.value(), 0)));
    }

    #[test]
    fn it_exports() {
        let text =
            coretrace_hdl_verilog::verilog(FrameDecoder::default(), "frame_decoder").unwrap();
        assert!(!text.contains('$'));
    }
}
