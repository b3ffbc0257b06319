// SPDX-License-Identifier: MIT OR Apache-2.0
//! `BranchPlace`: steps of a walk with what the branch table says of their sites to branch events.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high: the program has not begun |
//! | `step[2:0]`, `taken`, `is_call`, `address[61:0]` | in | a [`BranchStep`](super::BranchStep), in every cycle; none comes behind an address or a return, and none but its address in front of an exception |
//! | `word[N-1:0]` | in | a cycle later: the word of its site |
//! | `page[36:0]` | in | a cycle later than that: the number of the page of its frame |
//! | `branch_valid`, `begins`, `pc[61:0]`, `next_pc[61:0]`, `kind[4:0]`, `taken_branch`, `is_discontinuity`, `instructions[31:0]` | out | an event, as compressors take it |
//!
//! `N` bits of a word. A step makes up to two events: how the program came there, and the branch. Each such step has
//! one without an event in front of it, so one register is enough for the second event.
//!
//! The loop decides: it is bits only. Addresses are compared a cycle before they count, which is what the cycles
//! without a step are for; what depends on a step alone comes in front of it ([`SiteStep`]), and instructions are
//! counted behind it ([`branch_count`]).
//!
//! Latency 8 cycles. Throughput one step per cycle.
//! The specification is `BranchPlace` of `coretrace-sites`.

use super::branch_count::branch_count;
use super::branch_event::{BranchEvent, INSTRUCTIONS_W, one_at_a_time};
use super::branch_step::BRANCH_STEP_W;
use super::site_step::{Site, SiteStep, has};
use coretrace_abi::branch_table::{ADDRESS_BITS, KIND_BITS};
use coretrace_abi::compressed::branch::BranchKind;
use coretrace_abi::flow_table::PAGE_NUMBER_BITS;
use coretrace_hdl_dataflow::{Bus, Word, all, any, clocked_block, minus, named};
use rust_hdl::prelude::*;

/// Bits of an address.
const ADDRESS_W: usize = ADDRESS_BITS as usize;

clocked_block! {
    /// Where the program is; see the module text.
    pub struct BranchPlace;
    inputs PlaceInputs {
        reset: Bit,
        step: Bits<BRANCH_STEP_W>,
        taken: Bit,
        is_call: Bit,
        address: Bus<ADDRESS_W>,
        word: Bits<N>,
        page: Bits<37>,
    }
    lane_inputs {}
    outputs PlaceOutputs {
        branch_valid: Bit,
        begins: Bit,
        pc: Bus<ADDRESS_W>,
        next_pc: Bus<ADDRESS_W>,
        kind: Bits<5>,
        taken_branch: Bit,
        is_discontinuity: Bit,
        instructions: Bits<INSTRUCTIONS_W>,
    }
    lane_outputs {}
    pair_outputs {}
    kernel branch_place;
}

