// SPDX-License-Identifier: MIT OR Apache-2.0
//! `WalkReport`: steps of the walker in, what there is to count and to report out.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high: counts begin again |
//! | `step`, `at[N-1:0]`, ... | in | as [`Walker`](super::Walker) puts them out |
//! | `hop` | out | [`Hop`] |
//! | `hop_at[N-1:0]`, `hop_base[N-1:0]` | out | the site behind the branches that were not taken, the site before them |
//! | `hop_left_at[N-1:0]`, `hop_ended_at[N-1:0]` | out | where the program had left, where it leaves |
//! | `indirect` | out | [`IndirectBranch`]: the indirect branch in front of the hop, if one led somewhere |
//! | `counted`, `has_newest`, `newest[N-1:0]` | out | cycles were counted behind the hop, up to this branch: the newest one that was walked, if one was since the place was found |
//! | `atoms[31:0]`, `skipped[31:0]` | out | atoms up to the step, with its own; those of them that were not walked; modulo 2^32 |
//!
//! A *flow* begins where an address or a return says where the program is, and ends at an exception,
//! at a gap, at another address, or where an atom cannot be. A flow without an atom counts nothing.
//! A source address goes on with the flow if that leads there without a taken branch; if it does not, the
//! flow ends and another one begins at the branch.
//! The state is four bits: the place is lost, the flow has no atom yet, there was none since a branch or
//! an address led to the place, and there was one since the place was found.
//!
//! Latency 2 cycles. Throughput one step per cycle.

use super::item::{ATOMS_W, MOST_SITE_W, REASON_W, TRIGGER_W};
use super::walker::{STEP_W, Step};
use coretrace_abi::flow_table::LostReason;
use coretrace_hdl_dataflow::{Bus, Word, all, any, clocked_block, layout, named, priority_mux};
use rust_hdl::prelude::*;

layout! {
    /// What a step is to the counters and to software, in the order of the fields.
    pub struct Hop {
        valid: 1,
        /// The flow that waited for `hop_left_at` had ended.
        left: 1,
        /// The place is lost because of an address that came, for this reason; 0 if it is not: it was another
        /// place than `hop_left_at`, or no place. Of a source address, the place may also be lost in front of it.
        end_reason: REASON_W,
        /// The place was lost, and an address says where it is.
        found: 1,
        /// The flow has its first atom, at `hop_base`.
        enters: 1,
        /// Branches without atoms were not taken from `hop_base` on.
        spans: 1,
        /// N atoms that were walked or not, and an E that was, at `hop_at`.
        count: ATOMS_W,
        taken: 1,
        /// One of these atoms was walked.
        walks: 1,
        /// It is the first one since a branch or an address led to `hop_base`.
        arrives: 1,
        /// What happens then; 0 is nothing.
        trigger_at: TRIGGER_W,
        /// What happens because the branch was taken; 0 is nothing.
        trigger_behind: TRIGGER_W,
        /// The flow ends while it waits for `hop_ended_at`.
        leaves: 1,
        /// The place is lost at the atoms or behind them, for this reason; 0 if it is not.
        reason: REASON_W,
        /// The place is lost because there is a gap behind the atoms; 0 if there is none.
        gap: REASON_W,
        reads_out: 1,
        /// In front of all that the program was interrupted, nobody knows where.
        interrupted: 1,
        /// An address came, or a source address; it is loaded.
        has_address: 1,
        has_source: 1,
        is_loaded: 1,
        /// The program was interrupted behind the atoms, at an address.
        excepts: 1,
        /// There was a Q element behind them.
        is_q: 1,
    }
}

layout! {
    /// An indirect branch that led to a site.
    pub struct IndirectBranch {
        valid: 1,
        /// The branch.
        site: MOST_SITE_W,
        /// Where it led.
        target: MOST_SITE_W,
    }
}

/// Bits of an indirect branch.
pub const INDIRECT_W: usize = IndirectBranch::WIDTH;
/// Bits of a hop.
pub const HOP_W: usize = Hop::WIDTH;

