// SPDX-License-Identifier: MIT OR Apache-2.0
//! `Serializer`: segments in, one token per cycle out: N atoms and the E that ends them.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high |
//! | `segment_valid`, `segment` | in | the oldest [`Segment`] |
//! | `segment_ready` | out | it is taken in this cycle |
//! | `pause` | in | take none in this cycle |
//! | `holds` | in | no token comes in the next cycle, no address, and `token` has no N atoms then |
//! | `token_valid`, `token` | out | a [`Token`] |
//! | `has_site`, `site[SW-1:0]` | out | it has an address or a source address; the site of that |
//! | `end_site[SW-1:0]` | out | the site of the address that ends what was before, or of the one of an exception |
//!
//! A packet has at most four N in front of an E, so each E of a packet is one token with the N before
//! it; the first one has those of the packets before, too. What an entry has in front of its atoms
//! is in its first token, what is behind them in its last. An entry without an E is one token. A source
//! address is a token in front of all others of its entry, with an E and without N.
//!
//! Behind a token without an E and before one without an address a cycle stays empty, or has a token of cycles
//! alone: the walker then has the last site in a register.
//!
//! Latency 2 cycles. Throughput one token per cycle.

use super::item::{ATOMS_W, Entry, PATTERN_W, REASON_W};
use super::segment::{SEGMENT_W, Segment};
use coretrace_hdl_dataflow::{
    Bus, Word, all, any, join, kernel_block, layout, named, priority_mux,
};
use rust_hdl::prelude::*;

layout! {
    /// A step of the walk, without its sites.
    pub struct Token {
        has_address: 1,
        source: 1,
        loaded: 1,
        damaged: 1,
        is_jump: 1,
        /// As of a [`Segment`](super::Segment).
        ends: 1,
        cuts: 1,
        end_loaded: 1,
        pops: 1,
        interrupted: 1,
        forgets: 1,
        /// N atoms.
        count: ATOMS_W,
        /// One E atom behind them.
        taken: 1,
        leaves: 1,
        is_q: 1,
        gap: REASON_W,
        reads_out: 1,
        counted: 1,
        /// There is nothing but cycles: the walk stays where it is.
        only_counts: 1,
    }
}

layout! {
    /// What is left of an entry.
    pub struct Rest {
        valid: 1,
        has_taken: 1,
        /// There is nothing but a source address.
        alone: 1,
        /// N atoms in front of its next E.
        before: 3,
        pattern: PATTERN_W,
        head: ATOMS_W,
        token: TOKEN_W,
    }
}

/// Bits of a token.
pub const TOKEN_W: usize = Token::WIDTH;
/// Bits of what is left of an entry.
const REST_W: usize = Rest::WIDTH;

#[derive(LogicBlock, Default)]
pub struct Serializer<const SW: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub segment_valid: Signal<In, Bit>,
    pub segment: Signal<In, Bus<SEGMENT_W>>,
    pub segment_ready: Signal<Out, Bit>,
    pub pause: Signal<In, Bit>,
    pub holds: Signal<In, Bit>,
    pub token_valid: Signal<Out, Bit>,
    pub token: Signal<Out, Bus<TOKEN_W>>,
    pub has_site: Signal<Out, Bit>,
    pub site: Signal<Out, Bits<SW>>,
    pub end_site: Signal<Out, Bits<SW>>,
    step: TokenStep<SW>,
    rest: DFF<Bus<REST_W>>,
    rest_site: DFF<Bits<SW>>,
    rest_end_site: DFF<Bits<SW>>,
    token_s2: DFF<Bus<TOKEN_W>>,
    has_site_s2: DFF<Bit>,
    site_s2: DFF<Bits<SW>>,
    end_site_s2: DFF<Bits<SW>>,
    valid_s2: DFF<Bit>,
}

impl<const SW: usize> Logic for Serializer<SW> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            rest,
            rest_site,
            rest_end_site,
            token_s2,
            has_site_s2,
            site_s2,
            end_site_s2,
            valid_s2
        );
        self.step.reset.next = self.reset.val();
        self.step.holds.next = self.holds.val();
        self.step.segment_valid.next = self.segment_valid.val() & !self.pause.val();
        self.step.segment.next = self.segment.val();
        self.step.rest.next = self.rest.q.val();
        if self.reset.val() | !self.holds.val() {
            self.rest.d.next = self.step.rest_next.val();
        }
        self.segment_ready.next = self.step.takes.val();
        if self.step.takes.val() {
            self.rest_site.d.next = self.step.site.val();
            self.rest_end_site.d.next = self.step.end_site.val();
        }
        self.valid_s2.d.next = self.step.token_valid.val();
        self.token_s2.d.next = self.step.token.val();
        self.has_site_s2.d.next = self.step.has_site.val();
        self.site_s2.d.next = self.rest_site.q.val();
        self.end_site_s2.d.next = self.rest_end_site.q.val();
        self.token_valid.next = self.valid_s2.q.val();
        self.token.next = self.token_s2.q.val();
        self.has_site.next = self.has_site_s2.q.val();
        self.site.next = self.site_s2.q.val();
        self.end_site.next = self.end_site_s2.q.val();
    }
}

