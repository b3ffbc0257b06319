// SPDX-License-Identifier: MIT OR Apache-2.0
//! `RunPlace`: the site from which a step went along branches that were not taken, and how many they were.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `spans` | in | they have no atoms: they are those from `left_at` up to `reached` |
//! | `last[N-1:0]`, `count[4:0]` | in | otherwise: the site behind their N atoms, and the number of these |
//! | `left_at[N-1:0]`, `reached[N-1:0]` | in | as [`Walker`](super::Walker) puts them out |
//! | `base[N-1:0]` | out | the first of them |
//! | `most[4:0]` | out | how many they are; 31 stands for more, too |
//! | `passes` | out | there is one |
//! | `goes_back` | out | `reached` is in front of `left_at` |
//!
//! Combinational.

use super::item::ATOMS_W;
use coretrace_hdl_dataflow::{Word, join, kernel_block, minus, named};
use rust_hdl::prelude::*;

kernel_block! {
    /// Where a run begins; see the module text. `N` bits of a site.
    pub struct RunPlace;
    inputs RunPlaceInputs {
        spans: Bit,
        count: Bits<ATOMS_W>,
        last: Bits<N>,
        left_at: Bits<N>,
        reached: Bits<N>,
    }
    lane_inputs {}
    outputs RunPlaceOutputs {
        base: Bits<N>,
        most: Bits<ATOMS_W>,
        passes: Bit,
        goes_back: Bit,
    }
    lane_outputs {}
    kernel run_place;
}

#[named]
fn run_place<T: Word, const N: usize>(i: RunPlaceInputs<T::Port, N>) -> RunPlaceOutputs<T, N> {
    let (width, atoms_w) = (N as u32, ATOMS_W as u32);
    let sites = |port: &T::Port| T::field(port, 0, width);
    let spans = T::field(&i.spans, 0, 1);
    let count = T::field(&i.count, 0, atoms_w);
    let (left_at, reached) = (sites(&i.left_at), sites(&i.reached));
    // Where the N atoms began, from where they ended: so the loop of the walker drives nothing but itself.
    let began = minus(sites(&i.last), count.extend(width));
    let far = minus(reached.extend(width + 1), left_at.extend(width + 1));
    let goes_back = spans.and(far.bit(width));
    let low = far.slice(0, width.min(atoms_w)).extend(atoms_w);
    let is_far = match width.checked_sub(atoms_w) {
        None | Some(0) => T::constant(0, 1),
        Some(more) => far.slice(atoms_w, more).any(),
    };
    let most = low.or(join((0..atoms_w).map(|_| is_far)));
    let passes = spans.mux(far.any().and(far.bit(width).not()), count.any());
    RunPlaceOutputs {
        base: vec![spans.mux(left_at, began)],
        most: vec![spans.mux(most, count)],
        passes: vec![passes],
        goes_back: vec![goes_back],
    }
}
