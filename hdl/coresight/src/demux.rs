// SPDX-License-Identifier: MIT OR Apache-2.0
//! `Demux`: rows of four bytes with their trace IDs in, the bytes of each of `S` sources out.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `s_axis_tdata[31:0]` | in | four bytes |
//! | `s_axis_tid[27:0]` | in | trace ID of each byte, 7 bits each; 0x7F: not known |
//! | `s_axis_tkeep[3:0]` | in | which bytes are data, any mask |
//! | `s_axis_tvalid` | in | the row is there; there is no TREADY |
//! | `s_axis_discontinuity` | in | bytes were lost before this row |
//! | `ids[i][6:0]` | in | trace ID that source `i` wants |
//! | `enables[S-1:0]` | in | bit `i`: source `i` wants anything at all |
//! | `clear` | in | the counters begin again at 0 |
//! | `m_axis_tdata[i][31:0]` | out | the row, for source `i` |
//! | `m_axis_tkeep[i][3:0]` | out | its bytes in the row, each in its lane: any mask, even none |
//! | `m_axis_tvalid[i]` | out | it has bytes in the row, or bytes were lost before the row |
//! | `m_axis_discontinuity[i]` | out | bytes were lost before the row, reported to every source once |
//! | `null_drops[31:0]` | out | bytes of the null ID, saturating |
//! | `reserved_drops[31:0]` | out | bytes of the IDs 0x70 to 0x7E, saturating |
//! | `unclaimed_drops[31:0]` | out | bytes of other IDs that no source wants, or of none, saturating |
//!
//! Null and reserved IDs reach no source, whatever `ids` says. Two sources may want the same ID.
//!
//! Latency 1 cycle, 4 to the counters. Throughput 1 row per cycle.
//! Source: Arm IHI 0029, trace formatter; the rules are those of `coretrace_decode::tpiu::Demux`.

use coretrace_hdl_parts::stream::SaturatingCounter;
use rust_hdl::prelude::*;

#[derive(LogicBlock)]
pub struct Demux<const S: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub s_axis_tdata: Signal<In, Bits<32>>,
    pub s_axis_tid: Signal<In, Bits<28>>,
    pub s_axis_tkeep: Signal<In, Bits<4>>,
    pub s_axis_tvalid: Signal<In, Bit>,
    pub s_axis_discontinuity: Signal<In, Bit>,
    pub ids: [Signal<In, Bits<7>>; S],
    pub enables: Signal<In, Bits<S>>,
    pub clear: Signal<In, Bit>,
    pub m_axis_tdata: [Signal<Out, Bits<32>>; S],
    pub m_axis_tkeep: [Signal<Out, Bits<4>>; S],
    pub m_axis_tvalid: [Signal<Out, Bit>; S],
    pub m_axis_discontinuity: [Signal<Out, Bit>; S],
    pub null_drops: Signal<Out, Bits<32>>,
    pub reserved_drops: Signal<Out, Bits<32>>,
    pub unclaimed_drops: Signal<Out, Bits<32>>,
    // The row and who gets it. All sources see the same data.
    data: DFF<Bits<32>>,
    keep: [DFF<Bits<4>>; S],
    valid: [DFF<Bit>; S],
    discontinuity: [DFF<Bit>; S],
    // The lanes that nobody gets, counted one cycle later.
    null_s1: DFF<Bits<4>>,
    reserved_s1: DFF<Bits<4>>,
    unclaimed_s1: DFF<Bits<4>>,
    nulls: SaturatingCounter,
    reserveds: SaturatingCounter,
    unclaimeds: SaturatingCounter,
    lane_id: [Signal<Local, Bits<7>>; 4],
    offered: Signal<Local, Bits<4>>,
    null_lanes: Signal<Local, Bits<4>>,
    reserved_lanes: Signal<Local, Bits<4>>,
    unknown_lanes: Signal<Local, Bits<4>>,
    wanted: Signal<Local, Bits<4>>,
    claimed: Signal<Local, Bits<4>>,
    matching: [Signal<Local, Bits<4>>; S],
    reports_loss: [Signal<Local, Bit>; S],
    null_count: Signal<Local, Bits<3>>,
    reserved_count: Signal<Local, Bits<3>>,
    unclaimed_count: Signal<Local, Bits<3>>,
}

