// SPDX-License-Identifier: MIT OR Apache-2.0
//! The young end of a commit ring: items come in, and what is taken back leaves.
//!
//! A Cancel or a misprediction waits until everything that is final is out. Then the oldest word goes back
//! to memory, so that the walk over the youngest words finds all of them there.

use super::item::{ELEMENTS_W, ItemKind, KIND_W, REASON_W};
use super::ring_depth::{LEAST_RING_W, RING_DEPTH_W, RingChange, RingDepth, is_refused};
use super::ring_word::{COUNT_W, RING_WORD_W, RingWord, Run, one_back};
use coretrace_abi::flow_table::LostReason;
use coretrace_hdl_dataflow::{
    Bus, Word, all, any, kernel_block, layout, minus, named, priority_mux,
};
use coretrace_hdl_etm::{SOURCE_SETTINGS_W, SourceSettings};
use rust_hdl::prelude::*;

/// What the young end is at.
mod phase {
    /// The item itself.
    pub const TAKE: u64 = 0;
    /// The youngest elements are taken back: waits for the way out.
    pub const CANCEL: u64 = 1;
    /// The youngest atom is the other one: waits for the way out.
    pub const MISPREDICT: u64 = 2;
    /// Nothing goes on: waits for the way out.
    pub const LOSE: u64 = 3;
    /// The oldest word goes back to memory.
    pub const UNLOAD: u64 = 4;
    /// The youngest word is read, and is in its register a cycle later.
    pub const READ: u64 = 5;
    pub const FETCH: u64 = 6;
    /// It is taken back, or it is looked at: is it the one with the atom?
    pub const WALK: u64 = 7;
}

layout! {
    /// The state of the young end, without the places of its words.
    pub struct RingState {
        phase: 3,
        /// The phase is `TAKE`, and the item has not ended.
        takes: 1,
        /// There were few places two cycles ago. Behind the items of these cycles two are left, one of them
        /// for the oldest word.
        full: 1,
        /// There was a Trace Info since the last loss.
        synced: 1,
        /// Nothing was final a cycle ago that is not out.
        drained: 1,
        /// The walk looks for the youngest atom; or everything is taken back.
        flips: 1,
        takes_all: 1,
        /// The item that comes next is not what the walk is for; or it is, and the walk has ended.
        again: 1,
        ended: 1,
        reason: REASON_W,
        /// Elements to take back.
        back: ELEMENTS_W,
    }
}

/// Bits of the state.
pub const RING_STATE_W: usize = RingState::WIDTH;

kernel_block! {
    /// A cycle of the young end of a ring of 2^N places; without logic where `N` is less than
    /// [`LEAST_RING_W`].
    pub struct RingStep;
    inputs RingInputs {
        reset: Bit,
        source: Bus<SOURCE_SETTINGS_W>,
        passes: Bit,
        valid: Bit,
        word: Bus<RING_WORD_W>,
        state: Bus<RING_STATE_W>,
        depth: Bus<RING_DEPTH_W>,
        young: Bus<RING_WORD_W>,
        oldest: Bus<RING_WORD_W>,
        has_oldest: Bit,
        rests: Bit,
        head: Bits<N>,
        tail: Bits<N>,
        place: Bits<N>,
        ahead: Bits<N>,
        free: Bits<N>,
        ready: Bit,
    }
    lane_inputs {}
    outputs RingOutputs {
        refused: Bit,
        passes_next: Bit,
        is_free: Bit,
        state_next: Bus<RING_STATE_W>,
        depth_next: Bus<RING_DEPTH_W>,
        tail_next: Bits<N>,
        place_next: Bits<N>,
        ahead_next: Bits<N>,
        walks: Bit,
        unloads: Bit,
        writes: Bit,
        write_address: Bits<N>,
        write_word: Bus<RING_WORD_W>,
        goes: Bit,
        going: Bus<RING_WORD_W>,
        taken_back: Bits<5>,
    }
    lane_outputs {}
    kernel ring_step;
}

/// The youngest word that is not looked at yet, in a walk.
struct Walk<T> {
    /// It is there.
    is_some: T,
    /// It is taken back, or it has no atom: the walk goes on.
    steps: T,
    /// Some of its atoms are taken back.
    cuts: T,
    /// It is looked at: with atoms its last one becomes the other one.
    flips: T,
    changed: RingWord<T>,
    /// Elements to take back behind it.
    back: T,
    /// Atoms that are taken back.
    taken_back: T,
}

