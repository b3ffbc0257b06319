// SPDX-License-Identifier: MIT OR Apache-2.0
//! The cycles of Cycle Count packets, by the lane in which each ends.
//!
//! The recurrence is the threshold, and the continuation field before it.
//! Source: Arm IHI 0064, cycle count and trace info packets; the software twin is
//! `coretrace_etm::packet::cycle_count`.

use std::sync::LazyLock;

use coretrace_etm::packet::COUNT_FIELD_MASK;
use coretrace_etm::{HEADERS, Kind};
use coretrace_hdl_dataflow::{Table, Word, any, layout, named, priority_mux};

use crate::before_lanes;
use crate::layouts::{LaneResult, PairResult, outcome};

layout! {
    /// What a header says of cycles.
    struct HeaderCount {
        /// A count with a continuation field, with a byte, or with neither.
        f1: 1,
        f2: 1,
        f3: 1,
        /// It is a Trace Info.
        trace_info: 1,
    }
}

static HEADER_COUNTS: LazyLock<Table> =
    LazyLock::new(|| HeaderCount::table(|header| header_count(header as u8)));

fn header_count(header: u8) -> HeaderCount<u64> {
    let kind = HEADERS[usize::from(header)].kind;
    HeaderCount {
        // Bit 0 says that the count is not known.
        f1: (kind == Kind::CycleCountF1 && header & 1 == 0).into(),
        f2: (kind == Kind::CycleCountF2).into(),
        f3: (kind == Kind::CycleCountF3).into(),
        trace_info: (kind == Kind::TraceInfo).into(),
    }
}

layout! {
    /// What the packet that ends in a lane says of cycles.
    pub struct CycleCount {
        /// It has a count, which is known.
        known: 1,
        /// The count, threshold added.
        cycles: 32,
        /// The threshold in front of the lane.
        threshold: 32,
    }
}

/// Cycle counts by lane, of the results of a word; `live`: lanes that have a byte.
#[named]
pub fn cycle_counts<T: Word>(
    lanes: &[LaneResult<T>],
    pairs: &[PairResult<T>; 2],
    live: &[T],
    reset: T,
) -> Vec<CycleCount<T>> {
    let pair_of = |lane: usize| &pairs[lane / 2];
    // The continuation field that ends in a lane, and the one before it.
    let field = |lane: usize| {
        let result = &lanes[lane];
        let short = result.octet.slice(0, 7).extend(32);
        result.field_is_short.mux(short, pair_of(lane).field)
    };
    let numbers = 0..lanes.len();
    let ends = |lane: usize| live[lane].and(lanes[lane].field_ends);
    let fields: Vec<(T, T)> = numbers
        .clone()
        .map(|lane| (ends(lane), field(lane)))
        .collect();
    let field_before = before_lanes(&fields, reset);

    let headers = lanes.iter().zip(live).map(|(lane, &live)| {
        let is_packet = live.and(lane.outcome.is(outcome::PACKET));
        let row = HeaderCount::split(lane.header.rom(&HEADER_COUNTS));
        row.map(|flag| flag.and(is_packet)).map(T::reg)
    });
    let headers: Vec<HeaderCount<T>> = headers.collect();

    // PLCTL says which fields a Trace Info has: the threshold is the last but the window.
    let thresholds = numbers.clone().map(|lane| {
        let plctl = pair_of(lane).lead_low.slice(0, 5);
        let (has_threshold, has_window) = (plctl.bit(3), plctl.bit(4));
        let value = has_window.mux(field_before[lane], field(lane));
        let value = value.mask(has_threshold).reg();
        (headers[lane].trace_info.at_stage(value.stage()), value)
    });
    let thresholds = before_lanes(&thresholds.collect::<Vec<_>>(), reset);

    let counts = numbers.map(|lane| {
        let header = &headers[lane];
        let of_field = field(lane).and_const(COUNT_FIELD_MASK.into());
        let in_byte = pair_of(lane).lead_low.slice(0, 4).extend(32);
        let in_header = lanes[lane].header.slice(0, 2).extend(32);
        let cases = [(header.f1, of_field), (header.f2, in_byte)];
        let count = priority_mux(&cases, in_header).reg();
        CycleCount {
            known: any(&[header.f1, header.f2, header.f3]),
            cycles: thresholds[lane].add(count),
            threshold: thresholds[lane],
        }
    });
    counts.collect()
}
