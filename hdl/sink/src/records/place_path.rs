// SPDX-License-Identifier: MIT OR Apache-2.0
//! `PlacePath`: the places of records, beside a `JumpDecoder<4, 2>` and `RecordGroups`.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high |
//! | `decoder_reset` | in | that of the decoder |
//! | `s_valid`, `s_discontinuity`, `s_keep[3:0]` | in | the row that the decoder takes in this cycle |
//! | `beside_valid`, `beside_keep[3:0]` | in | the row of the source beside it |
//! | `place[31:0]` | in | the place of both rows in the port |
//! | `row`, `row_valid` | in | as from `RecordGroups` |
//! | `places`, `places_valid` | out | [`Places`](super::Places) of each row, in the order of the rows |
//!
//! ```text
//! rows ─▶ PlaceMarks ─▶ Gearbox ─▶ PlaceDelay ─▶ GroupPlaces ─▶ places
//! ```
//!
//! A gearbox like that of the decoder carries a mark with each byte, so the marks of a word come with its records.
//! Latency 2 cycles behind the row. Throughput one row per cycle.

use super::group_places::PLACES_W;
use super::layouts::GROUP_W;
use super::{GroupPlaces, PlaceDelay, PlaceMarks};
use coretrace_hdl_dataflow::Bus;
use coretrace_hdl_etm::jump::Gearbox;
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
pub struct PlacePath {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub decoder_reset: Signal<In, Bit>,
    pub s_valid: Signal<In, Bit>,
    pub s_discontinuity: Signal<In, Bit>,
    pub s_keep: Signal<In, Bits<4>>,
    pub beside_valid: Signal<In, Bit>,
    pub beside_keep: Signal<In, Bits<4>>,
    pub place: Signal<In, Bits<32>>,
    pub row: Signal<In, Bus<GROUP_W>>,
    pub row_valid: Signal<In, Bit>,
    pub places: Signal<Out, Bus<PLACES_W>>,
    pub places_valid: Signal<Out, Bit>,
    marks: PlaceMarks<4, 2>,
    gearbox: Gearbox<4, 2>,
    delay: PlaceDelay<4, 2>,
    group_places: GroupPlaces<4, 2>,
}

