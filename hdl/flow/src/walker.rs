// SPDX-License-Identifier: MIT OR Apache-2.0
//! `Walker`: tokens in, hops out: where the N atoms began and where the E was.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high: the place in the program is not known, the stack is empty |
//! | `returns` | in | the trace unit leaves out the targets of returns; steady |
//! | `ete` | in | it is an ETE, which does not report branches that are not taken in front of an exception; steady |
//! | `token_valid`, `token`, `has_site`, `site[SW-1:0]`, `end_site[SW-1:0]` | in | a [`Token`](super::Token), whether it has an address or a source address, and its sites, see [`Serializer`](super::Serializer) |
//! | `exit_site[SW-1:0]`, `exit_read` | out | the exit word to be read; without `exit_read` the one that was read stays |
//! | `exit[SW-1:0]`, `flags[6:0]` | in | a cycle later: where an E leads, of an indirect call the next site; see [`FlagWord`](super::FlagWord) |
//! | `run_site[SW-1:0]` | out | the run word to be read, in every cycle |
//! | `run_word[7:0]` | in | a cycle later, see [`RunCheck`](super::RunCheck) |
//! | `aims`, `aim[SW-1:0]` | in | in the next cycle the exit word to be read is this one; now and in the next cycle there is no token and no address, and `token` has no N atoms |
//! | `step` | out | [`Step`]: what a token did |
//! | `at[SW-1:0]`, `base[SW-1:0]` | out | the site behind its branches that were not taken, the site before them |
//! | `left_at[SW-1:0]`, `reached[SW-1:0]` | out | the site that the program waited for, and `end_site` |
//! | `passes`, `goes_back` | out | see [`RunPlace`](super::RunPlace) |
//! | `run_fails`, `run[4:0]` | out | there are more branches not taken than this, which is how many there can be |
//! | `is_end` | out | `at` is the end of a stretch of code |
//! | `trigger_at[1:0]`, `trigger_behind[1:0]` | out | what happens when something leads to `base`, when the branch at `at` is taken |
//! | `run_damaged`, `exit_damaged` | out | the run of `base`, the exit word of `at` has a wrong parity |
//!
//! The state is the number of the next site. N atoms are an addition, and an E is a look-up:
//!
//! ```text
//! base = a site has come, or no E, or a return ? alt : exit of the last site
//! at   = count + base                                            read exit of `at`
//! ```
//!
//! `alt` is a register: the site of the address, the top of the return stack, or the last site, and
//! is chosen a token ahead. Loop: one memory, a multiplexer that is part of the sum, the sum. Push
//! and pop of an E are decided when the next token runs, for only then is it known whether an
//! address has come.
//!
//! Branches in front of a source address have no atoms: the walk goes to its site, and what lies between
//! is looked at beside the loop, as a run of N atoms is.
//!
//! Whether an atom can be where it is, is known when the walk has gone on. It goes on all the same,
//! and [`WalkReport`](super::WalkReport) drops what it says from there on.
//!
//! The parity of an exit word goes the same way, so that it is in no loop.
//!
//! A memory that has no port but that of the walker is written through it: the walker aims at a site
//! between two tokens, and reads again what it had read before.
//!
//! Latency 3 cycles. Throughput one token per cycle.

use super::item::{ATOMS_W, EXIT_FLAGS_W, REASON_W, RUN_W, TRIGGER_W};
use super::parity::is_odd;
use super::serializer::{TOKEN_W, Token};
use super::{ReturnStack, RunCheck, RunPlace};
use coretrace_abi::flow_table::EXIT_FLAGS;
use coretrace_hdl_dataflow::{Bus, Word, all, kernel_block, layout, named, priority_mux};
use rust_hdl::prelude::*;