clocked_block! {
    /// The end of the walk; see the module text. `N` bits of a site.
    pub struct WalkReport;
    inputs ReportInputs {
        reset: Bit,
        step: Bus<STEP_W>,
        at: Bits<N>,
        base: Bits<N>,
        left_at: Bits<N>,
        reached: Bits<N>,
        passes: Bit,
        goes_back: Bit,
        run_fails: Bit,
        run: Bits<ATOMS_W>,
        run_damaged: Bit,
        trigger_at: Bits<TRIGGER_W>,
        trigger_behind: Bits<TRIGGER_W>,
        is_end: Bit,
        exit_damaged: Bit,
    }
    lane_inputs {}
    outputs ReportOutputs {
        hop: Bus<HOP_W>,
        hop_at: Bits<N>,
        hop_base: Bits<N>,
        hop_left_at: Bits<N>,
        hop_ended_at: Bits<N>,
        indirect: Bus<INDIRECT_W>,
        counted: Bit,
        has_newest: Bit,
        newest: Bits<N>,
        atoms: Bits<32>,
        skipped: Bits<32>,
    }
    lane_outputs {}
    pair_outputs {}
    kernel walk_report;
}

/// The sum of the amounts of the steps up to this one, modulo 2^32.
fn sum<T: Word>(amount: T, live: T) -> T {
    let (held, next) = T::register(32, amount.stage());
    let sum = held.add(amount.extend(32));
    T::set_next(next, sum.mask(live));
    sum
}