impl Logic for PlacePath {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, marks, gearbox, delay, group_places);
        self.marks.reset.next = self.decoder_reset.val();
        self.marks.valid.next = self.s_valid.val();
        self.marks.lost.next = self.s_discontinuity.val();
        self.marks.beside_valid.next = self.beside_valid.val();
        self.marks.beside_keep.next = self.beside_keep.val();
        self.marks.place.next = self.place.val();
        self.gearbox.reset.next = self.decoder_reset.val();
        self.gearbox.valid.next = self.marks.valid_out.val();
        self.gearbox.discontinuity.next = self.marks.lost_out.val();
        self.delay.flags.next = self.gearbox.flags.val();
        self.delay.place.next = self.place.val();
        self.group_places.reset.next = self.reset.val();
        self.group_places.row.next = self.row.val();
        self.group_places.row_valid.next = self.row_valid.val();
        self.group_places.place.next = self.delay.place_out.val();
        for i in 0..4 {
            self.marks.keep[i].next = self.s_keep.val().get_bit(i);
            self.gearbox.keep[i].next = self.marks.keep_out[i].val();
            self.gearbox.octet[i].next = self.marks.mark[i].val();
            self.delay.octet[i].next = self.gearbox.octet_out[i].val();
            self.delay.lane[i].next = self.gearbox.lane[i].val();
            self.group_places.mark[i].next = self.delay.mark[i].val();
        }
        self.places.next = self.group_places.places.val();
        self.places_valid.next = self.group_places.places_valid.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::{Places, RecordGroups, RecordSettings};
    use coretrace_abi::record_filter::Filter;
    use coretrace_abi::record_stream::place_of;
    use coretrace_etm::SourceConfig;
    use coretrace_hdl_dataflow::Carrier;
    use coretrace_hdl_dataflow::sim::cycle;
    use coretrace_hdl_etm::SourceSettings;
    use coretrace_hdl_etm::jump::JumpDecoder;
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    use super::super::layouts::{GroupLane, GroupPlan};

    /// The path beside what it is made for.
    #[derive(LogicBlock, Default)]
    struct Beside {
        clock: Signal<In, Clock>,
        reset: Signal<In, Bit>,
        valid: Signal<In, Bit>,
        lost: Signal<In, Bit>,
        data: Signal<In, Bits<32>>,
        keep: Signal<In, Bits<4>>,
        beside: Signal<In, Bits<4>>,
        place: Signal<In, Bits<32>>,
        decoder: JumpDecoder<4, 2>,
        rows: RecordGroups<4, 2>,
        path: PlacePath,
    }

    impl Logic for Beside {
        fn update(&mut self) {
            self.decoder.clock.next = self.clock.val();
            self.rows.clock.next = self.clock.val();
            self.path.clock.next = self.clock.val();
            self.decoder.reset.next = self.reset.val();
            self.decoder.s_valid.next = self.valid.val();
            self.decoder.s_discontinuity.next = self.lost.val();
            self.rows.reset.next = self.reset.val();
            self.rows.active.next = true;
            self.rows.valid.next = self.decoder.m_valid.val();
            self.rows.lost.next = self.decoder.m_discontinuity.val();
            for lane in 0..4 {
                self.decoder.s_octet[lane].next = self.data.val().get_bits::<8>(8 * lane);
                self.decoder.s_keep[lane].next = self.keep.val().get_bit(lane);
                self.rows.keep[lane].next = self.decoder.m_keep[lane].val();
                self.rows.lane[lane].next = self.decoder.m_lane[lane].val();
            }
            self.rows.pair0.next = self.decoder.m_pair[0].val();
            self.rows.pair1.next = self.decoder.m_pair[1].val();
            self.path.reset.next = self.reset.val();
            self.path.decoder_reset.next = self.reset.val();
            self.path.s_valid.next = self.valid.val();
            self.path.s_discontinuity.next = self.lost.val();
            self.path.s_keep.next = self.keep.val();
            self.path.beside_valid.next = true;
            self.path.beside_keep.next = self.beside.val();
            self.path.place.next = self.place.val();
            self.path.row.next = self.rows.row.val();
            self.path.row_valid.next = self.rows.row_valid.val();
        }

        fn hdl(&self) -> Verilog {
            Verilog::Empty
        }
    }

    /// An A-Sync, and then atoms: each of its own is a record.
    fn octet(number: usize) -> u8 {
        match number {
            0..11 => 0x00,
            11 => 0x80,
            _ => 0xF7,
        }
    }

    #[test]
    fn every_record_has_the_place_of_its_last_byte() {
        let mut rng = StdRng::seed_from_u64(1);
        let mut uut = Beside::default();
        uut.connect_all();
        let source = SourceConfig::default();
        uut.decoder.settings.next = Carrier::from_wide(&SourceSettings::of(0x10, &source).wide());
        uut.rows.source.next = Carrier::from_wide(&SourceSettings::of(0x10, &source).wide());
        let settings = RecordSettings::of(&Filter::default(), false);
        uut.rows.settings.next = Carrier::from_wide(&settings.wide());
        let (mut places, mut found, mut rows) = (Vec::new(), Vec::new(), Vec::new());
        let (mut place, mut sent) = (u32::MAX - 200, 0);
        for time in 0..2000 {
            uut.reset.next = time == 0;
            let busy = [0.1, 0.5, 1.0][time / 300 % 3];
            let valid = time > 0 && time < 1900 && rng.random_bool(busy);
            let keep: u32 = if valid { rng.random_range(0..16) } else { 0 };
            let beside = !keep & rng.random_range(0..16) & 15;
            place = place.wrapping_add(u32::from(rng.random_bool(busy) || keep > 0));
            let mut data = 0;
            for lane in (0..4).filter(|lane| keep >> lane & 1 == 1) {
                data |= u32::from(octet(places.len())) << (8 * lane);
                places.push((place, lane as u8));
            }
            uut.valid.next = valid;
            uut.data.next = data.to_bits();
            uut.keep.next = keep.to_bits();
            uut.beside.next = beside.to_bits();
            uut.place.next = place.to_bits();
            cycle(&mut uut, |uut, clock| uut.clock.next = clock);
            if uut.rows.row_valid.val() {
                rows.push(uut.rows.row.val().to_wide());
            }
            if uut.path.places_valid.val() {
                let of_row = Places::<u64>::of_wide(&uut.path.places.val().to_wide());
                let words = [(of_row.of_tags as u32) << 8, of_row.row as u32];
                let row = rows[sent];
                sent += 1;
                for lane in 0..4 {
                    let tag = row.field((GroupPlan::WIDTH + lane * GroupLane::WIDTH) as u32, 8);
                    if tag != 0 {
                        found.push(place_of(words, lane as u32));
                    }
                }
            }
        }
        assert!(found.len() > 1000);
        assert_eq!(found, places[11..]);
    }
}