kernel_block! {
    /// The next token of what is left of an entry, and what is left then; `N` bits of a site.
    pub struct TokenStep;
    inputs TokenInputs {
        reset: Bit,
        holds: Bit,
        rest: Bus<REST_W>,
        segment_valid: Bit,
        segment: Bus<SEGMENT_W>,
    }
    lane_inputs {}
    outputs TokenOutputs {
        takes: Bit,
        site: Bits<N>,
        end_site: Bits<N>,
        token_valid: Bit,
        token: Bus<TOKEN_W>,
        has_site: Bit,
        rest_next: Bus<REST_W>,
    }
    lane_outputs {}
    kernel token_step;
}

#[named]
fn token_step<T: Word, const N: usize>(i: TokenInputs<T::Port, N>) -> TokenOutputs<T, N> {
    let (atoms_w, pattern_w) = (ATOMS_W as u32, PATTERN_W as u32);
    let live = T::field(&i.reset, 0, 1).not();
    let goes = T::field(&i.holds, 0, 1).not();
    let rest = Rest::<T>::unpack(&i.rest);
    let first = Token::split(rest.token);
    let segment = Segment::<T>::unpack(&i.segment);
    let entry = Entry::split(segment.entry);

    let before_of = |pattern: T| {
        let last = pattern_w - 1;
        let cases = (0..last).map(|place| (pattern.bit(place), T::constant(place.into(), 3)));
        priority_mux(&cases.collect::<Vec<(T, T)>>(), T::constant(last.into(), 3))
    };
    // Behind the first E of the pattern, E follows.
    let last = pattern_w - 1;
    let behind = |place: u32| {
        let ones = T::constant((2 << place) - 1, place + 1);
        let kept = last - place;
        if kept == 0 {
            return ones;
        }
        ones.concat(rest.pattern.slice(place + 1, kept))
    };
    let cases = (0..last).map(|place| (rest.pattern.bit(place), behind(place)));
    let pattern = priority_mux(&cases.collect::<Vec<(T, T)>>(), behind(last));
    let before = rest.before.extend(atoms_w);
    // Less the N and the E: the complement is one more than the negative.
    let head = rest.head.add(before.not());
    // A sum is slow: the last E by what is left in front of it.
    let ends = (0..pattern_w).map(|n| {
        let is_next = rest.head.is(u64::from(n) + 1);
        is_next.and(rest.before.is(n.into()))
    });
    let is_last = rest.has_taken.not().or(any(&ends.collect::<Vec<T>>()));
    let is_source = first.source;
    let is_last = is_source.mux(rest.alone, is_last);
    let of_atoms = is_source.not().and(goes);

    let ends_taken = rest.has_taken.or(is_source);
    let has_site = entry.has_address.or(entry.source);
    let before_atoms = any(&[
        has_site,
        entry.interrupted,
        entry.forgets,
        entry.count.any(),
    ]);
    let only_counts = entry.counted.and(before_atoms.not());
    let may_follow = any(&[ends_taken, has_site, first.only_counts, only_counts]);
    let must_wait = may_follow.not();
    let is_free = rest.valid.not().or(is_last.and(must_wait.not()));
    let takes = all(&[T::field(&i.segment_valid, 0, 1), is_free, goes]);
    let end_site = segment.ends.mux(segment.end_site, entry.site);
    let zero = T::constant(0, 1);
    let token = Token {
        count: first.count.add(before.mask(rest.has_taken)).mask(of_atoms),
        taken: ends_taken,
        leaves: first.leaves.and(is_last),
        gap: first.gap.mask(is_last),
        reads_out: first.reads_out.and(is_last),
        counted: first.counted.and(is_last),
        ..first
    };
    let later = Token {
        has_address: zero,
        source: zero,
        loaded: zero,
        damaged: zero,
        is_jump: zero,
        ends: zero,
        cuts: zero,
        end_loaded: zero,
        pops: zero,
        interrupted: zero,
        forgets: zero,
        count: first.count.mask(is_source),
        ..first
    };
    let new = Token {
        has_address: entry.has_address,
        source: entry.source,
        loaded: entry.loaded,
        damaged: entry.damaged,
        is_jump: entry.is_jump,
        ends: segment.ends,
        cuts: segment.cuts,
        end_loaded: segment.end_loaded,
        pops: entry.pops,
        interrupted: entry.interrupted,
        forgets: entry.forgets,
        count: entry.count,
        taken: zero,
        leaves: entry.leaves,
        is_q: entry.is_q,
        gap: entry.gap,
        reads_out: entry.reads_out,
        counted: entry.counted,
        only_counts,
    };
    let has_more = any(&[
        entry.count.any(),
        entry.head.any(),
        entry.leaves,
        entry.gap.any(),
        entry.reads_out,
        entry.counted,
    ]);
    let goes_on = |next: T, now: T| is_source.mux(now, next);
    let rest_next = Rest {
        valid: takes.or(rest.valid.and(is_last.not())).and(live),
        has_taken: takes.mux(entry.head.any(), rest.has_taken),
        alone: takes.mux(has_more.not(), rest.alone),
        before: takes.mux(
            before_of(entry.pattern),
            goes_on(before_of(pattern), rest.before),
        ),
        pattern: takes.mux(entry.pattern, goes_on(pattern, rest.pattern)),
        head: takes.mux(entry.head, goes_on(head, rest.head)),
        token: join(Token::mux(takes, new, later).pack()),
    };
    TokenOutputs {
        takes: vec![takes],
        site: vec![entry.site.slice(0, N as u32)],
        end_site: vec![end_site.slice(0, N as u32)],
        token_valid: vec![all(&[rest.valid, goes, live])],
        token: token.pack(),
        has_site: vec![first.has_address.or(is_source).and(goes)],
        rest_next: rest_next.pack(),
    }
}