impl<const S: usize> Default for Demux<S> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            s_axis_tdata: Default::default(),
            s_axis_tid: Default::default(),
            s_axis_tkeep: Default::default(),
            s_axis_tvalid: Default::default(),
            s_axis_discontinuity: Default::default(),
            ids: array_init(),
            enables: Default::default(),
            clear: Default::default(),
            m_axis_tdata: array_init(),
            m_axis_tkeep: array_init(),
            m_axis_tvalid: array_init(),
            m_axis_discontinuity: array_init(),
            null_drops: Default::default(),
            reserved_drops: Default::default(),
            unclaimed_drops: Default::default(),
            data: Default::default(),
            keep: array_init(),
            valid: array_init(),
            discontinuity: array_init(),
            null_s1: Default::default(),
            reserved_s1: Default::default(),
            unclaimed_s1: Default::default(),
            nulls: Default::default(),
            reserveds: Default::default(),
            unclaimeds: Default::default(),
            lane_id: Default::default(),
            offered: Default::default(),
            null_lanes: Default::default(),
            reserved_lanes: Default::default(),
            unknown_lanes: Default::default(),
            wanted: Default::default(),
            claimed: Default::default(),
            matching: array_init(),
            reports_loss: array_init(),
            null_count: Default::default(),
            reserved_count: Default::default(),
            unclaimed_count: Default::default(),
        }
    }
}

/// An array of any length, which `Default` does not give.
fn array_init<T: Default, const S: usize>() -> [T; S] {
    std::array::from_fn(|_| T::default())
}

