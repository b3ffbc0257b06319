// SPDX-License-Identifier: MIT OR Apache-2.0
//! `ProfileEvents<4, 2>`: a result word of four lanes in, what counts in each lane out.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high |
//! | `start`, `trace_id[6:0]` | in | the source was enabled; a row says so, with its trace ID, which is steady |
//! | `valid`, `lost` | in | a result word is there; bytes were lost before it |
//! | `keep[4]`, `lane[4]`, `pair0`, `pair1` | in | lanes that have a byte; [`LaneResult`], [`PairResult`] |
//! | `row`, `row_valid` | out | [`EventFlags`], and [`Event`] of each lane |
//!
//! A packet counts for one key at most: see [`EntryKind`]. The recurrence is that of
//! [`cycle_counts`]. Latency 7 cycles. Throughput one word per cycle.
//! Source: `docs/records.md`; the software twin is `coretrace_profile::entry_of`.

use coretrace_abi::profile_stream::EntryKind;
use coretrace_abi::record_stream::{AddressRule, rules};
use coretrace_etm::{HEADERS, Kind};
use coretrace_hdl_dataflow::{
    Bus, Table, Word, any, clocked_block, kernel_block, layout, named, priority_mux,
};
use coretrace_hdl_etm::layouts::{LANE_RESULT_W, PAIR_RESULT_W, outcome};
use coretrace_hdl_etm::{CycleCount, LaneResult, PairResult, cycle_counts};
use rust_hdl::prelude::*;
use std::sync::LazyLock;

clocked_block! {
    /// What counts in a word; see the module text.
    pub struct ProfileEvents;
    inputs EventsInputs {
        reset: Bit,
        start: Bit,
        trace_id: Bits<7>,
        valid: Bit,
        lost: Bit,
        pair0: Bus<PAIR_RESULT_W>,
        pair1: Bus<PAIR_RESULT_W>,
    }
    lane_inputs { keep: Bit, lane: Bus<LANE_RESULT_W>, }
    outputs EventsOutputs { row: Bus<EVENTS_W>, row_valid: Bit, }
    lane_outputs {}
    pair_outputs {}
    kernel profile_events;
}

kernel_block! {
    /// Takes a row apart.
    pub struct EventLanes;
    inputs RowInputs { row: Bus<EVENTS_W>, }
    lane_inputs {}
    outputs RowOutputs { lost: Bit, start: Bit, trace_id: Bits<7>, }
    lane_outputs { evt: Bus<EVENT_W>, }
    kernel event_lanes;
}

layout! {
    /// What a row has besides its events.
    pub struct EventFlags {
        /// Bytes were lost before it.
        lost: 1,
        /// The source was enabled: the row has no events.
        start: 1,
        /// Its trace ID.
        trace_id: 7,
    }
}

layout! {
    /// Something that counts.
    pub struct Event {
        /// There is one.
        valid: 1,
        /// Its [`EntryKind`], counted from `Target`.
        kind: 2,
        /// Key, as in an entry.
        key: 64,
        /// Weight, as in an entry.
        weight: 32,
        /// Place in the table.
        index: INDEX_W,
    }
}

/// The kind that stands for 0 in an event.
pub(super) const FIRST_KIND: u64 = EntryKind::Target as u64;
/// Bits of a place in a table.
pub const INDEX_W: usize = 9;
/// Bits of an event.
pub const EVENT_W: usize = Event::WIDTH;
/// Lanes of a word.
const LANES: usize = 4;
/// Bits of a row.
pub const EVENTS_W: usize = EventFlags::WIDTH + LANES * EVENT_W;

const fn kind(kind: EntryKind) -> u64 {
    kind as u64 - FIRST_KIND
}

layout! {
    /// What a header counts for.
    struct HeaderEvent {
        counts: 1,
        kind: 2,
    }
}

static HEADER_EVENTS: LazyLock<Table> =
    LazyLock::new(|| HeaderEvent::table(|header| header_event(header as u8)));

