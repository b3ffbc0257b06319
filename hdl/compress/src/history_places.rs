// SPDX-License-Identifier: MIT OR Apache-2.0
//! `HistoryPlaces`: where a step looks up the tables of an X encoder. `N` is the number of the preset, `P` are
//! the bits of an entry of its match table.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clear` | in | the histories and the rings begin again |
//! | `step_in` | in | a [`HistoryStep`] |
//! | `top[61:0]`, `has_top` | in | the newest return address before it |
//! | `step`, `place` | out | the step, and its [`HistoryPlace`] |
//! | `is_outcome`, `taken`, `comes` | out | it has an outcome, which is this; it has an outcome or a target |
//! | `by_address[15:0]`, `by_history[15:0]` | out | the counters of an outcome |
//! | `outcome_place[15:0]` | out | its place in the ring of outcomes |
//! | `key[15:0]`, `entry[P-1:0]` | out | the place of the match table, and what is put there: {place of the next target, of the next outcome, 1} |
//!
//! An encoder sees the outcomes, so the histories go ahead of all predictions. What has fewer bits in a preset
//! is 0 above them.
//!
//! Latency 1 cycle. Throughput one step per cycle. The model is `coretrace_compress::History`.

use super::bit_scan::moved;
use super::branch_bits::ADDRESS_W;
use super::hash::fold;
use super::history_steps::{HISTORY_STEP_W, HistoryStep};
use coretrace_abi::compressed::history::{MATCH_HISTORY, PRESETS};
use coretrace_hdl_dataflow::{Bus, Word, clocked_block, layout, named};
use rust_hdl::prelude::*;

/// Bits of a place of a table or a ring.
pub const PLACE_BITS: usize = 16;
/// Bits of the path of targets, and of an address and a target that it is mixed with.
pub(crate) const PATH_W: u32 = 16;
/// Bits of a target in the history.
pub(crate) const TARGET_HASH_W: u32 = 4;
/// Bits by which a target moves the path.
pub(crate) const PATH_STEP: u32 = 3;

layout! {
    /// What a step finds in tables.
    pub struct HistoryPlace {
        /// The places of the next outcome and the next target, behind the step.
        end_outcome: PLACE_BITS,
        end_target: PLACE_BITS,
        /// All places of the ring of targets were written since the start.
        is_wrapped: 1,
        /// The place of its expected target.
        by_path: PLACE_BITS,
        top: ADDRESS_W,
        has_top: 1,
    }
}

/// Bits of a [`HistoryPlace`].
pub const HISTORY_PLACE_W: usize = HistoryPlace::WIDTH;

clocked_block! {
    /// See the module text.
    pub struct HistoryPlaces;
    inputs PlacesInputs {
        clear: Bit,
        step_in: Bus<HISTORY_STEP_W>,
        top: Bits<ADDRESS_W>,
        has_top: Bit,
    }
    lane_inputs {}
    outputs PlacesOutputs {
        step: Bus<HISTORY_STEP_W>,
        place: Bus<HISTORY_PLACE_W>,
        is_outcome: Bit,
        taken: Bit,
        comes: Bit,
        by_address: Bits<PLACE_BITS>,
        by_history: Bits<PLACE_BITS>,
        outcome_place: Bits<PLACE_BITS>,
        key: Bits<PLACE_BITS>,
        entry: Bus<P>,
    }
    lane_outputs {}
    pair_outputs {}
    kernel places;
}

#[named]
fn places<T: Word, const N: usize, const P: usize>(
    i: PlacesInputs<T::Port, N>,
) -> PlacesOutputs<T, N, P> {
    let preset = PRESETS[N];
    let sizes = preset.matches;
    let clear = T::field(&i.clear, 0, 1);
    let step = HistoryStep::<T>::unpack(&i.step_in);
    let target = step.value.slice(0, PATH_W);
    let wide = |place: T| place.extend(PLACE_BITS as u32);

    let (newest, newest_next) = T::register(MATCH_HISTORY, 0);
    let taken = newest.slice(0, MATCH_HISTORY - 1).concat(step.taken);
    let led = fold(target, TARGET_HASH_W).extend(MATCH_HISTORY);
    let led = moved(newest, TARGET_HASH_W, MATCH_HISTORY).xor(led);
    let other = step.is_outcome.mux(taken, newest);
    let behind = step.is_target.mux(led, other);
    T::set_next(newest_next, behind.mask(clear.not()));

    let (path, path_next) = T::register(PATH_W, 0);
    let walked = step
        .is_target
        .mux(moved(path, PATH_STEP, PATH_W).xor(target), path);
    T::set_next(path_next, walked.mask(clear.not()));

    let outcomes = RingEnd::new(clear, step.is_outcome, sizes.outcome_bits);
    let targets = RingEnd::new(clear, step.is_target, sizes.target_bits);
    let (end_outcome, end_target) = (wide(outcomes.behind), wide(targets.behind));

    let bits = preset.history_counter_bits;
    let history = fold(newest.slice(0, preset.history), bits);
    let by_history = fold(step.place, bits).xor(history);
    let bits = sizes.place_bits;
    let key = fold(behind, bits).xor(fold(step.place, bits));
    let bits = preset.table_bits;
    let by_path = fold(step.place.slice(0, PATH_W), bits).xor(fold(path, bits));
    let place = HistoryPlace {
        end_outcome,
        end_target,
        is_wrapped: targets.is_wrapped,
        by_path: wide(by_path),
        top: T::field(&i.top, 0, ADDRESS_W as u32),
        has_top: T::field(&i.has_top, 0, 1),
    };
    PlacesOutputs {
        step: step.pack(),
        place: place.pack(),
        is_outcome: vec![step.is_outcome],
        taken: vec![step.taken],
        comes: vec![step.is_outcome.or(step.is_target)],
        by_address: vec![wide(step.place.slice(0, preset.address_counter_bits))],
        by_history: vec![wide(by_history)],
        outcome_place: vec![wide(outcomes.place)],
        key: vec![wide(key)],
        entry: vec![T::constant(1, 1), outcomes.behind, targets.behind],
    }
}

/// Where a ring is written.
pub(crate) struct RingEnd<T> {
    /// The place of a symbol of this step, and that of the next one behind it.
    pub place: T,
    pub behind: T,
    /// All places were written since the start.
    pub is_wrapped: T,
}

#[named]
impl<T: Word> RingEnd<T> {
    pub fn new(clear: T, comes: T, bits: u32) -> RingEnd<T> {
        let (place, place_next) = T::register(bits, 0);
        let (was_wrapped, wrapped_next) = T::register(1, 0);
        let sum = place.extend(bits + 1).add(comes.extend(bits + 1));
        let behind = sum.slice(0, bits);
        let is_wrapped = was_wrapped.or(sum.bit(bits));
        T::set_next(place_next, behind.mask(clear.not()));
        T::set_next(wrapped_next, is_wrapped.mask(clear.not()));
        RingEnd {
            place,
            behind,
            is_wrapped,
        }
    }
}
