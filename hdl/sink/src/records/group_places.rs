// SPDX-License-Identifier: MIT OR Apache-2.0
//! `GroupPlaces`: which groups of a record stream have the places of their tags in front of them.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high |
//! | `row`, `row_valid` | in | as from `RecordGroups` |
//! | `mark[4]`, `place[31:0]` | in | of the bytes of the row, as from `PlaceDelay`; also while there is no row |
//! | `places`, `places_valid` | out | [`Places`] of the row |
//!
//! A group has places if it is the first one of a packet or the first one behind a loss, or if bytes of the source beside
//! are between a record of it and the record before. The recurrence is one bit: a place is due. Latency 2 cycles.
//! Throughput one row per cycle.

use super::layouts::{GROUP_W, GroupLane, GroupPlan};
use super::place_marks::{MARK_W, PlaceMark};
use coretrace_abi::record_stream::{PLACE_LANE_W, PLACE_ROW_W};
use coretrace_hdl_dataflow::{Bus, Word, any, clocked_block, join, kernel_block, layout, named};
use rust_hdl::prelude::*;

/// Bits of the places of the tags of a group.
const TAGS_W: usize = 4 * (PLACE_LANE_W + PLACE_ROW_W) as usize;

layout! {
    /// Where the records of a row are in the port.
    pub struct Places {
        /// They are in the stream, in front of the group.
        are_sent: 1,
        /// Lane and lowest bits of the row of each tag.
        of_tags: TAGS_W,
        /// A row that is no earlier.
        row: 32,
    }
}

/// Bits of the places of a row.
pub const PLACES_W: usize = Places::WIDTH;

kernel_block! {
    /// Whether the places of a row are in the stream. Combinational.
    pub struct PlaceFields;
    inputs PlaceInputs { places: Bus<PLACES_W>, }
    lane_inputs {}
    outputs PlaceOutputs { are_sent: Bit, }
    lane_outputs {}
    kernel place_fields;
}

clocked_block! {
    /// Decides which groups have places; see the module text.
    pub struct GroupPlaces;
    inputs PlacesInputs { reset: Bit, row: Bus<GROUP_W>, row_valid: Bit, place: Bits<32>, }
    lane_inputs { mark: Bus<MARK_W>, }
    outputs PlacesOutputs { places: Bus<PLACES_W>, places_valid: Bit, }
    lane_outputs {}
    pair_outputs {}
    kernel group_places;
}

#[named]
fn place_fields<T: Word, const N: usize>(i: PlaceInputs<T::Port, N>) -> PlaceOutputs<T, N> {
    PlaceOutputs {
        are_sent: vec![Places::<T>::unpack(&i.places).are_sent],
    }
}

#[named]
fn group_places<T: Word, const N: usize, const P: usize>(
    i: PlacesInputs<T::Port, N>,
) -> PlacesOutputs<T, N, P> {
    // A row in front of a reset has no places behind it.
    let go = T::field(&i.reset, 0, 1).steady().not();
    let valid = T::field(&i.row_valid, 0, 1).and(go);
    let plan = GroupPlan::<T>::unpack(&i.row);
    let has_group = valid.and(plan.has_group).reg();
    let restarts = valid.and(plan.begins.or(plan.lost)).reg();
    let marks: Vec<PlaceMark<T>> = i.mark.iter().map(PlaceMark::unpack).collect();
    let tagged: Vec<T> = (0..N)
        .map(|lane| {
            let at = GroupPlan::WIDTH + lane * GroupLane::WIDTH;
            GroupLane::<T>::unpack_at(&i.row, at).tag.any().reg()
        })
        .collect();
    let is_behind: Vec<T> = marks.iter().map(|mark| mark.is_behind.reg()).collect();
    // What is in front of a record of the row, and what is in front of a later one alone.
    let (in_front, later): (Vec<T>, Vec<T>) = (0..N)
        .map(|lane| {
            let ends = any(&tagged[lane..]);
            (is_behind[lane].and(ends), is_behind[lane].and(ends.not()))
        })
        .unzip();

    let now = has_group.stage();
    let (held, next) = T::register(1, now);
    let due = held.or(restarts);
    let waits = has_group.mux(any(&later), due.or(any(&is_behind)));
    T::set_next(next, waits.and(go));
    let of_tags = join(marks.iter().map(|mark| mark.row.concat(mark.lane)));
    let places = Places {
        are_sent: has_group.and(due.or(any(&in_front))),
        of_tags: of_tags.reg(),
        row: T::field(&i.place, 0, 32).reg(),
    };
    PlacesOutputs {
        places: places.pack(),
        places_valid: vec![valid.reg().and(go)],
    }
}