layout! {
    /// What a token did, in the order of the fields.
    pub struct Step {
        valid: 1,
        /// The program was interrupted.
        interrupted: 1,
        /// It waited for `left_at`.
        waited: 1,
        /// An address came, and it is loaded.
        has_address: 1,
        /// There was a source address, at `at` if that is loaded.
        source: 1,
        loaded: 1,
        /// The address that ended what was before, a source address or the one of an exception is not
        /// loaded because a word is damaged; it may be any.
        damaged: 1,
        is_jump: 1,
        /// An address ended what was before, at `reached` if that is loaded; see
        /// [`Segment`](super::Segment).
        ends: 1,
        cuts: 1,
        end_loaded: 1,
        /// A return led to `base`.
        returned: 1,
        /// An indirect branch led to `reached` if an address ended what was before and nothing interrupted it,
        /// else to `left_at`.
        leads: 1,
        /// The target of the last E is not loaded; it is not known.
        outside: 1,
        no_target: 1,
        /// The place is known.
        placed: 1,
        /// Branches from `left_at` up to `reached` were not taken, and have no atoms.
        spans: 1,
        count: ATOMS_W,
        taken: 1,
        /// The program was interrupted behind the atoms, at `reached` if that is loaded; or
        /// there was a Q element.
        leaves: 1,
        is_q: 1,
        gap: REASON_W,
        reads_out: 1,
        /// Cycles were counted, up to the newest atom.
        counted: 1,
    }
}

/// Bits of the flags in memory: those of the table with the parity, and whether the target varies
/// and no call is there, which the loop reads.
pub const FLAGS_W: usize = EXIT_FLAGS_W + 1;
/// Bits of a step.
pub const STEP_W: usize = Step::WIDTH;

#[derive(LogicBlock, Default)]
pub struct Walker<const SW: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub returns: Signal<In, Bit>,
    pub ete: Signal<In, Bit>,
    pub token_valid: Signal<In, Bit>,
    pub token: Signal<In, Bus<TOKEN_W>>,
    pub has_site: Signal<In, Bit>,
    pub site: Signal<In, Bits<SW>>,
    pub end_site: Signal<In, Bits<SW>>,
    pub exit_site: Signal<Out, Bits<SW>>,
    pub exit_read: Signal<Out, Bit>,
    pub exit: Signal<In, Bits<SW>>,
    pub flags: Signal<In, Bits<FLAGS_W>>,
    pub run_site: Signal<Out, Bits<SW>>,
    pub run_word: Signal<In, Bits<RUN_W>>,
    pub aims: Signal<In, Bit>,
    pub aim: Signal<In, Bits<SW>>,
    pub step: Signal<Out, Bus<STEP_W>>,
    pub at: Signal<Out, Bits<SW>>,
    pub base: Signal<Out, Bits<SW>>,
    pub left_at: Signal<Out, Bits<SW>>,
    pub reached: Signal<Out, Bits<SW>>,
    pub passes: Signal<Out, Bit>,
    pub goes_back: Signal<Out, Bit>,
    pub run_fails: Signal<Out, Bit>,
    pub run: Signal<Out, Bits<ATOMS_W>>,
    pub is_end: Signal<Out, Bit>,
    pub trigger_at: Signal<Out, Bits<TRIGGER_W>>,
    pub trigger_behind: Signal<Out, Bits<TRIGGER_W>>,
    pub run_damaged: Signal<Out, Bit>,
    pub exit_damaged: Signal<Out, Bit>,
    run_place: RunPlace<SW>,
    run_check: RunCheck,
    stack: ReturnStack<SW>,
    walk: WalkStep<SW>,
    token_s1: DFF<Bus<TOKEN_W>>,
    valid_s1: DFF<Bit>,
    use_alt: DFF<Bit>,
    alt: DFF<Bits<SW>>,
    /// The top of the stack, where `alt` may be another site.
    top: DFF<Bits<SW>>,
    /// The last site, and whether an E there waits for its target.
    last: DFF<Bits<SW>>,
    pending: DFF<Bit>,
    /// The place in the program is known.
    placed: DFF<Bit>,
    /// There was no address since the stack was forgotten, so that nothing is pushed.
    waits_for_address: DFF<Bit>,
    end_site_s1: DFF<Bits<SW>>,
    /// The site of the next look-up is an aim, or it is the last site again.
    aimed: DFF<Bit>,
    returned: DFF<Bit>,
    step_s2: DFF<Bus<STEP_W>>,
    spans_s2: DFF<Bit>,
    count_s2: DFF<Bits<ATOMS_W>>,
    left_s2: DFF<Bits<SW>>,
    reached_s2: DFF<Bits<SW>>,
    step_s3: DFF<Bus<STEP_W>>,
    at_s3: DFF<Bits<SW>>,
    base_s3: DFF<Bits<SW>>,
    left_s3: DFF<Bits<SW>>,
    reached_s3: DFF<Bits<SW>>,
    passes_s3: DFF<Bit>,
    back_s3: DFF<Bit>,
    end_s3: DFF<Bit>,
    trigger_s3: DFF<Bits<TRIGGER_W>>,
    exit_damaged_s3: DFF<Bit>,
    /// The site of the next look-up is this one.
    points: Signal<Local, Bit>,
    pointed: Signal<Local, Bits<SW>>,
}