#[named]
fn branch_place<T: Word, const N: usize, const P: usize>(
    i: PlaceInputs<T::Port, N>,
) -> PlaceOutputs<T, N, P> {
    let word = T::field(&i.word, 0, N as u32).next_word();
    let page = T::field(&i.page, 0, PAGE_NUMBER_BITS);
    let site = Site::new(word, page.next_word().next_word());
    let at_site = site.behind.stage();
    let step = SiteStep::new(
        T::field(&i.step, 0, BRANCH_STEP_W as u32).at_stage(at_site),
        T::field(&i.taken, 0, 1).at_stage(at_site),
        T::field(&i.is_call, 0, 1).at_stage(at_site),
        T::field(&i.address, 0, ADDRESS_BITS).at_stage(at_site),
        site,
    );

    let now = step.place.stage();
    let live = T::field(&i.reset, 0, 1).not().at_stage(now);
    let flag = || T::register(1, now);
    let address = || T::register(ADDRESS_BITS, now);
    let (started, started_next) = flag();
    let (next, next_next) = address();
    let (known, known_next) = flag();
    let (there, there_next) = flag();
    let (target, target_next) = address();
    let (has_target, has_target_next) = flag();
    let (open, open_next) = flag();
    let (open_pc, open_pc_next) = address();
    let (open_kind, open_kind_next) = T::register(KIND_BITS, now);

    // Of the cycle before, in which no step was done.
    let (can_pass, can_pass_next) = flag();
    let (can_lead, can_lead_next) = flag();
    let (is_next, is_next_next) = flag();
    let here = has_target.mux(target, next);
    let has_here = has_target.or(known.and(there));
    let is_own = has(open_kind, BranchKind::EXCEPTION).and(step.pc.eq_on_carry(open_pc));
    T::set_next(can_pass_next, has_here.and(here.lt(step.place)));
    T::set_next(can_lead_next, open.and(is_own.not()));
    T::set_next(is_next_next, target.eq_on_carry(next));

    // Whether the program goes on, and how it came there.
    let has_place = has_target.or(known);
    let moves = step.is_atom.and(has_place);
    let passes = step.is_exception.and(can_pass);
    let leads = all(&[step.is_exception, can_pass.not(), can_lead]);
    let goes = any(&[moves, passes, leads]);
    let to = leads.mux(step.place, here);
    let is_same = known.and(has_target.not().or(is_next));
    let closes = goes.and(open);
    let begins = all(&[goes, open.not(), started.not()]);
    let jumps = all(&[goes, open.not(), started, is_same.not()]);

    // The branch, and what is lost.
    let is_direct = step.is_direct.and(has_place);
    let opens_indirect = step.opens.and(has_place);
    let opens = opens_indirect.or(passes.and(step.is_call));
    let is_cut = step
        .is_trace_on
        .and(has(open_kind, BranchKind::INDIRECT))
        .or(step.is_lost);

    // Of a branch that is dropped, all instructions but itself count.
    let count_w = INSTRUCTIONS_W as u32;
    let run = minus(step.end.reg(), to.slice(0, count_w).reg());
    let one_less = T::constant(u64::MAX >> (64 - count_w), count_w).mask(open.and(is_cut));
    let run = run.mask(moves.or(passes)).or(one_less).reg();
    let (before, total) = branch_count(run, closes.or(jumps), is_direct.or(live.not()));

    let arrival = BranchEvent {
        valid: any(&[closes, begins, jumps]),
        begins,
        pc: open_pc,
        next_pc: to,
        kind: open_kind,
        taken: open,
        is_discontinuity: jumps,
        instructions: before,
    };
    let branch = BranchEvent {
        valid: is_direct,
        begins: T::constant(0, 1),
        pc: step.pc,
        next_pc: step.place,
        kind: step.kind,
        taken: step.is_taken,
        is_discontinuity: T::constant(0, 1),
        instructions: total,
    };
    let counted = |field: T| field.at_stage(run.stage() + 1);
    let sent = one_at_a_time(arrival.map(counted), branch.map(counted), live);

    let kept = live.and(step.is_lost.not());
    T::set_next(started_next, started.or(goes).and(live));
    T::set_next(next_next, goes.mux(step.place, next));
    T::set_next(
        known_next,
        all(&[known.or(goes), opens_indirect.not(), kept]),
    );
    T::set_next(there_next, all(&[there.or(goes), step.leaves.not(), live]));
    T::set_next(target_next, step.arrives.mux(step.place, target));
    let has_old = has_target.and(step.spends.not());
    T::set_next(has_target_next, step.arrives.or(has_old).and(live));
    let stays_open = all(&[open, goes.not(), is_cut.not()]);
    T::set_next(open_next, opens.or(stays_open).and(live));
    T::set_next(open_pc_next, opens.mux(step.pc, open_pc));
    T::set_next(open_kind_next, opens.mux(step.kind, open_kind));

    PlaceOutputs {
        branch_valid: vec![sent.valid],
        begins: vec![sent.begins],
        pc: vec![sent.pc],
        next_pc: vec![sent.next_pc],
        kind: vec![sent.kind],
        taken_branch: vec![sent.taken],
        is_discontinuity: vec![sent.is_discontinuity],
        instructions: vec![sent.instructions],
    }
}
