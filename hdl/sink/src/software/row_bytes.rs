// SPDX-License-Identifier: MIT OR Apache-2.0
//! `RowBytes`: the rows of one source in, its bytes out, one in each cycle.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high |
//! | `s_axis_tdata[31:0]`, `s_axis_tkeep[3:0]`, `s_axis_tvalid` | in | a row, as from a demux; it cannot be refused |
//! | `s_axis_discontinuity` | in | bytes were lost before the row |
//! | `s_axis_place[31:0]` | in | its place in the port |
//! | `room` | in | a byte may be put out |
//! | `m_valid`, `m_octet[7:0]`, `m_lost`, `m_place` | out | a byte, whether bytes were lost before it, and its [`Place`](super::Place) |
//! | `loses` | out | a row finds no room |
//! | `sts_lost_rows[31:0]` | out | rows that found no room; saturating |
//!
//! `A` is the number of address bits of its FIFO. When that is three quarters full, rows are dropped until it is
//! half empty. A loss, whatever the reason, comes out with the first byte behind it.
//!
//! Latency 3 cycles. Throughput one byte per cycle.

use super::ByteStep;
use super::row::{JoinBytes, PLACE_W, ROW_W};
use coretrace_hdl_dataflow::Bus;
use coretrace_hdl_parts::stream::{SaturatingCounter, SyncFifo};
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
pub struct RowBytes<const A: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub s_axis_tdata: Signal<In, Bits<32>>,
    pub s_axis_tkeep: Signal<In, Bits<4>>,
    pub s_axis_tvalid: Signal<In, Bit>,
    pub s_axis_discontinuity: Signal<In, Bit>,
    pub s_axis_place: Signal<In, Bits<32>>,
    pub room: Signal<In, Bit>,
    pub m_valid: Signal<Out, Bit>,
    pub m_octet: Signal<Out, Bits<8>>,
    pub m_lost: Signal<Out, Bit>,
    pub m_place: Signal<Out, Bus<PLACE_W>>,
    pub loses: Signal<Out, Bit>,
    pub sts_lost_rows: Signal<Out, Bits<32>>,
    join_bytes: JoinBytes<1>,
    rows: SyncFifo<ROW_W, A>,
    step: ByteStep<1>,
    row: DFF<Bus<ROW_W>>,
    /// Rows are dropped until the FIFO is half empty.
    is_dropping: DFF<Bit>,
    /// Bytes were lost behind the newest row of the FIFO.
    is_lost: DFF<Bit>,
    lost_rows: SaturatingCounter,
    has_bytes: Signal<Local, Bit>,
    drops: Signal<Local, Bit>,
    lost: Signal<Local, Bit>,
}

