// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a commit ring does in a cycle.
//!
//! What comes in and what goes out run side by side. A Cancel or a misprediction waits until everything
//! that is final is out: behind that the ring has nothing that the way out could need at the same time.

use super::item::{ELEMENTS_W, ITEM_W, Item, ItemKind, REASON_W};
use super::ring_word::{COUNT_W, Class, RING_WORD_W, RingWord, Run};
use coretrace_abi::flow_table::{ISA_BITS, LostReason, SPACE_BITS};
use coretrace_hdl_dataflow::{
    Bus, Word, all, any, join, kernel_block, layout, named, priority_mux,
};
use coretrace_hdl_etm::{SOURCE_SETTINGS_W, SourceSettings};
use rust_hdl::prelude::*;

/// The fewest address bits of a ring.
pub const LEAST_RING_W: usize = 4;

const ISA_W: usize = ISA_BITS as usize;
const SPACE_W: usize = SPACE_BITS as usize;
/// Bits of a number of words of a ring, and of their atoms.
const WORDS_W: usize = 10;
const RELEASED_W: usize = 14;

/// What the ring is at.
mod phase {
    /// The item itself.
    pub const TAKE: u64 = 0;
    /// The youngest elements are taken back: waits for the way out.
    pub const CANCEL: u64 = 1;
    /// The youngest atom is the other one: waits for the way out.
    pub const MISPREDICT: u64 = 2;
    /// Nothing goes on: waits for the way out.
    pub const LOSE: u64 = 3;
    /// The youngest word is read; it is taken back.
    pub const BACK_READ: u64 = 4;
    pub const BACK: u64 = 5;
    /// The youngest word not looked at is read; is it the one with the atom?
    pub const FLIP_READ: u64 = 6;
    pub const FLIP: u64 = 7;
}

layout! {
    /// The state of a ring, without the places of its words.
    pub struct RingState {
        phase: 3,
        /// There was a Trace Info since the last loss.
        synced: 1,
        /// Everything is taken back; the item comes again behind that.
        takes_all: 1,
        again: 1,
        reason: REASON_W,
        /// P0 elements that are not final, and those of them that were sent before the Trace Info.
        depth: ELEMENTS_W,
        unseen: ELEMENTS_W,
        /// Elements to take back.
        back: ELEMENTS_W,
        /// Elements that became final a cycle ago, and those that the ring has two cycles ago.
        final_s1: ELEMENTS_W,
        seen_s2: ELEMENTS_W,
        /// Elements that are final and in the ring.
        released: RELEASED_W,
        /// Words with atoms.
        runs: WORDS_W,
        /// The context of the next address.
        known: 1,
        a64: 1,
        space: SPACE_W,
        /// The oldest word is there; the one behind it has been read.
        has_oldest: 1,
        fetched: 1,
    }
}

layout! {
    /// What goes out.
    pub struct RingOut {
        item: ITEM_W,
        isa: ISA_W,
        space: SPACE_W,
        address: 64,
    }
}

/// Bits of what goes out.
pub const RING_OUT_W: usize = RingOut::WIDTH;
/// Bits of the state.
pub const RING_STATE_W: usize = RingState::WIDTH;

