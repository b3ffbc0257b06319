// SPDX-License-Identifier: MIT OR Apache-2.0
//! The old end of a commit ring: what is final goes out.
//!
//! The oldest word has a *margin*: elements that are final, less its own. Its sign says whether all of
//! the word goes; a word that goes takes nothing from the margin but what the next one needs, so that
//! the loop is one addition. A word of which some atoms alone are final is split, and takes a cycle more
//! for each part.

use super::ring_depth::{RING_DEPTH_W, RingDepth};
use super::ring_word::{COUNT_W, RING_WORD_W, RingWord, Run, one_back};
use coretrace_hdl_dataflow::{Bus, Word, all, join, kernel_block, layout, minus, named};
use rust_hdl::prelude::*;

/// Bits of a number of elements that are final and in the ring.
const CREDIT_W: usize = 14;

layout! {
    /// The state of the old end, without its words.
    pub struct WayOutState {
        /// The oldest word is there; the one behind it has been read.
        has_oldest: 1,
        fetched: 1,
        /// The first atoms of the oldest word go alone, so many.
        splits: 1,
        cut: 5,
        /// Elements that are final and in the ring.
        credit: CREDIT_W,
        /// The same, less those of the oldest word.
        margin: CREDIT_W + 1,
    }
}

/// Bits of the state.
pub const WAY_OUT_STATE_W: usize = WayOutState::WIDTH;

kernel_block! {
    /// A cycle of the old end of a ring of 2^N places.
    pub struct RingWayOut;
    inputs WayOutInputs {
        reset: Bit,
        ready: Bit,
        state: Bus<WAY_OUT_STATE_W>,
        oldest: Bus<RING_WORD_W>,
        stored: Bus<RING_WORD_W>,
        head: Bits<N>,
        tail: Bits<N>,
        depth: Bus<RING_DEPTH_W>,
        walks: Bit,
        unloads: Bit,
    }
    lane_inputs {}
    outputs WayOutOutputs {
        state_next: Bus<WAY_OUT_STATE_W>,
        oldest_next: Bus<RING_WORD_W>,
        head_next: Bits<N>,
        has_oldest: Bit,
        rests: Bit,
        goes: Bit,
        going: Bus<RING_WORD_W>,
    }
    lane_outputs {}
    kernel ring_way_out;
}

#[named]
fn ring_way_out<T: Word, const N: usize>(i: WayOutInputs<T::Port, N>) -> WayOutOutputs<T, N> {
    let bit = |port: &T::Port| T::field(port, 0, 1);
    let live = bit(&i.reset).not();
    let ready = bit(&i.ready);
    let depth = RingDepth::<T>::unpack(&i.depth);
    let (seen, unseen) = (depth.seen_s2, depth.unseen.any());
    let (walks, unloads) = (bit(&i.walks), bit(&i.unloads));
    let state = WayOutState::<T>::unpack(&i.state);
    let oldest = RingWord::<T>::unpack(&i.oldest);
    let stored = RingWord::<T>::unpack(&i.stored);
    let [head, tail] = [&i.head, &i.tail].map(|port| T::field(port, 0, N as u32));
    let margin_w = CREDIT_W as u32 + 1;

    // A word goes, or a part of one.
    let (class, run) = (oldest.class(), Run::of(&oldest));
    let is_whole = state.margin.bit(CREDIT_W as u32).not();
    let is_free = class.p0.mux(is_whole, unseen.not());
    let whole_goes = all(&[state.has_oldest, state.splits.not(), is_free, ready]);
    let none_final = state.credit.any().not();
    let splits = all(&[
        state.has_oldest,
        state.splits.not(),
        is_whole.not(),
        none_final.not(),
    ]);
    let part_goes = state.splits.and(ready);
    let going_run = Run::mux(state.splits, run.first(state.cut), Run { ..run });

    // The next one comes.
    let loads = state.fetched.and(state.has_oldest.not().or(whole_goes));
    let head_behind = head.add_const(1);
    let is_last = head.eq(tail).or(loads.and(head_behind.eq(tail)));
    let head_next = loads.mux(head_behind, head);
    let head_next = unloads.and(state.has_oldest).mux(one_back(head), head_next);

    // What it may take.
    let margin = whole_goes.mux(state.margin.slice(0, CREDIT_W as u32), state.credit);
    let credit = margin.mask(splits.not()).add(seen.extend(CREDIT_W as u32));
    let needs = Run::of(&stored).count.mask(loads);
    let kept = state
        .has_oldest
        .mux(state.margin, state.credit.extend(margin_w));
    let margin = minus(kept, needs.extend(margin_w)).add(seen.extend(margin_w));

    let state_next = WayOutState {
        has_oldest: all(&[
            live,
            unloads.not(),
            loads.or(state.has_oldest.and(whole_goes.not())),
        ]),
        fetched: all(&[live, walks.not(), is_last.not()]),
        splits: all(&[live, splits.or(state.splits.and(ready.not()))]),
        cut: state.splits.mux(state.cut, state.credit.slice(0, COUNT_W)),
        credit: credit.mask(live),
        margin: margin.mask(live),
    };
    let rest = oldest.with_run(&run.behind(state.cut));
    let kept = RingWord {
        run: part_goes.mux(rest.run, oldest.run),
        ..oldest
    };
    let is_empty = head.eq(tail);
    let blocked = class.p0.or(unseen);
    WayOutOutputs {
        state_next: state_next.pack(),
        oldest_next: RingWord::mux(loads, stored, kept).pack(),
        head_next: vec![head_next.mask(live)],
        has_oldest: vec![state.has_oldest],
        rests: vec![all(&[
            none_final,
            state.splits.not(),
            state.has_oldest.mux(blocked, is_empty),
        ])],
        goes: vec![whole_goes.or(part_goes)],
        going: RingWord {
            run: join(going_run.pack()),
            ..oldest
        }
        .pack(),
    }
}
