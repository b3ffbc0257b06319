// SPDX-License-Identifier: MIT OR Apache-2.0
//! `BranchPlace`: steps of a walk with what the branch table says of their sites to branch events.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high: the program has not begun |
//! | `step[2:0]`, `taken`, `is_call`, `address[61:0]` | in | a [`BranchStep`](super::BranchStep), in every cycle |
//! | `word[N-1:0]` | in | a cycle later: the word of its site |
//! | `page[36:0]` | in | a cycle later than that: the number of the page of its frame |
//! | `branch_valid`, `begins`, `pc[61:0]`, `next_pc[61:0]`, `kind[4:0]`, `taken_branch`, `is_discontinuity`, `instructions[31:0]` | out | an event, as compressors take it |
//!
//! `N` bits of a word. A step makes up to two events: how the program came there, and the branch. Each such step has
//! one without an event in front of it, so one register is enough for the second event.
//!
//! Latency 4 cycles. Throughput one step per cycle.
//! The specification is `BranchPlace` of `coretrace-sites`.

use super::branch_event::{BranchEvent, INSTRUCTIONS_W, one_at_a_time};
use super::branch_step::{BRANCH_STEP_W, BranchStep};
use super::ring_word::{minus, one_back};
use coretrace_abi::branch_table::{
    ADDRESS_BITS, FOREIGN, KIND_BITS, NO_BRANCH, OFFSET_BITS, UNIT_BITS,
};
use coretrace_abi::compressed::branch::BranchKind;
use coretrace_abi::flow_table::PAGE_NUMBER_BITS;
use coretrace_hdl_dataflow::{Bus, Word, all, any, clocked_block, join, named};
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
    let address_w = ADDRESS_BITS;
    let count_w = INSTRUCTIONS_W as u32;
    let live = T::field(&i.reset, 0, 1).not().delay(3);
    let step = T::field(&i.step, 0, BRANCH_STEP_W as u32);
    let is = |kind: BranchStep| step.is(kind as u64).delay(3);
    let came = T::field(&i.address, 0, address_w).delay(3);
    let is_e = T::field(&i.taken, 0, 1).delay(3);
    let is_call = T::field(&i.is_call, 0, 1).delay(3);

    // Addresses of the site.
    let word = T::field(&i.word, 0, N as u32).next_word();
    let page = T::field(&i.page, 0, PAGE_NUMBER_BITS)
        .next_word()
        .next_word();
    let unit = word.slice(OFFSET_BITS + KIND_BITS, UNIT_BITS);
    let unit = page.concat(unit);
    let wide = |value: T| {
        let sign = value.bit(value.width() - 1);
        join((value.width()..address_w).map(|_| sign)).concat(value)
    };
    let site = wide(unit);
    let offset = wide(word.slice(0, OFFSET_BITS));
    let kind = word.slice(OFFSET_BITS, KIND_BITS).at_stage(2).reg();
    let exit = site.add(offset).reg();
    let behind = site.add_const(1).reg();
    let site = site.reg();
    let has = |kind: T, property: BranchKind| kind.bit(property.0.ilog2());

    let now = behind.stage();
    let flag = || T::register(1, now);
    let (started, started_next) = flag();
    let (next, next_next) = T::register(address_w, now);
    let (known, known_next) = flag();
    let (there, there_next) = flag();
    let (target, target_next) = T::register(address_w, now);
    let (has_target, has_target_next) = flag();
    let (open, open_next) = flag();
    let (open_pc, open_pc_next) = T::register(address_w, now);
    let (open_kind, open_kind_next) = T::register(KIND_BITS, now);
    let (open_count, open_count_next) = T::register(count_w, now);
    let (count, count_next) = T::register(count_w, now);

    let is_branch = is(BranchStep::Branch);
    let is_exception = is(BranchStep::Exception);
    let is_return = is(BranchStep::Return);
    let is_trace_on = is(BranchStep::TraceOn);
    let foreign = kind.is(FOREIGN.0.into());
    let opens_indirect = has(open_kind, BranchKind::INDIRECT);
    let to = has_target.mux(target, next);
    let loses = any(&[
        is(BranchStep::Lost),
        is_branch.or(is_return).and(foreign),
        all(&[is_trace_on, open, opens_indirect]),
    ]);

    // Whether the program goes on, and how it came there.
    let has_place = has_target.or(known);
    let branches = all(&[is_branch, foreign.not(), has_place]);
    let has_here = has_target.or(known.and(there));
    let passes = all(&[is_exception, has_here, to.lt(came)]);
    let is_own = has(open_kind, BranchKind::EXCEPTION).and(came.eq(open_pc.add_const(1)));
    let leads = all(&[is_exception, passes.not(), open, is_own.not()]);
    let goes = any(&[branches, passes, leads]);
    let to = leads.mux(came, to);
    let begins = all(&[goes, open.not(), started.not()]);
    let same = known.and(to.eq(next));
    let jumps = all(&[goes, open.not(), started, same.not()]);
    let arrival = BranchEvent {
        valid: any(&[goes.and(open), begins, jumps]),
        begins,
        pc: open_pc,
        next_pc: to,
        kind: open_kind,
        taken: open,
        is_discontinuity: jumps,
        instructions: jumps.mux(count, open_count),
    };

    // The branch, or the instructions in front of an exception.
    let end = passes.mux(came, behind).slice(0, count_w);
    let run = minus(end, to.slice(0, count_w));
    let total = count.mask(jumps.not()).add(run);
    let is_none = kind.is(NO_BRANCH.0.into());
    let is_event = branches.and(is_none.not());
    let is_indirect = has(kind, BranchKind::INDIRECT).and(is_e);
    let exit = is_e.and(is_none.not()).mux(exit, behind);
    let branch = BranchEvent {
        valid: is_event.and(is_indirect.not()),
        begins: T::constant(0, 1),
        pc: site,
        next_pc: exit,
        kind,
        taken: is_e,
        is_discontinuity: T::constant(0, 1),
        instructions: total,
    };
    let calls = passes.and(is_call);
    let opens = is_event.and(is_indirect).or(calls);

    let sent = one_at_a_time(arrival, branch, live);

    let moved = opens.not();
    let known_here = branches.mux(moved.or(calls), known.or(goes));
    let is_address = is(BranchStep::Address).or(is_return);
    let after = any(&[branches, is_exception, is_trace_on, loses]).not();
    let gone = is_address.or(has_target.and(after));
    T::set_next(started_next, started.or(goes).and(live));
    let moves = branches.or(passes).or(leads);
    let place = is_exception.mux(came, exit);
    T::set_next(next_next, moves.mux(place, next));
    T::set_next(known_next, all(&[known_here, loses.not(), live]));
    let away = any(&[is_exception, is_trace_on, is(BranchStep::Away), loses]);
    T::set_next(there_next, all(&[there.or(goes), away.not(), live]));
    T::set_next(
        target_next,
        is_return.mux(behind, is_address.mux(came, target)),
    );
    T::set_next(has_target_next, all(&[gone, loses.not(), live]));
    let stays_open = all(&[open, goes.not(), loses.not()]);
    T::set_next(open_next, opens.or(stays_open).and(live));
    let pc_here = calls.mux(one_back(came), site);
    T::set_next(open_pc_next, opens.mux(pc_here, open_pc));
    let call_kind = T::constant(BranchKind::EXCEPTION.0.into(), KIND_BITS);
    T::set_next(
        open_kind_next,
        opens.mux(calls.mux(call_kind, kind), open_kind),
    );
    T::set_next(open_count_next, opens.mux(total, open_count));
    let dropped = all(&[loses, open]);
    let left = count.add(one_back(open_count).mask(dropped));
    let counts = passes.or(branches.and(is_none));
    let reset = any(&[is_event, calls, jumps]);
    let kept = counts.mux(total.mask(calls.not()), left.mask(reset.not()));
    T::set_next(count_next, kept.mask(live));

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