impl<const S: usize> Logic for Demux<S> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, data, null_s1, reserved_s1, unclaimed_s1);
        clock!(self, clock, nulls, reserveds, unclaimeds);
        self.nulls.reset.next = self.reset.val();
        self.nulls.clear.next = self.clear.val();
        self.reserveds.reset.next = self.reset.val();
        self.reserveds.clear.next = self.clear.val();
        self.unclaimeds.reset.next = self.reset.val();
        self.unclaimeds.clear.next = self.clear.val();

        self.offered.next = 0.into();
        if self.s_axis_tvalid.val() {
            self.offered.next = self.s_axis_tkeep.val();
        }
        self.null_lanes.next = 0.into();
        self.reserved_lanes.next = 0.into();
        self.unknown_lanes.next = 0.into();
        for i in 0..4 {
            self.lane_id[i].next = self.s_axis_tid.val().get_bits::<7>(7 * i);
            if self.lane_id[i].val() == 0x00 {
                self.null_lanes.next = self.null_lanes.val().replace_bit(i, true);
            }
            if (self.lane_id[i].val() & 0x70) == 0x70 {
                self.reserved_lanes.next = self.reserved_lanes.val().replace_bit(i, true);
            }
            if self.lane_id[i].val() == 0x7F {
                self.reserved_lanes.next = self.reserved_lanes.val().replace_bit(i, false);
                self.unknown_lanes.next = self.unknown_lanes.val().replace_bit(i, true);
            }
        }
        self.wanted.next = self.offered.val()
            & !(self.null_lanes.val() | self.reserved_lanes.val() | self.unknown_lanes.val());

        self.data.d.next = self.s_axis_tdata.val();
        self.claimed.next = 0.into();
        for i in 0..S {
            self.keep[i].clock.next = self.clock.val();
            self.valid[i].clock.next = self.clock.val();
            self.discontinuity[i].clock.next = self.clock.val();
            self.matching[i].next = 0.into();
            if self.enables.val().get_bit(i) {
                self.matching[i].next = bits::<4>(0)
                    .replace_bit(0, self.lane_id[0].val() == self.ids[i].val())
                    .replace_bit(1, self.lane_id[1].val() == self.ids[i].val())
                    .replace_bit(2, self.lane_id[2].val() == self.ids[i].val())
                    .replace_bit(3, self.lane_id[3].val() == self.ids[i].val());
                self.matching[i].next = self.matching[i].val() & self.wanted.val();
            }
            self.claimed.next = self.claimed.val() | self.matching[i].val();
            self.reports_loss[i].next = self.s_axis_tvalid.val()
                & self.s_axis_discontinuity.val()
                & self.enables.val().get_bit(i);
            self.keep[i].d.next = self.matching[i].val();
            self.discontinuity[i].d.next = self.reports_loss[i].val();
            self.valid[i].d.next = self.matching[i].val().any() | self.reports_loss[i].val();
            if self.reset.val() {
                self.valid[i].d.next = false;
            }
            self.m_axis_tdata[i].next = self.data.q.val();
            self.m_axis_tkeep[i].next = self.keep[i].q.val();
            self.m_axis_tvalid[i].next = self.valid[i].q.val();
            self.m_axis_discontinuity[i].next = self.discontinuity[i].q.val();
        }

        self.null_s1.d.next = self.offered.val() & self.null_lanes.val();
        self.reserved_s1.d.next = self.offered.val() & self.reserved_lanes.val();
        self.unclaimed_s1.d.next = self.offered.val()
            & !(self.null_lanes.val() | self.reserved_lanes.val() | self.claimed.val());
        if self.reset.val() {
            self.null_s1.d.next = 0.into();
            self.reserved_s1.d.next = 0.into();
            self.unclaimed_s1.d.next = 0.into();
        }
        self.null_count.next = 0.into();
        self.reserved_count.next = 0.into();
        self.unclaimed_count.next = 0.into();
        for i in 0..4 {
            self.null_count.next = self.null_count.val() + self.null_s1.q.val().get_bit(i);
            self.reserved_count.next =
                self.reserved_count.val() + self.reserved_s1.q.val().get_bit(i);
            self.unclaimed_count.next =
                self.unclaimed_count.val() + self.unclaimed_s1.q.val().get_bit(i);
        }
        self.nulls.amount.next = self.null_count.val();
        self.reserveds.amount.next = self.reserved_count.val();
        self.unclaimeds.amount.next = self.unclaimed_count.val();
        self.null_drops.next = self.nulls.count.val();
        self.reserved_drops.next = self.reserveds.count.val();
        self.unclaimed_drops.next = self.unclaimeds.count.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stimulus::with_seeds;
    use coretrace_coresight::TraceId;
    use coretrace_decode::tpiu::{self as model, Run};
    use coretrace_hdl_dataflow::sim::cycle;
    use rand::RngExt;
    use rand::seq::IndexedRandom;

    /// A row: the ID and the byte of each lane that is kept, and whether bytes were lost before it.
    #[derive(Clone, Copy)]
    struct Row {
        lanes: [Option<(u8, u8)>; 4],
        lost: bool,
    }

    /// What one source gets from a row.
    type Share = ([Option<u8>; 4], bool);

    fn demux<const S: usize>(ids: [u8; S], enables: u64) -> Demux<S> {
        let mut uut = Demux::<S>::default();
        uut.connect_all();
        for (port, id) in uut.ids.iter_mut().zip(ids) {
            port.next = id.to_bits();
        }
        uut.enables.next = enables.to_bits();
        uut
    }

    /// One cycle with or without a row; what each source has after it.
    fn clock<const S: usize>(uut: &mut Demux<S>, row: Option<Row>) -> [Option<Share>; S] {
        uut.s_axis_tvalid.next = row.is_some();
        let row = row.unwrap_or(Row {
            lanes: [Some((0x10, 0)); 4],
            lost: true,
        });
        let (mut data, mut ids, mut keep) = (0, 0, 0);
        for (lane, (id, byte)) in row.lanes.iter().map(|l| l.unwrap_or((0x10, 0))).enumerate() {
            data |= u32::from(byte) << (8 * lane);
            ids |= u64::from(id) << (7 * lane);
            keep |= u64::from(row.lanes[lane].is_some()) << lane;
        }
        uut.s_axis_tdata.next = data.to_bits();
        uut.s_axis_tid.next = ids.to_bits();
        uut.s_axis_tkeep.next = keep.to_bits();
        uut.s_axis_discontinuity.next = row.lost;
        cycle(uut, |u, c| u.clock.next = c);
        std::array::from_fn(|source| {
            let data = uut.m_axis_tdata[source].val().to_u32().to_le_bytes();
            let keep = uut.m_axis_tkeep[source].val().to_u8();
            let lane = |lane: usize| (keep >> lane & 1 == 1).then_some(data[lane]);
            uut.m_axis_tvalid[source].val().then(|| {
                (
                    [0, 1, 2, 3].map(lane),
                    uut.m_axis_discontinuity[source].val(),
                )
            })
        })
    }

    /// Who gets the byte according to the model.
    fn routed(reference: &mut model::Demux, id: u8) -> Option<u8> {
        let run = Run {
            offset: 0,
            id: TraceId::new(id),
            bytes: &[0],
        };
        reference.route(&run).map(TraceId::value)
    }

    fn drops<const S: usize>(uut: &mut Demux<S>) -> model::DemuxStatistics {
        for _ in 0..3 {
            clock(uut, None);
        }
        model::DemuxStatistics {
            null_bytes: uut.null_drops.val().to_u32().into(),
            reserved_bytes: uut.reserved_drops.val().to_u32().into(),
            unclaimed_bytes: uut.unclaimed_drops.val().to_u32().into(),
        }
    }

    #[test]
    fn every_id_goes_where_the_model_sends_it() {
        let ids = [0x01, 0x6F, 0x00, 0x70, 0x7F];
        for wanted in ids {
            let mut uut = demux([wanted, 0x33], 0b11);
            let mut reference =
                model::Demux::new([wanted, 0x33].map(|id| TraceId::new(id).unwrap()));
            for id in 0..=0x7F {
                for place in 0..4 {
                    let mut lanes = [None; 4];
                    lanes[place] = Some((id, 0x5A));
                    let found = clock(&mut uut, Some(Row { lanes, lost: false }));
                    let to = routed(&mut reference, id);
                    let expected = [wanted, 0x33].map(|own| to == Some(own));
                    assert_eq!(found.map(|share| share.is_some()), expected, "ID {id:02x}");
                    if let Some((bytes, _)) = found.into_iter().flatten().next() {
                        assert_eq!(bytes.iter().position(Option::is_some), Some(place));
                    }
                }
            }
            assert_eq!(drops(&mut uut), reference.statistics());
        }
    }

    #[test]
    fn random_rows_are_shared_out_as_by_the_model_and_drops_are_counted() {
        with_seeds(20, |rng| {
            let ids = [0x10, 0x11, 0x6F, 0x10];
            let enables = rng.random_range(0..16);
            let mut uut = demux(ids, enables);
            let enabled = |source: usize| enables >> source & 1 == 1;
            let claimed = (0..4).filter(|source| enabled(*source));
            let claimed = claimed.map(|source| TraceId::new(ids[source]).unwrap());
            let mut reference = model::Demux::new(claimed);
            for _ in 0..300 {
                let lanes = [(); 4].map(|()| {
                    let id = *[0x10, 0x11, 0x6F, 0x00, 0x7D, rng.random_range(0..0x80)]
                        .choose(rng)
                        .unwrap();
                    rng.random_ratio(3, 4).then(|| (id, rng.random()))
                });
                let row = Row {
                    lanes,
                    lost: rng.random_ratio(1, 10),
                };
                let to = lanes.map(|lane| lane.and_then(|(id, _)| routed(&mut reference, id)));
                let expected = std::array::from_fn(|source| {
                    let byte = |lane: usize| {
                        let own = enabled(source) && to[lane] == Some(ids[source]);
                        lanes[lane].filter(|_| own).map(|(_, byte)| byte)
                    };
                    let bytes = [0, 1, 2, 3].map(byte);
                    let lost = row.lost && enabled(source);
                    (lost || bytes.iter().any(Option::is_some)).then_some((bytes, lost))
                });
                assert_eq!(clock(&mut uut, Some(row)), expected);
                if rng.random_ratio(1, 4) {
                    assert_eq!(clock(&mut uut, None), [None; 4]);
                }
            }
            assert_eq!(drops(&mut uut), reference.statistics());
        });
    }

    #[test]
    fn a_loss_reaches_every_enabled_source_once_without_any_byte() {
        let mut uut = demux([0x10, 0x20, 0x30], 0b101);
        let row = Row {
            lanes: [None; 4],
            lost: true,
        };
        let reports_loss = Some(([None; 4], true));
        assert_eq!(
            clock(&mut uut, Some(row)),
            [reports_loss, None, reports_loss]
        );
        assert_eq!(clock(&mut uut, Some(Row { lost: false, ..row })), [None; 3]);
        assert_eq!(clock(&mut uut, None), [None; 3]);
    }

    #[test]
    fn a_row_in_every_cycle_reaches_its_source_in_every_cycle() {
        let mut uut = demux([0x10], 1);
        for n in 0..100 {
            let row = Row {
                lanes: [Some((0x10, n)); 4],
                lost: false,
            };
            assert_eq!(clock(&mut uut, Some(row)), [Some(([Some(n); 4], false))]);
        }
    }

    #[test]
    fn reset_clears_the_counters_and_the_row() {
        let mut uut = demux([0x10], 1);
        let row = Row {
            lanes: [Some((0x00, 0)), Some((0x7D, 0)), Some((0x22, 0)), None],
            lost: true,
        };
        clock(&mut uut, Some(row));
        uut.reset.next = true;
        assert_eq!(clock(&mut uut, Some(row)), [None]);
        uut.reset.next = false;
        assert_eq!(drops(&mut uut), model::DemuxStatistics::default());
    }

    #[test]
    fn it_exports() {
        let text = coretrace_hdl_verilog::verilog(Demux::<4>::default(), "demux").unwrap();
        assert!(!text.contains('$'));
    }
}