fn walk<T: Word>(state: &RingState<T>, young: &RingWord<T>, is_some: T) -> Walk<T> {
    let walks = state.phase.is(phase::WALK);
    let (class, run) = (young.class(), Run::of(young));
    let wide = ELEMENTS_W as u32 + 1;
    let left = minus(state.back.extend(wide), run.count.extend(wide));
    let is_cut = class.atoms.and(left.bit(ELEMENTS_W as u32));
    let is_cut = is_cut.and(state.takes_all.not());
    let wanted = state.takes_all.or(state.back.any());
    let backs = all(&[walks, state.flips.not(), wanted, is_some]);
    let looks = all(&[walks, state.flips, is_some]);
    let back_count = state.back.slice(0, COUNT_W);
    // An address behind the atom is no longer true, its context is.
    let is = |kind: ItemKind| young.kind.is(kind as u64);
    let constant = |kind: ItemKind| T::constant(kind as u64, KIND_W as u32);
    let kind = priority_mux(
        &[
            (is(ItemKind::Address), constant(ItemKind::Nothing)),
            (is(ItemKind::AddressInContext), constant(ItemKind::Context)),
        ],
        young.kind,
    );
    let cut = run.first(minus(run.count, back_count));
    let changed_run = Run::mux(state.flips, run.flipped(), cut);
    let changed_run = Run::mux(class.atoms, changed_run, Run { ..run });
    Walk {
        is_some,
        steps: backs.and(is_cut.not()).or(looks.and(class.atoms.not())),
        cuts: backs.and(is_cut),
        flips: looks,
        changed: RingWord {
            kind: state.flips.mux(kind, young.kind),
            ..young.with_run(&changed_run)
        },
        back: left.slice(0, ELEMENTS_W as u32),
        taken_back: is_cut
            .mux(back_count, run.count)
            .mask(backs.and(class.atoms.or(class.source))),
    }
}

/// A bus of zeros.
fn zeros<T: Word>(width: usize) -> Vec<T> {
    let part = |low: usize| T::constant(0, (width - low).min(64) as u32);
    (0..width).step_by(64).map(part).collect()
}

/// There is no ring.
fn wire<T: Word, const N: usize>(refused: T) -> RingOutputs<T, N> {
    RingOutputs {
        refused: vec![refused],
        passes_next: zeros(1),
        is_free: zeros(1),
        state_next: zeros(RING_STATE_W),
        depth_next: zeros(RING_DEPTH_W),
        tail_next: zeros(N),
        place_next: zeros(N),
        ahead_next: zeros(N),
        walks: zeros(1),
        unloads: zeros(1),
        writes: zeros(1),
        write_address: zeros(N),
        write_word: zeros(RING_WORD_W),
        goes: zeros(1),
        going: zeros(RING_WORD_W),
        taken_back: zeros(5),
    }
}

