// SPDX-License-Identifier: MIT OR Apache-2.0
//! `ElementPlaces`: where a step of an element looks up the tables of XE. `P` are the bits of an entry of the match
//! table, `N` is 1.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clear` | in | the histories, the last address and the rings begin again |
//! | `step_in` | in | a [`HistoryStep`] |
//! | `step`, `place` | out | the step, and its [`HistoryPlace`]; it has no return address |
//! | `is_atom`, `taken`, `has_flag`, `has_address` | out | it has an atom, which is this; the atom is an E, and an address follows |
//! | `comes` | out | its element ends |
//! | `by_address[15:0]`, `by_history[15:0]` | out | the counters of the atom; that of the flag has the place by history |
//! | `outcome_place[15:0]` | out | its place in the rings of atoms and flags |
//! | `key[15:0]`, `entry[P-1:0]` | out | as from [`HistoryPlaces`](super::HistoryPlaces) |
//!
//! Latency 1 cycle. Throughput one step per cycle. The model is `coretrace_compress::Elements`.

use super::bit_scan::moved;
use super::branch_bits::ADDRESS_W;
use super::hash::fold;
use super::history_places::{
    HISTORY_PLACE_W, HistoryPlace, PATH_STEP, PATH_W, PLACE_BITS, RingEnd, TARGET_HASH_W,
};
use super::history_steps::{HISTORY_STEP_W, HistoryStep, PLACE_W};
use coretrace_abi::compressed::history::MATCH_HISTORY;
use coretrace_abi::compressed::history::elements::{
    ADDRESS_COUNTER_BITS, ATOMS, HISTORY, HISTORY_COUNTER_BITS, MATCHES, TABLE_BITS,
};
use coretrace_hdl_dataflow::{Bus, Word, clocked_block, named};
use rust_hdl::prelude::*;

/// Newest atoms that select an expected address.
const PATH_ATOMS: u32 = 4;

clocked_block! {
    /// See the module text.
    pub struct ElementPlaces;
    inputs PlacesInputs { clear: Bit, step_in: Bus<HISTORY_STEP_W>, }
    lane_inputs {}
    outputs PlacesOutputs {
        step: Bus<HISTORY_STEP_W>,
        place: Bus<HISTORY_PLACE_W>,
        is_atom: Bit,
        taken: Bit,
        has_flag: Bit,
        has_address: Bit,
        comes: Bit,
        by_address: Bits<PLACE_BITS>,
        by_history: Bits<PLACE_BITS>,
        outcome_place: Bits<PLACE_BITS>,
        key: Bits<PLACE_BITS>,
        entry: Bus<P>,
    }
    lane_outputs {}
    pair_outputs {}
    kernel element_places;
}

#[named]
fn element_places<T: Word, const N: usize, const P: usize>(
    i: PlacesInputs<T::Port, N>,
) -> PlacesOutputs<T, N, P> {
    let lives = T::field(&i.clear, 0, 1).not();
    let step = HistoryStep::<T>::unpack(&i.step_in);
    let target = step.value.slice(0, PATH_W);
    let wide = |place: T| place.extend(PLACE_BITS as u32);

    let (newest, newest_next) = T::register(MATCH_HISTORY, 0);
    let taken = newest.slice(0, MATCH_HISTORY - 1).concat(step.taken);
    let led = fold(target, TARGET_HASH_W).extend(MATCH_HISTORY);
    let led = moved(newest, TARGET_HASH_W, MATCH_HISTORY).xor(led);
    let other = step.is_outcome.mux(taken, newest);
    let behind = step.is_target.mux(led, other);
    T::set_next(newest_next, behind.mask(lives));

    let (path, path_next) = T::register(PATH_W, 0);
    let walked = step
        .is_target
        .mux(moved(path, PATH_STEP, PATH_W).xor(target), path);
    T::set_next(path_next, walked.mask(lives));

    let (last, last_next) = T::register(PLACE_W as u32, 0);
    let address = step
        .is_target
        .mux(step.value.slice(0, PLACE_W as u32), last);
    T::set_next(last_next, address.mask(lives));

    let clear = lives.not();
    let outcomes = RingEnd::new(clear, step.is_outcome, MATCHES.outcome_bits);
    let targets = RingEnd::new(clear, step.is_target, MATCHES.target_bits);

    let of_address = fold(last, HISTORY_COUNTER_BITS);
    let atoms = newest.slice(0, ATOMS).extend(HISTORY_COUNTER_BITS);
    let by_address = of_address.xor(atoms).slice(0, ADDRESS_COUNTER_BITS);
    let by_history = of_address.xor(fold(newest.slice(0, HISTORY), HISTORY_COUNTER_BITS));
    let bits = MATCHES.place_bits;
    let key = fold(behind, bits).xor(fold(address, bits));
    // The atoms in front of this one.
    let before_atom = newest.slice(1, PATH_ATOMS).extend(TABLE_BITS);
    let place = HistoryPlace {
        end_outcome: wide(outcomes.behind),
        end_target: wide(targets.behind),
        is_wrapped: targets.is_wrapped,
        by_path: wide(fold(path, TABLE_BITS).xor(before_atom)),
        top: T::constant(0, ADDRESS_W as u32),
        has_top: T::constant(0, 1),
    };
    PlacesOutputs {
        step: step.pack(),
        place: place.pack(),
        is_atom: vec![step.is_outcome],
        taken: vec![step.taken],
        has_flag: vec![step.has_flag],
        has_address: vec![step.has_address],
        comes: vec![
            step.is_outcome
                .and(step.has_address.not())
                .or(step.is_target),
        ],
        by_address: vec![wide(by_address)],
        by_history: vec![wide(by_history)],
        outcome_place: vec![wide(outcomes.place)],
        key: vec![wide(key)],
        entry: vec![T::constant(1, 1), outcomes.behind, targets.behind],
    }
}