#[named]
fn walk_report<T: Word, const N: usize, const P: usize>(
    i: ReportInputs<T::Port, N>,
) -> ReportOutputs<T, N, P> {
    let bit = |port: &T::Port| T::field(port, 0, 1);
    let sites = |port: &T::Port| T::field(port, 0, N as u32);
    let live = bit(&i.reset).not();
    let (at, base, left_at) = (sites(&i.at), sites(&i.base), sites(&i.left_at));
    let reached = sites(&i.reached);
    let run = T::field(&i.run, 0, ATOMS_W as u32);
    let step = Step::<T>::unpack(&i.step);

    // What needs no state, a stage before the rest.
    let (has_n, goes_back) = (bit(&i.passes), bit(&i.goes_back));
    let exit_damaged = bit(&i.exit_damaged);
    let is_end = step.taken.and(bit(&i.is_end).or(exit_damaged));
    let run_damaged = has_n.and(bit(&i.run_damaged));
    let run_fails = bit(&i.run_fails).or(run_damaged);
    let run_fails = all(&[step.placed, goes_back.not(), run_fails]);
    let end_fails = step.placed.and(is_end).reg();
    // Nobody knows how many N atoms a damaged run allows.
    let may_pass = run.any().and(run_damaged.not());
    let takes = step.taken.and(is_end.not());
    let passes = run_fails.mux(may_pass, has_n.or(takes));
    let passes = passes.and(step.placed).reg();
    let takes = takes.and(step.placed).reg();
    let has_atoms = step.count.any().or(step.taken);
    let same = left_at.eq_on_carry(reached).reg();
    let strays = has_atoms.and(step.placed.not()).reg();
    let gap = step.gap.any().reg();
    let ways_on = [step.source.not(), goes_back.not(), run_fails.not()];
    let is_passed = step.spans.and(all(&ways_on)).reg();
    let atoms_w = ATOMS_W as u32 + 1;
    let atoms = step.count.extend(atoms_w).add(step.taken.extend(atoms_w));
    let atoms = atoms.mask(step.valid).reg();
    let has_atoms = has_atoms.reg();
    let run = run.mask(run_damaged.not());
    let run_s1 = run.reg();
    let has_passed = step.valid.and(step.spans.not());
    let passed = run_fails.mux(run, step.count).mask(has_passed);
    let passed = passed.extend(atoms_w).reg();
    let trigger = |port: &T::Port| T::field(port, 0, TRIGGER_W as u32).reg();
    let (trigger_at, trigger_behind) = (trigger(&i.trigger_at), trigger(&i.trigger_behind));
    let (run_damaged, exit_damaged) = (run_damaged.reg(), exit_damaged.reg());
    let (run_fails, goes_back) = (run_fails.reg(), goes_back.reg());
    let was_led = step.waited.or(step.returned);
    let was_led = was_led.and(step.interrupted.not()).reg();
    let by_address = step.ends.and(step.interrupted.not());
    let target = by_address.mux(reached, left_at).reg();
    let (at, base, left_at) = (at.reg(), base.reg(), left_at.reg());
    let reached = reached.reg();
    let step = step.map(T::reg);

    let now = same.stage();
    let (lost, lost_next) = T::register(1, now);
    let (fresh, fresh_next) = T::register(1, now);
    let (led, led_next) = T::register(1, now);
    // Up to the address that ends the flow.
    let had_begun = all(&[step.waited, lost.not()]);
    let known = had_begun.and(step.interrupted.not());
    let comes = step.ends.and(step.end_loaded);
    let is_there = all(&[known, comes, same]);
    let stays = is_there.and(step.cuts.not());
    // Up to a source address.
    let is_branch = step.source.and(step.loaded);
    let is_led = all(&[is_branch, was_led, lost.not()]);
    let goes_along = is_led.and(goes_back.not());
    let strays_back = is_led.and(goes_back);
    let is_cut = step.source.and(goes_along.not());
    let was_unresolved = all(&[step.source, step.outside.or(step.no_target), lost.not()]);
    let left = all(&[
        had_begun,
        fresh.not(),
        any(&[step.interrupted, step.ends.and(stays.not()), is_cut]),
    ]);
    let differs = all(&[known, comes, same.not(), step.is_jump.not()]).or(strays_back);
    let finds = comes.and(is_there.not()).or(is_branch.and(is_cut));
    let found = finds.and(any(&[lost, differs, was_unresolved]));
    let source_misses = step.source.and(step.loaded.not());
    let misses = step.ends.and(step.end_loaded.not()).or(source_misses);
    // Where the walk goes on. A place that is lost is found by an address or a source address alone.
    let begins = all(&[step.has_address, step.loaded, stays.not()]);
    let fresh_here = any(&[begins, is_branch.and(is_cut), step.returned, fresh]);
    let lost_here = step
        .has_address
        .or(step.source)
        .mux(step.loaded.not(), lost);
    // Up to the atoms.
    let is_known = lost_here.not();
    let passes = is_cut.mux(takes, passes);
    let enters = all(&[passes, fresh_here, is_known]);
    let fresh_behind = fresh_here.and(passes.not());
    let run_fails = run_fails.and(is_cut.not());
    let is_passed = is_passed.and(is_cut.not());
    let from = run_fails.mux(base, is_passed.mux(reached, at));
    let ended_at = run_s1.mask(run_fails).extend(N as u32).add(from);
    let walks = passes.and(is_known);
    let led_here = any(&[begins, step.returned, led]).and(is_cut.not());
    let arrives = walks.and(led_here);
    let fails = run_fails.or(end_fails);
    let word_damaged = run_fails.mux(run_damaged, exit_damaged);
    let is_exception = step.leaves.and(step.is_q.not()).and(step.has_address.not());
    let is_elsewhere = step.spans.mux(goes_back, same.not());
    let elsewhere = all(&[is_exception, step.placed, step.loaded, is_elsewhere]);
    let is_unknown = all(&[is_exception, step.placed, step.damaged]);
    let taken = all(&[step.placed, step.taken, fails.not(), is_known]);
    let stops = any(&[fails, step.leaves, gap, step.reads_out]);
    let leaves = all(&[step.placed, stops, fresh_behind.not(), is_known]);

    let code = |reason: LostReason| T::constant(reason as u64, REASON_W as u32);
    let unresolved = is_exception.or(step.source).not();
    let cases = [
        (fails.and(word_damaged), LostReason::TableParity),
        (end_fails.and(run_fails.not()), LostReason::NotLoaded),
        (step.outside.and(unresolved), LostReason::Outside),
        (step.no_target.and(unresolved), LostReason::NoTarget),
        (run_fails, LostReason::NotConditional),
        (elsewhere, LostReason::OtherAddress),
        (is_unknown, LostReason::TableParity),
        (strays, LostReason::NoAddress),
    ];
    let loses = any(&cases.each_ref().map(|case| case.0));
    let reasons = cases.map(|(when, reason)| (when, code(reason)));
    let zero = T::constant(0, REASON_W as u32);
    let reason = priority_mux(&reasons, zero).mask(is_known);
    // A damaged table is reported, whether the place was known or not.
    let is_damaged = misses.and(step.damaged);
    let parity = code(LostReason::TableParity);
    let reason = is_damaged.and(was_unresolved).mux(parity, reason);
    let end_reasons = [
        (was_unresolved.and(step.outside), code(LostReason::Outside)),
        (was_unresolved, code(LostReason::NoTarget)),
        (is_damaged, parity),
        (misses.and(lost.not()), code(LostReason::NotLoaded)),
        (differs, code(LostReason::OtherAddress)),
    ];
    let end_reason = priority_mux(&end_reasons, zero);
    let lost_behind = any(&[lost_here, loses, gap]);
    let moves = step.valid;
    T::set_next(lost_next, moves.mux(lost_behind, lost).or(live.not()));
    let fresh_now = fresh_behind.or(step.reads_out);
    T::set_next(fresh_next, moves.mux(fresh_now, fresh));
    let led_behind = step.taken.or(led_here.and(passes.not()));
    T::set_next(led_next, moves.mux(led_behind, led));

    // The branch that was taken last is where the step before ended.
    let (branch, branch_next) = T::register(N as u32, now);
    T::set_next(branch_next, moves.mux(at, branch));
    let wide = |site: T| site.extend(MOST_SITE_W as u32);
    let indirect = IndirectBranch {
        valid: all(&[moves, step.leads, lost.not()]),
        site: wide(branch),
        target: wide(target),
    };

    // Cycles are those of the newest atom.
    let (newest, newest_next) = T::register(N as u32, now);
    let (has_newest, has_newest_next) = T::register(1, now);
    let one_back = at.add(T::constant(u64::MAX >> (64 - N), N as u32));
    let walked = all(&[moves, walks, has_atoms]);
    let newest_here = walked.mux(step.taken.mux(at, one_back), newest);
    let still_newest = has_newest.and(found.not());
    let has_newest_here = walked.or(still_newest).and(lost_here.or(loses).not());
    T::set_next(newest_next, newest_here);
    let stays_known = has_newest_here.and(gap.not()).and(live);
    T::set_next(
        has_newest_next,
        moves.mux(stays_known, has_newest.and(live)),
    );

    let goes_on = step.placed.and(is_known);
    let failed = atoms.add(passed.not()).add_const(1);
    let skipped = goes_on.mux(failed.mask(fails), atoms);
    let of_step = |flag: T| flag.and(moves);
    let hop = Hop {
        valid: moves,
        left: of_step(left),
        end_reason: end_reason.mask(moves),
        found: of_step(found),
        enters: of_step(enters),
        spans: of_step(step.spans),
        count: step.count,
        taken: of_step(taken),
        walks: of_step(walks),
        arrives: of_step(arrives),
        trigger_at: trigger_at.mask(of_step(arrives)),
        trigger_behind: trigger_behind.mask(of_step(taken)),
        leaves: of_step(leaves),
        reason: reason.mask(moves),
        gap: step.gap.mask(moves),
        reads_out: of_step(step.reads_out),
        interrupted: of_step(step.interrupted),
        has_address: of_step(step.has_address),
        has_source: of_step(step.source),
        is_loaded: step.loaded,
        excepts: of_step(step.leaves.and(step.is_q.not())),
        is_q: of_step(step.is_q),
    };
    ReportOutputs {
        hop: hop.pack(),
        hop_at: vec![at],
        hop_base: vec![is_cut.mux(at, base)],
        hop_left_at: vec![left_at],
        hop_ended_at: vec![ended_at],
        indirect: indirect.pack(),
        counted: vec![of_step(step.counted)],
        has_newest: vec![has_newest_here],
        newest: vec![newest_here],
        atoms: vec![sum(atoms, live)],
        skipped: vec![sum(skipped, live)],
    }
}