impl<const SW: usize> Logic for Walker<SW> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            token_s1,
            valid_s1,
            use_alt,
            alt,
            top,
            last,
            pending,
            placed,
            waits_for_address,
            end_site_s1,
            aimed,
            returned,
            step_s2,
            spans_s2,
            count_s2,
            left_s2,
            reached_s2,
            step_s3,
            at_s3,
            base_s3,
            left_s3,
            reached_s3,
            passes_s3,
            back_s3,
            end_s3,
            trigger_s3,
            exit_damaged_s3
        );
        clock!(self, clock, run_check, stack);
        self.walk.returns.next = self.returns.val();
        self.walk.ete.next = self.ete.val();
        self.walk.valid.next = self.valid_s1.q.val();
        self.walk.token.next = self.token_s1.q.val();
        self.walk.exit.next = self.exit.val();
        self.walk.flags.next = self.flags.val();
        self.walk.use_alt.next = self.use_alt.q.val();
        self.walk.alt.next = self.alt.q.val();
        self.walk.top.next = self.top.q.val();
        self.walk.last.next = self.last.q.val();
        self.walk.pending.next = self.pending.q.val();
        self.walk.placed.next = self.placed.q.val();
        self.walk.waits_for_address.next = self.waits_for_address.q.val();
        self.walk.filled.next = self.stack.filled.val();

        self.exit_site.next = self.walk.at.val();
        self.exit_read.next = self.walk.reads.val() | self.aimed.q.val() | self.returned.q.val();
        self.stack.reset.next = self.reset.val();
        self.stack.pop.next = self.walk.pop.val();
        self.stack.push.next = self.walk.push.val();
        self.stack.flush.next = self.walk.flush.val();
        self.stack.value.next = self.last.q.val() + 1;

        self.pending.d.next = self.walk.pending_next.val();
        self.placed.d.next = self.walk.placed_next.val();
        self.waits_for_address.d.next = self.walk.waits_for_address_next.val();
        if self.walk.reads.val() {
            self.last.d.next = self.walk.at.val();
        }
        self.step_s2.d.next = self.walk.step.val();
        self.spans_s2.d.next = self.walk.spans.val();
        self.count_s2.d.next = self.walk.count.val();
        self.left_s2.d.next = self.walk.left_at.val();
        self.reached_s2.d.next = self.end_site_s1.q.val();

        self.run_place.spans.next = self.spans_s2.q.val();
        self.run_place.count.next = self.count_s2.q.val();
        self.run_place.last.next = self.last.q.val();
        self.run_place.left_at.next = self.left_s2.q.val();
        self.run_place.reached.next = self.reached_s2.q.val();
        self.run_site.next = self.run_place.base.val();
        self.run_check.word.next = self.run_word.val();
        self.run_check.count.next = self.run_place.most.val();
        self.step_s3.d.next = self.step_s2.q.val();
        self.at_s3.d.next = self.last.q.val();
        self.base_s3.d.next = self.run_place.base.val();
        self.left_s3.d.next = self.left_s2.q.val();
        self.reached_s3.d.next = self.reached_s2.q.val();
        self.passes_s3.d.next = self.run_place.passes.val();
        self.back_s3.d.next = self.run_place.goes_back.val();
        self.end_s3.d.next = self.walk.is_end.val();
        self.trigger_s3.d.next = self.walk.trigger.val();
        self.exit_damaged_s3.d.next = self.walk.exit_damaged.val();
        self.step.next = self.step_s3.q.val();
        self.at.next = self.at_s3.q.val();
        self.base.next = self.base_s3.q.val();
        self.left_at.next = self.left_s3.q.val();
        self.reached.next = self.reached_s3.q.val();
        self.passes.next = self.passes_s3.q.val();
        self.goes_back.next = self.back_s3.q.val();
        self.run_fails.next = self.run_check.fails.val();
        self.run.next = self.run_check.run.val();
        self.is_end.next = self.end_s3.q.val();
        self.trigger_at.next = self.run_check.trigger.val();
        self.trigger_behind.next = self.trigger_s3.q.val();
        self.run_damaged.next = self.run_check.damaged.val();
        self.exit_damaged.next = self.exit_damaged_s3.q.val();

        // A token ahead. Behind a token without an E the last site is in its register.
        self.valid_s1.d.next = self.token_valid.val();
        self.aimed.d.next = self.aims.val();
        self.returned.d.next = self.aimed.q.val();
        self.points.next = self.has_site.val() | self.aims.val();
        self.pointed.next = self.site.val();
        if self.aims.val() {
            self.pointed.next = self.aim.val();
        }
        if self.token_valid.val() | self.aims.val() | self.aimed.q.val() {
            self.token_s1.d.next = self.token.val();
            self.end_site_s1.d.next = self.end_site.val();
            self.use_alt.d.next =
                self.points.val() | self.aimed.q.val() | !self.walk.ends_taken.val();
            self.top.d.next = self.stack.top_next.val();
            self.alt.d.next = self.last.q.val();
            if self.walk.ends_taken.val() & !self.aimed.q.val() {
                self.alt.d.next = self.stack.top_next.val();
            }
            if self.points.val() {
                self.alt.d.next = self.pointed.val();
            }
        }
        if self.reset.val() {
            self.valid_s1.d.next = false;
            self.pending.d.next = false;
            self.placed.d.next = false;
            self.waits_for_address.d.next = true;
        }
    }
}

