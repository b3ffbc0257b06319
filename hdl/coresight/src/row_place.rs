// SPDX-License-Identifier: MIT OR Apache-2.0
//! `RowPlace`: the place in the port of the row that a demux puts out.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high |
//! | `s_axis_tvalid` | in | of a [`FrameDecoder`](crate::FrameDecoder) in front of a [`Demux`](crate::Demux) |
//! | `place[31:0]` | out | rows of frames since reset up to the one at the output of the demux, which is counted, modulo 2^32 |
//!
//! A frame has four rows, so the frame of a row is `(place - 1) / 4`, the first one 0. All sources of a port share the
//! place. Latency 1 cycle, that of the demux.

use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
pub struct RowPlace {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub s_axis_tvalid: Signal<In, Bit>,
    pub place: Signal<Out, Bits<32>>,
    count: DFF<Bits<32>>,
}

impl Logic for RowPlace {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, count);
        if self.s_axis_tvalid.val() {
            self.count.d.next = self.count.q.val() + 1;
        }
        if self.reset.val() {
            self.count.d.next = 0.into();
        }
        self.place.next = self.count.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TpiuFront;
    use crate::stimulus::{Pauses, with_seeds};
    use coretrace_coresight::FSYNC;
    use coretrace_hdl_dataflow::sim::cycle;
    use rand::RngExt;

    /// The words of a frame of ID 0x10 whose bytes in odd places are its number.
    fn frame(number: u8) -> [u32; 4] {
        let mut bytes = [0; 16];
        bytes
            .iter_mut()
            .skip(1)
            .step_by(2)
            .for_each(|byte| *byte = number);
        (bytes[0], bytes[15]) = (0x21, 0);
        let (words, _) = bytes.as_chunks();
        std::array::from_fn(|row| u32::from_le_bytes(words[row]))
    }

    #[test]
    fn every_row_has_its_place_in_its_frame_with_any_pauses() {
        with_seeds(3, |rng| {
            let mut front = TpiuFront::default();
            front.connect_all();
            front.enables.next = 1.into();
            front.ids[0].next = 0x10.into();
            let frames = rng.random_range(20..200);
            let words = (0..frames).flat_map(|number| {
                let sync = (number % 7 == 0).then_some(FSYNC);
                sync.into_iter().chain(frame(number))
            });
            for pauses in Pauses::all() {
                front.reset.next = true;
                cycle(&mut front, |uut, clock| uut.clock.next = clock);
                front.reset.next = false;
                let mut rows = 0;
                for word in pauses.between(words.clone()).chain([None; 12]) {
                    front.s_axis_tvalid.next = word.is_some();
                    front.s_axis_tdata.next = word.unwrap_or_default().to_bits();
                    cycle(&mut front, |uut, clock| uut.clock.next = clock);
                    if front.m_axis_tvalid[0].val() {
                        rows += 1;
                        let place = front.m_axis_place.val().to_u32();
                        assert_eq!(place, rows, "{pauses:?}");
                        let number = front.m_axis_tdata[0].val().get_bits::<8>(8);
                        assert_eq!(number.to_u32(), (place - 1) / 4, "row {rows}");
                    }
                }
                assert_eq!(rows, 4 * u32::from(frames), "{pauses:?}");
            }
        });
    }

    #[test]
    fn it_exports() {
        let text = coretrace_hdl_verilog::verilog(RowPlace::default(), "row_place").unwrap();
        assert!(!text.contains('$'));
    }
}