fn header_event(header: u8) -> HeaderEvent<u64> {
    let packet = HEADERS[usize::from(header)].kind;
    let has_address = rules(header).is_some_and(|(rule, _)| rule != AddressRule::None);
    let event = match packet {
        Kind::Event => Some(EntryKind::Event),
        Kind::Exception => Some(EntryKind::Exception),
        // Bit 0 says that the count is not known.
        Kind::CycleCountF1 if header & 1 == 1 => None,
        Kind::CycleCountF1 | Kind::CycleCountF2 | Kind::CycleCountF3 => Some(EntryKind::Cycles),
        _ => has_address.then_some(EntryKind::Target),
    };
    HeaderEvent {
        counts: event.is_some().into(),
        kind: event.map_or(0, kind),
    }
}

#[named]
fn profile_events<T: Word, const N: usize, const P: usize>(
    i: EventsInputs<T::Port, N>,
) -> EventsOutputs<T, N, P> {
    let bit = |port: &T::Port| T::field(port, 0, 1).reg();
    let (reset, start, valid) = (bit(&i.reset), bit(&i.start), bit(&i.valid));
    let lost = valid.and(bit(&i.lost));
    let pairs = [&i.pair0, &i.pair1].map(|port| PairResult::<T>::unpack(port).map(T::reg));
    let pair_of = |lane: usize| &pairs[lane / 2];
    let lanes: Vec<LaneResult<T>> = i
        .lane
        .iter()
        .map(|port| LaneResult::<T>::unpack(port).map(T::reg))
        .collect();
    let live: Vec<T> = i.keep.iter().map(|port| valid.and(bit(port))).collect();

    let counted = cycle_counts(&lanes, &pairs, &live, reset);

    let headers: Vec<HeaderEvent<T>> = lanes
        .iter()
        .zip(&live)
        .map(|(lane, &live)| {
            let is_packet = live.and(lane.outcome.is(outcome::PACKET));
            let row = HeaderEvent::split(lane.header.rom(&HEADER_EVENTS));
            let row = HeaderEvent {
                counts: row.counts.and(is_packet),
                ..row
            };
            row.map(T::reg)
        })
        .collect();

    let trace_id = T::field(&i.trace_id, 0, 7).steady();
    let mut row = EventFlags {
        lost,
        start,
        trace_id,
    }
    .pack();
    let mut counts = Vec::new();
    for (number, header) in headers.iter().enumerate() {
        let (lane, pair) = (&lanes[number], pair_of(number));
        let CycleCount { known, cycles, .. } = counted[number];
        let weight = known.reg().mux(cycles, T::constant(1, 32)).reg();

        let (first, second) = (pair.lead_low.slice(0, 8), pair.lead_low.slice(8, 5));
        let upper = second.mask(first.bit(7));
        let exception = upper.concat(first.slice(1, 5)).extend(64);
        let evt = lane.header.slice(0, 4).extend(64);
        let is = |wanted: EntryKind| header.kind.is(kind(wanted));
        let key = priority_mux(
            &[
                (is(EntryKind::Exception), exception),
                (is(EntryKind::Event), evt),
            ],
            lane.address.slice(1, 63).concat(lane.is1),
        )
        .reg();
        // Addresses differ in their low bits most: a fold of them spreads loops over the table.
        let fold = |low: u32| key.slice(low, INDEX_W as u32);
        let mixed = xor(xor(fold(1), fold(10)), fold(19));
        let index = xor(mixed, header.kind.extend(INDEX_W as u32));
        counts.push(header.counts);
        row.extend(
            Event {
                valid: header.counts,
                kind: header.kind,
                key,
                weight,
                index: index.reg(),
            }
            .pack(),
        );
    }
    let row_valid = any(&[any(&counts), lost, start]);
    EventsOutputs {
        row,
        row_valid: vec![row_valid],
    }
}

/// Exclusive or.
#[named]
fn xor<T: Word>(one: T, other: T) -> T {
    one.or(other).and(one.and(other).not())
}

#[named]
fn event_lanes<T: Word, const N: usize>(i: RowInputs<T::Port, N>) -> RowOutputs<T, N> {
    let flags = EventFlags::<T>::unpack(&i.row);
    let lane = |lane| Event::<T>::unpack_at(&i.row, EventFlags::WIDTH + lane * EVENT_W).pack();
    RowOutputs {
        lost: vec![flags.lost],
        start: vec![flags.start],
        trace_id: vec![flags.trace_id],
        evt: std::array::from_fn(lane),
    }
}