impl<const A: usize> Logic for RowBytes<A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, row, is_dropping, is_lost);
        clock!(self, clock, rows, lost_rows);
        self.has_bytes.next = self.s_axis_tvalid.val() & self.s_axis_tkeep.val().any();
        self.drops.next =
            self.rows.fills_up.val() | (self.is_dropping.q.val() & self.rows.half_full.val());
        self.is_dropping.d.next = self.drops.val();
        self.lost.next =
            self.is_lost.q.val() | (self.s_axis_tvalid.val() & self.s_axis_discontinuity.val());
        self.is_lost.d.next = self.lost.val();
        if self.has_bytes.val() {
            self.is_lost.d.next = self.drops.val();
        }

        self.join_bytes.data.next = self.s_axis_tdata.val();
        self.join_bytes.keep.next = self.s_axis_tkeep.val();
        self.join_bytes.lost.next = self.lost.val();
        self.join_bytes.place.next = self.s_axis_place.val();
        self.rows.reset.next = self.reset.val();
        self.rows.write_data.next = self.join_bytes.row.val();
        self.rows.write_valid.next = self.has_bytes.val() & !self.drops.val();

        self.step.reset.next = self.reset.val();
        self.step.room.next = self.room.val();
        self.step.head.next = self.rows.m_axis_tdata.val();
        self.step.head_valid.next = self.rows.m_axis_tvalid.val();
        self.step.state.next = self.row.q.val();
        self.row.d.next = self.step.state_after.val();
        self.rows.m_axis_tready.next = self.step.take.val();
        self.m_valid.next = self.step.octet_valid.val();
        self.m_octet.next = self.step.octet.val();
        self.m_lost.next = self.step.lost.val();
        self.m_place.next = self.step.place.val();

        self.loses.next = self.has_bytes.val() & self.drops.val();
        self.lost_rows.reset.next = self.reset.val();
        self.lost_rows.clear.next = false;
        self.lost_rows.amount.next = bits::<3>(0) + self.loses.val();
        self.sts_lost_rows.next = self.lost_rows.count.val();

        if self.reset.val() {
            self.is_dropping.d.next = false;
            self.is_lost.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Place;
    use super::*;
    use coretrace_hdl_dataflow::sim::cycle;
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    /// A byte: its value, the row and the lane, and whether bytes were lost before it.
    type Byte = (u8, u32, u32, bool);

    struct Bench {
        rows: RowBytes<4>,
        place: u32,
        /// Bytes of the rows so far, and those that came out.
        sent: Vec<Byte>,
        found: Vec<Byte>,
    }

    impl Bench {
        fn new() -> Bench {
            let mut rows = RowBytes::default();
            rows.connect_all();
            Bench {
                rows,
                place: 0,
                sent: Vec::new(),
                found: Vec::new(),
            }
        }

        /// A cycle with a row: its bytes, which of them count, and a loss before them.
        fn clock(&mut self, row: Option<(u32, u32, bool)>, room: bool) {
            let rows = &mut self.rows;
            let (data, keep, lost) = row.unwrap_or((u32::MAX, 15, true));
            rows.s_axis_tvalid.next = row.is_some();
            rows.s_axis_tdata.next = data.to_bits();
            rows.s_axis_tkeep.next = keep.to_bits();
            rows.s_axis_discontinuity.next = lost;
            rows.s_axis_place.next = self.place.to_bits();
            rows.room.next = room;
            let bytes = data.to_le_bytes();
            let lanes = (0..4).filter(|lane| row.is_some() && keep >> lane & 1 == 1);
            let lanes: Vec<u32> = lanes.collect();
            for &lane in &lanes {
                let is_lost = lost && lane == lanes[0];
                self.sent
                    .push((bytes[lane as usize], self.place, lane, is_lost));
            }
            cycle(rows, |uut, clock| uut.clock.next = clock);
            self.place += 1;
            if rows.m_valid.val() {
                let place = Place::of_wide(&rows.m_place.val().0);
                let (row, lane) = (place.row as u32, place.lane as u32);
                let octet = rows.m_octet.val().to_u8();
                self.found.push((octet, row, lane, rows.m_lost.val()));
            }
        }
    }

    #[test]
    fn bytes_come_out_in_order_with_their_places_and_losses_before_them() {
        let rng = &mut StdRng::seed_from_u64(1);
        let mut bench = Bench::new();
        for _ in 0..4000 {
            let row = (
                rng.random(),
                rng.random_range(1..16),
                rng.random_ratio(1, 8),
            );
            bench.clock(rng.random_ratio(1, 5).then_some(row), true);
        }
        (0..100).for_each(|_| bench.clock(None, true));
        assert!(bench.found.len() > 1000);
        assert_eq!(bench.found, bench.sent);
        assert_eq!(bench.rows.sts_lost_rows.val().to_u32(), 0);
    }

    #[test]
    fn a_byte_comes_out_in_every_cycle() {
        let mut bench = Bench::new();
        (0..8).for_each(|_| bench.clock(Some((0x0403_0201, 15, false)), true));
        let before = bench.found.len();
        (0..20).for_each(|_| bench.clock(None, true));
        assert_eq!(bench.found.len(), before + 20);
    }

    #[test]
    fn rows_without_room_are_counted_and_the_next_one_says_so() {
        let mut bench = Bench::new();
        let row = |bench: &mut Bench, room| bench.clock(Some((0, 1, false)), room);
        (0..100).for_each(|_| row(&mut bench, false));
        let mut rows = 100;
        while bench.found.len() < 60 {
            rows += 1;
            row(&mut bench, true);
        }
        (0..100).for_each(|_| bench.clock(None, true));
        let lost = bench.rows.sts_lost_rows.val().to_u32() as usize;
        assert!(lost > 50, "{lost}");
        let steps = bench.found.windows(2);
        let steps = steps.filter(|pair| pair[1].1 > pair[0].1 + 1);
        assert!(steps.clone().all(|pair| pair[1].3), "a loss at each step");
        assert_eq!(bench.found.iter().filter(|it| it.3).count(), steps.count());
        // The byte that waited was taken with the first edge that had room, before it was looked at.
        assert_eq!(1 + bench.found.len() + lost, rows);
    }
}