kernel_block! {
    /// The logic of `Walker`, for `N` bits of a site.
    pub struct WalkStep;
    inputs WalkInputs {
        returns: Bit,
        ete: Bit,
        valid: Bit,
        token: Bus<TOKEN_W>,
        exit: Bits<N>,
        flags: Bits<FLAGS_W>,
        use_alt: Bit,
        alt: Bits<N>,
        top: Bits<N>,
        last: Bits<N>,
        pending: Bit,
        placed: Bit,
        waits_for_address: Bit,
        filled: Bit,
    }
    lane_inputs {}
    outputs WalkOutputs {
        at: Bits<N>,
        spans: Bit,
        count: Bits<ATOMS_W>,
        reads: Bit,
        pop: Bit,
        push: Bit,
        flush: Bit,
        pending_next: Bit,
        ends_taken: Bit,
        placed_next: Bit,
        waits_for_address_next: Bit,
        left_at: Bits<N>,
        is_end: Bit,
        trigger: Bits<TRIGGER_W>,
        exit_damaged: Bit,
        step: Bus<STEP_W>,
    }
    lane_outputs {}
    kernel walk_step;
}

#[named]
fn walk_step<T: Word, const N: usize>(i: WalkInputs<T::Port, N>) -> WalkOutputs<T, N> {
    let bit = |port: &T::Port| T::field(port, 0, 1);
    let sites = |port: &T::Port| T::field(port, 0, N as u32);
    let (valid, placed) = (bit(&i.valid), bit(&i.placed));
    let pending = bit(&i.pending);
    let token = Token::<T>::unpack(&i.token);
    let moves = valid.and(token.only_counts.not());
    let (alt, exit, last) = (sites(&i.alt), sites(&i.exit), sites(&i.last));
    let top = sites(&i.top);
    let flags = |flag: u32| T::field(&i.flags, flag, 1);
    let (link, indirect, outside) = (flags(0), flags(1), flags(2));
    let returns = flags(EXIT_FLAGS_W as u32);

    // The loop. The sum has the count first, so that it is what enters the carry chain, and the
    // multiplexer is part of the look-up tables in front of it.
    let base = bit(&i.use_alt).or(returns).mux(alt, exit);
    let at = token.count.extend(N as u32).add(base);

    // What the token says, without a look at the tables, which are late.
    let no_address = token.has_address.not();
    let has_atoms = token.count.any().or(token.taken);
    let gap = token.gap.any();
    // Whether the program went on behind the E that waits for its target.
    let went_on = has_atoms
        .or(token.leaves)
        .and(no_address)
        .or(token.interrupted);
    let asks_stack = token
        .has_address
        .mux(token.pops.or(token.interrupted), went_on);
    let is_silent = all(&[
        token.reads_out.or(token.counted),
        has_atoms.not(),
        no_address,
        token.interrupted.not(),
    ]);
    let waits_for_address = bit(&i.waits_for_address);
    let waits = all(&[moves, placed, pending]);
    let may_push = all(&[waits, bit(&i.returns), waits_for_address.not()]);
    let asks = all(&[waits, asks_stack, token.forgets.not()]);
    let keeps_call = is_silent.or(asks_stack.and(token.forgets.not()));

    // A return takes the top. A trace unit compares the target of a call with the stack after the
    // call, so that an indirect call takes what it has put there.
    let needs_target = indirect.and(outside.not());
    let pop = all(&[returns, outside.not(), asks, bit(&i.filled)]);
    let takes_call = all(&[link, needs_target, asks, may_push]);
    let pops = pop.or(takes_call);
    let goes_direct = all(&[pending, indirect.not(), outside.not()]);
    let waits_at_exit = goes_direct.or(takes_call);
    // A read-out changes nothing for an E that waits for a target, and a token of cycles alone nothing at all.
    let waits_on = all(&[pending, is_silent, indirect.or(outside)]);
    let steps = moves.and(waits_on.not());
    let keeps = indirect.and(keeps_call).or(waits_on);
    let push = all(&[link, may_push, keeps.not()]);

    let is_stuck = pending.and(outside.or(indirect.and(pops.not())));
    let goes_on = all(&[placed, is_stuck.not(), token.interrupted.not()]);
    let has_site = token.has_address.or(token.source);
    let placed_here = has_site.mux(token.loaded, goes_on);
    let placed_next = all(&[placed_here, token.leaves.not(), gap.not()]);
    let forgotten = token
        .has_address
        .not()
        .and(token.forgets.or(waits_for_address));
    let keep = |next: T, now: T| steps.mux(next, now);

    let is_exception = all(&[token.leaves, token.is_q.not(), no_address]);
    let spans = token
        .loaded
        .and(token.source.or(bit(&i.ete).and(is_exception)));

    // The address behind an interruption is not where a branch in front of it led.
    let by_address = token.ends.and(token.interrupted.not());
    let by_stack = pops.and(no_address.or(token.interrupted));
    let leads_there = by_address.mux(token.end_loaded, by_stack);
    let unresolved = all(&[waits, went_on, token.interrupted.not()]);
    let step = Step {
        valid,
        interrupted: token.interrupted,
        waited: placed.and(pending.and(outside.or(indirect)).not()),
        has_address: token.has_address,
        source: token.source,
        loaded: token.loaded,
        damaged: token.damaged,
        is_jump: token.is_jump,
        ends: token.ends,
        cuts: token.cuts,
        end_loaded: token.end_loaded,
        returned: all(&[pops, no_address, token.interrupted.not()]),
        leads: all(&[waits, needs_target, leads_there]),
        outside: unresolved.and(outside),
        no_target: all(&[unresolved, needs_target, pops.not()]),
        placed: placed_here,
        spans,
        count: token.count,
        taken: token.taken,
        leaves: token.leaves,
        is_q: token.is_q,
        gap: token.gap,
        reads_out: token.reads_out,
        counted: token.counted,
    };
    // Beside the loop: the step says so later.
    let word = T::field(&i.flags, 0, EXIT_FLAGS_W as u32).concat(exit);
    let is_return = indirect.and(link.not());
    let exit_damaged = is_odd(word).or(returns.xor(is_return));

    WalkOutputs {
        at: vec![at],
        spans: vec![spans],
        count: vec![token.count],
        reads: vec![steps],
        pop: vec![pop],
        push: vec![push],
        flush: vec![moves.and(token.forgets.or(gap))],
        pending_next: vec![keep(token.taken, pending)],
        ends_taken: vec![moves.mux(token.taken, pending)],
        placed_next: vec![keep(placed_next, placed)],
        waits_for_address_next: vec![moves.mux(forgotten, waits_for_address)],
        left_at: vec![priority_mux(&[(waits_at_exit, exit), (pop, top)], last)],
        is_end: vec![indirect.and(outside)],
        trigger: vec![T::field(&i.flags, EXIT_FLAGS, TRIGGER_W as u32)],
        exit_damaged: vec![exit_damaged],
        step: step.pack(),
    }
}