kernel_block! {
    /// A cycle of a ring of 2^N places; without logic where `N` is less than [`LEAST_RING_W`].
    pub struct RingStep;
    inputs RingInputs {
        reset: Bit,
        source: Bus<SOURCE_SETTINGS_W>,
        item: Bus<ITEM_W>,
        address: Bus<64>,
        isa: Bits<ISA_W>,
        space: Bits<SPACE_W>,
        valid: Bit,
        word: Bus<RING_WORD_W>,
        state: Bus<RING_STATE_W>,
        oldest: Bus<RING_WORD_W>,
        stored: Bus<RING_WORD_W>,
        head: Bits<N>,
        tail: Bits<N>,
        place: Bits<N>,
        sent: Bus<RING_OUT_W>,
        ready: Bit,
    }
    lane_inputs {}
    outputs RingOutputs {
        word_in: Bus<RING_WORD_W>,
        comes: Bit,
        done: Bit,
        refused: Bit,
        state_next: Bus<RING_STATE_W>,
        oldest_next: Bus<RING_WORD_W>,
        head_next: Bits<N>,
        tail_next: Bits<N>,
        place_next: Bits<N>,
        read_address: Bits<N>,
        writes: Bit,
        write_address: Bits<N>,
        write_word: Bus<RING_WORD_W>,
        sent_next: Bus<RING_OUT_W>,
        m_item: Bus<ITEM_W>,
        m_address: Bus<64>,
        m_isa: Bits<ISA_W>,
        m_space: Bits<SPACE_W>,
        taken_back: Bits<5>,
    }
    lane_outputs {}
    kernel ring_step;
}

/// The way out: the oldest word, and how much of it goes.
struct WayOut<T> {
    class: Class<T>,
    /// Its atoms, and those that go.
    run: Run<T>,
    sent: Run<T>,
    /// It goes, with nothing left.
    emits: T,
    leaves: T,
    /// It cannot go before something else is final.
    blocked: T,
    released: T,
}

fn way_out<T: Word>(state: &RingState<T>, oldest: &RingWord<T>, ready: T) -> WayOut<T> {
    let class = Class::of(oldest);
    let run = Run::of(oldest);
    let is_p0 = class.atoms.or(class.other_p0);
    let needs = class.atoms.mux(run.count, T::constant(1, COUNT_W));
    let wide = RELEASED_W as u32 + 1;
    let left = state
        .released
        .extend(wide)
        .add(needs.extend(wide).not())
        .add_const(1);
    let is_whole = left.bit(RELEASED_W as u32).not();
    let is_free = is_p0.mux(state.released.any(), state.unseen.any().not());
    let emits = all(&[state.has_oldest, is_free, ready]);
    let less = left.slice(0, RELEASED_W as u32).mask(is_whole);
    let part = run.first(state.released.slice(0, COUNT_W));
    WayOut {
        emits,
        leaves: emits.and(is_p0.not().or(is_whole)),
        blocked: state.has_oldest.and(is_free.not()),
        released: emits.and(is_p0).mux(less, state.released),
        sent: Run::mux(is_whole, Run { ..run }, part),
        class,
        run,
    }
}

/// Whether a ring of so many address bits is too small for a speculation depth: half of its places are
/// for what is no atom, and no number of elements that is cut short is as small as the depth.
pub fn is_refused<T: Word>(max_spec: T, places_w: usize) -> T {
    let depth_w = match places_w {
        ..LEAST_RING_W => 0,
        _ => (places_w as u32 - 1).min(ELEMENTS_W as u32 - 1),
    };
    max_spec.slice(depth_w, max_spec.width() - depth_w).any()
}

/// A bus of zeros.
fn zeros<T: Word>(width: usize) -> Vec<T> {
    let part = |low: usize| T::constant(0, (width - low).min(64) as u32);
    (0..width).step_by(64).map(part).collect()
}