#[named]
fn ring_step<T: Word, const N: usize>(i: RingInputs<T::Port, N>) -> RingOutputs<T, N> {
    let bit = |port: &T::Port| T::field(port, 0, 1);
    let (live, ready, valid) = (bit(&i.reset).not(), bit(&i.ready), bit(&i.valid));
    let (has_oldest, rests) = (bit(&i.has_oldest), bit(&i.rests));
    let max_spec = SourceSettings::<T>::unpack(&i.source).trcidr8;
    let refused = is_refused(max_spec, N);
    if N < LEAST_RING_W {
        return wire(refused);
    }
    let passes_next = max_spec.any().not();
    let passes = bit(&i.passes);
    let max_spec = max_spec.slice(0, ELEMENTS_W as u32);
    let state = RingState::<T>::unpack(&i.state);
    let depth = RingDepth::<T>::unpack(&i.depth);
    let word = RingWord::<T>::unpack(&i.word);
    let oldest = RingWord::<T>::unpack(&i.oldest);
    let young = RingWord::<T>::unpack(&i.young);
    let places = [&i.head, &i.tail, &i.place, &i.ahead];
    let [head, tail, place, ahead] = places.map(|port| T::field(port, 0, N as u32));
    let free = T::field(&i.free, 0, N as u32);
    let in_phase = |code: u64| valid.and(state.phase.is(code));
    let drained = state.drained;

    // An item comes in.
    let class = word.class();
    let of = word.speculation();
    let takes = valid.and(state.takes);
    let kept = takes.and(state.synced);
    let is_open = any(&[class.atoms, class.source, class.at_once, passes]);
    let goes = all(&[
        takes,
        ready,
        state.synced.mux(class.at_once.and(drained), is_open),
    ]);
    let ignored = all(&[takes, state.synced.not(), is_open.not()]);
    let behind = tail.add_const(1);
    let is_full = state.full;
    let pushes = all(&[kept, class.waits, is_full.not()]);
    let overflows = all(&[kept, class.waits, is_full, drained]);
    let resolves = kept.and(class.resolves);
    let lacks = depth.lacks(of.elements);
    let commits = all(&[resolves, of.commits, lacks.not()]);
    let begins = all(&[
        takes,
        ready,
        class.begins,
        state.synced.not(),
        refused.not(),
        passes.not(),
    ]);

    // The youngest words are taken back, or looked at.
    let cancel = in_phase(phase::CANCEL).and(drained);
    let cancels = cancel.and(lacks.not());
    let searches = in_phase(phase::MISPREDICT).and(drained);
    let walk = walk(&state, &young, place.eq(head).not());
    let walks = state.phase.is(phase::WALK);
    let backs_some = all(&[walks, state.flips.not(), state.takes_all.not()]);
    let is_back = any(&[walk.is_some.not(), state.back.any().not(), walk.cuts]);
    let back_ends = backs_some.and(is_back);
    let found = walk.flips.and(young.class().atoms);
    let not_found = all(&[walks, state.flips, walk.is_some.not()]);
    let unseen = depth.unseen.any();
    let ends_all = all(&[walks, state.takes_all, walk.is_some.not(), ready]);

    // What comes next.
    let speaks = pushes.or(resolves);
    let starts_cancel = speaks.and(class.cancels);
    let starts_mispredict = any(&[
        all(&[speaks, class.cancels.not(), class.mispredicts]),
        back_ends.and(class.mispredicts),
    ]);
    let bad_commit = all(&[resolves, of.commits, lacks]);
    let is_bad = any(&[bad_commit, cancel.and(lacks), not_found.and(unseen.not())]);
    let loses = any(&[kept.and(class.loses), overflows, is_bad]);
    let taken = any(&[
        goes,
        ignored,
        all(&[speaks, class.cancels.not(), class.mispredicts.not()]),
    ]);
    let ended = any(&[
        back_ends.and(class.mispredicts.not()),
        found,
        not_found.and(unseen),
        ends_all,
    ]);
    let done = taken.or(state.ended.and(state.again.not()));
    let to = |from: T, code: u64| (from, T::constant(code, 3));
    let lose_drained = state.phase.is(phase::LOSE).and(drained);
    let unloads = state.phase.is(phase::UNLOAD);
    let phase = priority_mux(
        &[
            to(ended.or(live.not()), phase::TAKE),
            to(starts_cancel, phase::CANCEL),
            to(starts_mispredict, phase::MISPREDICT),
            to(loses, phase::LOSE),
            to(any(&[cancels, searches, lose_drained]), phase::UNLOAD),
            to(unloads, phase::READ),
            to(state.phase.is(phase::READ), phase::FETCH),
            to(state.phase.is(phase::FETCH), phase::WALK),
        ],
        state.phase,
    );
    let gone = ends_all.or(live.not());
    let code = |reason: LostReason| T::constant(reason as u64, REASON_W as u32);
    let state_next = RingState {
        phase,
        full: free.any().and(free.slice(3, N as u32 - 3).any().not()),
        takes: phase.any().not().and(ended.not()),
        synced: begins.or(state.synced.and(gone.not())),
        drained: all(&[rests, depth.moves().not(), pushes.not(), resolves.not()]),
        flips: searches.or(state.flips.and(cancels.or(lose_drained).not())),
        takes_all: lose_drained.or(state.takes_all.and(cancels.or(searches).not())),
        again: any(&[overflows, bad_commit, state.again.and(state.ended.not())]).and(live),
        ended: ended.and(live),
        reason: priority_mux(
            &[
                (overflows, code(LostReason::Dropped)),
                (is_bad, code(LostReason::BadPacket)),
                (loses, Run::of(&word).pattern.slice(0, REASON_W as u32)),
            ],
            state.reason,
        ),
        back: priority_mux(
            &[(cancels, of.elements), (walk.steps, walk.back)],
            state.back,
        ),
    };
    let change = RingChange {
        clears: gone,
        begins,
        pushes: pushes.and(class.p0),
        amount: Run::of(&word).count.extend(ELEMENTS_W as u32),
        commits,
        cancels,
        elements: of.elements,
        cancels_unseen: back_ends.and(walk.is_some.not()),
        back: state.back,
    };

    // Words.
    let gap = RingWord::gap(state.reason, &word);
    let writes = any(&[pushes, unloads.and(has_oldest), walk.cuts, walk.flips]);
    let is_taking = state.phase.is(phase::TAKE);
    let write_word = RingWord::mux(unloads, oldest, walk.changed);
    let place_back = one_back(place);
    let write_address = unloads.mux(one_back(head), place_back);
    let is_at_tail = back_ends.or(ends_all);
    let tail_next = priority_mux(&[(pushes, behind), (is_at_tail, place)], tail);
    RingOutputs {
        refused: vec![refused],
        passes_next: vec![passes_next],
        is_free: vec![done.or(valid.not())],
        state_next: state_next.pack(),
        depth_next: depth.next(max_spec, &change).pack(),
        tail_next: vec![tail_next.mask(live)],
        place_next: vec![priority_mux(
            &[(unloads, tail), (walk.steps, place_back)],
            place,
        )],
        ahead_next: vec![one_back(unloads.mux(tail, ahead))],
        walks: vec![state.phase.bit(2)],
        unloads: vec![unloads],
        writes: vec![writes],
        write_address: vec![is_taking.mux(tail, write_address)],
        write_word: RingWord::mux(is_taking, word, write_word).pack(),
        goes: vec![goes.or(ends_all)],
        going: RingWord::mux(is_taking, word, gap).pack(),
        taken_back: vec![walk.taken_back],
    }
}
