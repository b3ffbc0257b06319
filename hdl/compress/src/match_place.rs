// SPDX-License-Identifier: MIT OR Apache-2.0
//! `MatchFound`: a place that the match table has. `N` is a number of sizes, `P` are the bits of an entry.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `entry[P-1:0]` | in | as from [`HistoryPlaces`](super::HistoryPlaces) |
//! | `found` | out | a [`MatchPlace`] |
//! | `outcome[15:0]` | out | the place of its outcome |
//!
//! Latency 1 cycle. Throughput one entry per cycle.

use super::history_places::PLACE_BITS;
use super::match_sizes::match_sizes;
use coretrace_hdl_dataflow::{Bus, Word, clocked_block, layout, named};
use rust_hdl::prelude::*;

layout! {
    /// A place in both rings.
    pub struct MatchPlace {
        valid: 1,
        outcome: PLACE_BITS,
        target: PLACE_BITS,
    }
}

/// Bits of a [`MatchPlace`].
pub const MATCH_PLACE_W: usize = MatchPlace::WIDTH;

clocked_block! {
    /// See the module text.
    pub struct MatchFound;
    inputs FoundInputs { entry: Bus<P>, }
    lane_inputs {}
    outputs FoundOutputs { found: Bus<MATCH_PLACE_W>, outcome: Bits<PLACE_BITS>, }
    lane_outputs {}
    pair_outputs {}
    kernel match_found;
}

#[named]
fn match_found<T: Word, const N: usize, const P: usize>(
    i: FoundInputs<T::Port, N>,
) -> FoundOutputs<T, N, P> {
    let sizes = match_sizes(N);
    let place = |low: u32, bits: u32| T::field(&i.entry, low, bits).extend(PLACE_BITS as u32);
    let outcome = place(1, sizes.outcome_bits);
    let found = MatchPlace {
        valid: T::field(&i.entry, 0, 1),
        outcome,
        target: place(1 + sizes.outcome_bits, sizes.target_bits),
    };
    FoundOutputs {
        found: found.pack(),
        outcome: vec![outcome],
    }
}