#[named]
fn ring_step<T: Word, const N: usize>(i: RingInputs<T::Port, N>) -> RingOutputs<T, N> {
    let (n, elements_w) = (N as u32, ELEMENTS_W as u32);
    let ready = T::field(&i.ready, 0, 1);
    let max_spec = SourceSettings::<T>::unpack(&i.source).trcidr8;
    let item = T::field(&i.item, 0, ITEM_W as u32);
    let address = T::field(&i.address, 0, 64);
    let isa = T::field(&i.isa, 0, ISA_W as u32);
    let space = T::field(&i.space, 0, SPACE_W as u32);
    let zero = |width: usize| T::constant(0, width as u32);
    if N < LEAST_RING_W {
        return RingOutputs {
            word_in: zeros(RING_WORD_W),
            comes: vec![zero(1)],
            done: vec![ready],
            refused: vec![is_refused(max_spec, N)],
            state_next: zeros(RING_STATE_W),
            oldest_next: zeros(RING_WORD_W),
            head_next: vec![zero(N)],
            tail_next: vec![zero(N)],
            place_next: vec![zero(N)],
            read_address: vec![zero(N)],
            writes: vec![zero(1)],
            write_address: vec![zero(N)],
            write_word: zeros(RING_WORD_W),
            sent_next: zeros(RING_OUT_W),
            m_item: vec![item],
            m_address: vec![address],
            m_isa: vec![isa],
            m_space: vec![space],
            taken_back: vec![zero(5)],
        };
    }
    let refused = is_refused(max_spec, N);
    let passes = max_spec.any().not();
    let max_spec = max_spec.slice(0, elements_w);
    let word_in = RingWord::of_item(item, address, isa, space);

    let live = T::field(&i.reset, 0, 1).not();
    let state = RingState::<T>::unpack(&i.state);
    let valid = T::field(&i.valid, 0, 1);
    let word = RingWord::<T>::unpack(&i.word);
    let oldest = RingWord::<T>::unpack(&i.oldest);
    let stored = RingWord::<T>::unpack(&i.stored);
    let [head, tail, place] = [&i.head, &i.tail, &i.place].map(|port| T::field(port, 0, n));
    let one_back = |place: T| place.add(T::constant(u64::MAX >> (64 - n), n));
    let in_phase = |code: u64| valid.and(state.phase.is(code));
    let walks = state.phase.bit(2);
    let stored_none = head.eq(tail);

    // What is final goes out.
    let out = way_out(&state, &oldest, ready);
    let in_flight = any(&[
        state.released.any(),
        state.final_s1.any(),
        state.seen_s2.any(),
    ]);
    let is_empty = stored_none.and(state.has_oldest.not());
    let drained = in_flight.not().and(out.blocked.or(is_empty));
    let loads = state.fetched.and(state.has_oldest.not().or(out.leaves));
    let head_next = loads.mux(head.add_const(1), head);

    // An item comes in.
    let class = Class::of(&word);
    let run = Run::of(&word);
    let of = word.speculation();
    let takes = in_phase(phase::TAKE);
    let synced = state.synced;
    let at_once = any(&[class.at_once, class.atoms.and(synced.not()), passes]);
    let goes = all(&[takes, at_once, drained, ready]);
    let is_p0 = class.atoms.or(class.other_p0);
    let waits = all(&[takes, at_once.not(), synced, is_p0.or(class.side)]);
    let has_room = tail.add_const(1).eq(head).not();
    let pushes = waits.and(has_room);
    let overflows = all(&[waits, has_room.not(), drained]);
    let is_resolution = word.kind.is(ItemKind::Resolution as u64);
    let resolves = all(&[takes, at_once.not(), synced, is_resolution]);
    let loses = all(&[takes, at_once.not(), synced, class.gap]);
    let ignored = all(&[takes, at_once.not(), synced.not()]);

    // How many elements are not final then.
    let amount = class.atoms.mux(run.count, T::constant(1, COUNT_W));
    let sum = state.depth.add(amount.extend(elements_w));
    let is_beyond = max_spec.lt(sum);
    let beyond = sum.add(max_spec.not()).add_const(1);
    let too_many = state.depth.lt(of.elements);
    let less = state.depth.add(of.elements.not()).add_const(1);
    let commits = all(&[resolves, of.commits, too_many.not()]);
    let begins = all(&[
        goes,
        word.kind.is(ItemKind::TraceInfo as u64),
        synced.not(),
        refused.not(),
        passes.not(),
    ]);
    let cancel = in_phase(phase::CANCEL).and(drained);
    let cancels = cancel.and(too_many.not());
    let mispredict = in_phase(phase::MISPREDICT).and(drained);
    let has_atom = state.runs.any();
    let searches = mispredict.and(has_atom);
    let is_bad = any(&[
        all(&[resolves, of.commits, too_many]),
        cancel.and(too_many),
        all(&[mispredict, has_atom.not(), state.unseen.any().not()]),
    ]);
    let before = max_spec.lt(of.elements).mux(max_spec, of.elements);

    // The youngest words are taken back.
    let backs = in_phase(phase::BACK);
    let flips = in_phase(phase::FLIP);
    let in_oldest = flips.mux(place.eq(head), stored_none);
    let youngest = RingWord::mux(in_oldest, oldest, stored);
    let youngest_class = Class::of(&youngest);
    let youngest_run = Run::of(&youngest);
    let count = youngest_run.count.mask(youngest_class.atoms);
    let is_some = any(&[stored_none.not(), state.has_oldest]);
    let wanted = state.takes_all.or(state.back.any());
    let is_cut = state
        .takes_all
        .not()
        .and(state.back.lt(count.extend(elements_w)));
    let takes_back = all(&[backs, wanted, is_some]);
    let pops = takes_back.and(is_cut.not());
    let cuts = takes_back.and(is_cut);
    let back_count = state.back.slice(0, COUNT_W);
    let weight = youngest_class.other_p0.mux(T::constant(1, COUNT_W), count);
    let back_left = state.back.add(weight.extend(elements_w).not()).add_const(1);
    let kept = count.add(back_count.not()).add_const(1);
    let cut_word = youngest.with_run(&youngest_run.first(kept));
    let flipped_word = youngest.with_run(&youngest_run.flipped());
    let found = flips.and(youngest_class.atoms);
    // An address behind the atom is no longer true, its context is.
    let is = |kind: ItemKind| youngest.kind.is(kind as u64);
    let kind = priority_mux(
        &[
            (
                is(ItemKind::Address),
                T::constant(ItemKind::Nothing as u64, 4),
            ),
            (
                is(ItemKind::AddressInContext),
                T::constant(ItemKind::Context as u64, 4),
            ),
        ],
        youngest.kind,
    );
    let changed = RingWord::mux(
        backs,
        cut_word,
        RingWord {
            kind,
            ..flipped_word
        },
    );
    let changed = RingWord {
        run: youngest_class.atoms.mux(changed.run, youngest.run),
        ..changed
    };
    let changes = cuts.or(flips);
    let none_left = backs.and(is_some.not());
    let back_ends = backs
        .and(state.takes_all.not())
        .and(wanted.not().or(is_some.not()));
    let ends_all = all(&[none_left, state.takes_all, ready]);

    // What comes next.
    let go = |from: &[T], code: u64| (any(from), T::constant(code, 3));
    let behind_run = pushes.and(class.atoms);
    let starts_cancel = any(&[
        behind_run.and(of.cancels),
        resolves.and(of.commits.not()).and(of.cancels),
    ]);
    let starts_mispredict = any(&[behind_run, resolves.and(of.commits.not()), back_ends])
        .and(of.mispredicts)
        .and(starts_cancel.not());
    let loses = any(&[loses, overflows, is_bad]);
    let phase = priority_mux(
        &[
            go(&[starts_cancel], phase::CANCEL),
            go(&[starts_mispredict], phase::MISPREDICT),
            go(&[loses], phase::LOSE),
            go(
                &[cancels, in_phase(phase::LOSE).and(drained)],
                phase::BACK_READ,
            ),
            go(&[in_phase(phase::BACK_READ)], phase::BACK),
            go(&[searches], phase::FLIP_READ),
            go(&[in_phase(phase::FLIP_READ)], phase::FLIP),
        ],
        state.phase,
    );
    let mispredict_fails = all(&[mispredict, has_atom.not(), state.unseen.any()]);
    let stays = any(&[starts_cancel, starts_mispredict, loses]);
    let done = any(&[
        goes,
        pushes.and(stays.not()),
        resolves.and(stays.not()),
        ignored,
        back_ends.and(stays.not()),
        mispredict_fails,
        found,
        ends_all.and(state.again.not()),
    ]);
    let phase = any(&[done, ends_all, live.not()]).mux(T::constant(phase::TAKE, 3), phase);

    let final_now = pushes
        .and(is_p0)
        .mux(beyond.mask(is_beyond), of.elements.mask(commits));
    let unseen_less = state.unseen.add(state.final_s1.not()).add_const(1);
    let all_seen = state.unseen.lt(state.final_s1);
    let seen_now = state.final_s1.add(state.unseen.not()).add_const(1);
    let unseen_back = state.unseen.add(state.back.not()).add_const(1);
    let cancels_unseen = all(&[back_ends, is_some.not()]);
    let gone = ends_all.or(live.not());
    let depth = priority_mux(
        &[
            (gone, zero(ELEMENTS_W)),
            (begins, before),
            (pushes.and(is_p0), is_beyond.mux(max_spec, sum)),
            (commits.or(cancels), less),
        ],
        state.depth,
    );
    let unseen = priority_mux(
        &[
            (gone, zero(ELEMENTS_W)),
            (begins, before),
            (cancels_unseen, unseen_back),
            (all_seen, zero(ELEMENTS_W)),
        ],
        unseen_less,
    );
    let wide = |count: T| count.extend(RELEASED_W as u32);
    let comes_run = pushes.and(class.atoms);
    let goes_run = any(&[
        out.leaves.and(out.class.atoms),
        pops.and(youngest_class.atoms),
    ]);
    let runs = state
        .runs
        .add(comes_run.extend(WORDS_W as u32))
        .add(join((0..WORDS_W).map(|_| goes_run)));
    let has_context = any(&[
        oldest.kind.is(ItemKind::Context as u64),
        oldest.kind.is(ItemKind::AddressInContext as u64),
    ]);
    let sets_context = out.emits.and(has_context);
    let state_next = RingState {
        phase,
        synced: begins.or(synced.and(gone.not())),
        takes_all: any(&[loses, state.takes_all.and(done.or(gone).not())]).and(live),
        again: overflows.or(state.again.and(gone.not())),
        reason: priority_mux(
            &[
                (
                    overflows,
                    T::constant(LostReason::Dropped as u64, REASON_W as u32),
                ),
                (
                    is_bad,
                    T::constant(LostReason::BadPacket as u64, REASON_W as u32),
                ),
                (loses, run.pattern.slice(0, REASON_W as u32)),
            ],
            state.reason,
        ),
        depth,
        unseen,
        back: priority_mux(
            &[
                (cancels, of.elements),
                (pops, back_left),
                (cuts, zero(ELEMENTS_W)),
            ],
            state.back,
        ),
        final_s1: final_now.mask(live),
        seen_s2: seen_now.mask(all_seen.and(live)),
        released: out.released.add(wide(state.seen_s2)).mask(live),
        runs: runs.mask(live),
        known: sets_context.or(state.known.and(gone.not())),
        a64: sets_context.mux(oldest.isa.bit(0), state.a64),
        space: sets_context.mux(oldest.space, state.space),
        has_oldest: all(&[
            live,
            any(&[
                loads,
                all(&[
                    state.has_oldest,
                    out.leaves.not(),
                    pops.and(stored_none).not(),
                ]),
            ]),
        ]),
        fetched: all(&[live, walks.not(), head_next.eq(tail).not()]),
    };
    let rest = oldest.with_run(&out.run.behind(out.sent.count));
    let rest = RingWord {
        run: out.class.atoms.mux(rest.run, oldest.run),
        ..rest
    };
    let oldest_next = RingWord::mux(out.emits, rest, oldest);
    let oldest_next = RingWord::mux(changes.and(in_oldest), changed, oldest_next);
    let oldest_next = RingWord::mux(loads, stored, oldest_next);

    // The next word to read: the one that goes out next, or a younger one.
    let younger = flips.or(in_phase(phase::FLIP_READ)).mux(place, tail);
    let younger = one_back(younger);
    let younger = backs.or(flips).mux(one_back(younger), younger);
    let place_back = one_back(place);
    let tail_back = one_back(tail);
    let pops_stored = pops.and(stored_none.not());
    let tail_next = priority_mux(
        &[(pushes, tail.add_const(1)), (pops_stored, tail_back)],
        tail,
    );
    let write_address = pushes.mux(tail, flips.mux(place_back, tail_back));
    let writes = pushes.or(changes.and(in_oldest.not()));

    // Out: the oldest word, an item that does not wait, or the gap.
    let shown = RingWord::mux(goes, word, oldest);
    let shown_run = Run::mux(goes, run, out.sent);
    let shown_as = |kind: ItemKind| shown.kind.is(kind as u64);
    let in_context = shown_as(ItemKind::AddressInContext);
    let is_address = shown_as(ItemKind::Address).or(in_context);
    let is_known = any(&[passes, in_context, state.known]);
    let constant = |kind: ItemKind| T::constant(kind as u64, 4);
    let kind = priority_mux(
        &[
            (
                is_address,
                is_known.mux(constant(ItemKind::Address), constant(ItemKind::Jump)),
            ),
            (shown_as(ItemKind::P0Jump), constant(ItemKind::Jump)),
            (shown_as(ItemKind::Context), constant(ItemKind::Nothing)),
        ],
        shown.kind,
    );
    let plain = Item {
        kind,
        pattern: shown_run.pattern.mask(shown_as(ItemKind::Gap)),
        head: zero(COUNT_W as usize),
        tail: zero(3),
    };
    let has_atoms = shown_as(ItemKind::Atoms).or(shown_as(ItemKind::AddressAndAtoms));
    let atoms = Item {
        kind: shown.kind,
        ..shown_run.item()
    };
    let item = Item::mux(has_atoms, atoms, plain);
    let item = join(item.pack()).mask(goes.or(out.emits));
    let gap = Item {
        kind: constant(ItemKind::Gap),
        pattern: state.reason.extend(5),
        head: zero(COUNT_W as usize),
        tail: zero(3),
    };
    let a64 = in_context.mux(shown.isa.bit(0), state.a64);
    let code = shown.isa.bit(1).and(a64.not()).concat(a64);
    let space_of = in_context.mux(shown.space, state.space);
    let sent_next = RingOut {
        item: ends_all.mux(join(gap.pack()), item).mask(live),
        isa: passes.mux(shown.isa, code),
        space: passes.mux(shown.space, space_of),
        address: shown.address,
    };
    let sent = RingOut::unpack(&i.sent);
    let taken_back = is_cut.mux(back_count, count).mask(takes_back);
    RingOutputs {
        word_in: word_in.pack(),
        comes: vec![T::field(&i.item, 0, 4).any()],
        done: vec![done],
        refused: vec![refused],
        state_next: state_next.pack(),
        oldest_next: oldest_next.pack(),
        head_next: vec![head_next.mask(live)],
        tail_next: vec![tail_next.mask(live)],
        place_next: vec![searches.mux(tail, flips.mux(place_back, place))],
        read_address: vec![walks.mux(younger, head_next)],
        writes: vec![writes],
        write_address: vec![write_address],
        write_word: RingWord::mux(pushes, word, changed).pack(),
        sent_next: sent_next.pack(),
        m_item: vec![sent.item],
        m_address: vec![sent.address],
        m_isa: vec![sent.isa],
        m_space: vec![sent.space],
        taken_back: vec![taken_back],
    }
}
