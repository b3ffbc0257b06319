// SPDX-License-Identifier: MIT OR Apache-2.0
//! `BranchSequencer`: rows of steps in, the steps out, one per cycle.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high: no row is in work |
//! | `row_valid`, `row`, `row_ready` | in, in, out | the oldest [`BranchRow`], and whether it is taken in this cycle |
//! | `address_word`, `address_ready` | in, out | the [`AddressWord`] of the oldest row that has an address, and whether that row leaves in this cycle |
//! | `step[2:0]`, `site[SW-1:0]`, `taken`, `is_call`, `address[61:0]` | out | a [`BranchStep`], in every cycle |
//!
//! `SW` bits of a site.
//!
//! A step with an address takes two cycles, because [`BranchPlace`](super::BranchPlace) compares it: none comes behind
//! an address and behind a return, and in front of an exception there is its address alone.
//!
//! Latency 1 cycle. Throughput one step per cycle, but for these: a row is taken in the cycle of the last step of the
//! row before.

use super::address_words::{ADDRESS_WORD_W, AddressWord};
use super::branch_row::{BRANCH_ROW_W, BranchRow, ROW_STEPS};
use super::branch_step::{BRANCH_STEP_W, BranchStep};
use super::item::MOST_SITE_W;
use coretrace_abi::branch_table::ADDRESS_BITS;
use coretrace_hdl_dataflow::{
    Bus, Word, all, any, kernel_block, named, priority_mux, without_lowest,
};
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
pub struct BranchSequencer<const SW: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub row_valid: Signal<In, Bit>,
    pub row: Signal<In, Bus<BRANCH_ROW_W>>,
    pub row_ready: Signal<Out, Bit>,
    pub address_word: Signal<In, Bus<ADDRESS_WORD_W>>,
    pub address_ready: Signal<Out, Bit>,
    pub step: Signal<Out, Bits<BRANCH_STEP_W>>,
    pub site: Signal<Out, Bits<SW>>,
    pub taken: Signal<Out, Bit>,
    pub is_call: Signal<Out, Bit>,
    pub address: Signal<Out, Bus<{ ADDRESS_BITS as usize }>>,
    row_step: BranchRowStep<SW>,
    held: DFF<Bus<BRANCH_ROW_W>>,
    held_valid: DFF<Bit>,
    /// The first cycle of a step that takes two was a cycle ago.
    halves: DFF<Bit>,
}

impl<const SW: usize> Logic for BranchSequencer<SW> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, held, held_valid, halves);
        self.row_step.held_valid.next = self.held_valid.q.val();
        self.row_step.held.next = self.held.q.val();
        self.row_step.halves.next = self.halves.q.val();
        self.halves.d.next = self.row_step.halves_next.val();
        self.row_step.row.next = self.row.val();
        self.row_step.address_word.next = self.address_word.val();
        self.held.d.next = self.row_step.held_next.val();
        if self.row_step.ends.val() {
            self.held_valid.d.next = self.row_valid.val();
        }
        self.row_ready.next = self.row_step.ends.val();
        self.address_ready.next = self.row_step.address_ready.val();
        self.step.next = self.row_step.step.val();
        self.site.next = self.row_step.site.val();
        self.taken.next = self.row_step.taken.val();
        self.is_call.next = self.row_step.is_call.val();
        self.address.next = self.row_step.address.val();
        if self.reset.val() {
            self.held_valid.d.next = false;
            self.halves.d.next = false;
        }
    }
}

kernel_block! {
    /// The next step of a row, and what is left of it; `N` bits of a site.
    pub struct BranchRowStep;
    inputs RowStepInputs {
        held_valid: Bit,
        held: Bus<BRANCH_ROW_W>,
        halves: Bit,
        row: Bus<BRANCH_ROW_W>,
        address_word: Bus<ADDRESS_WORD_W>,
    }
    lane_inputs {}
    outputs RowStepOutputs {
        ends: Bit,
        address_ready: Bit,
        halves_next: Bit,
        held_next: Bus<BRANCH_ROW_W>,
        step: Bits<BRANCH_STEP_W>,
        site: Bits<N>,
        taken: Bit,
        is_call: Bit,
        address: Bus<{ ADDRESS_BITS as usize }>,
    }
    lane_outputs {}
    kernel branch_row_step;
}

#[named]
fn branch_row_step<T: Word, const N: usize>(i: RowStepInputs<T::Port, N>) -> RowStepOutputs<T, N> {
    let valid = T::field(&i.held_valid, 0, 1);
    let held = BranchRow::<T>::unpack(&i.held);
    let halves = T::field(&i.halves, 0, 1);
    let row = BranchRow::<T>::unpack(&i.row);
    let word = AddressWord::<T>::unpack(&i.address_word);
    let steps: [T; ROW_STEPS] = std::array::from_fn(|step| held.steps.bit(step as u32));
    let [
        returns,
        loses_source,
        addressed,
        passes,
        taken,
        loses,
        leaves,
        _,
    ] = steps;
    // N atoms are as many steps.
    let before = any(&[returns, loses_source, addressed]);
    let passes_now = passes.and(before.not());
    // The numbers of sites begin again behind the last one.
    let sites = |site: T| site.slice(0, N as u32);
    let behind = sites(held.base).add_const(1);
    let passes_on = passes_now.and(behind.eq(sites(held.at)).not());
    let rest = without_lowest(held.steps);
    let leaves_now = leaves.and(any(&[before, passes, taken, loses]).not());
    let arrives_now = returns.or(addressed.and(loses_source.not()));
    let halves_next = all(&[valid, leaves_now.or(arrives_now), halves.not()]);
    let stays = halves_next.or(passes_on);
    let ends = valid.not().or(rest.any().or(stays).not());

    let code = |step: BranchStep| T::constant(step as u64, BRANCH_STEP_W as u32);
    let lost = code(BranchStep::Lost);
    let is_known = held.is_source.or(held.is_loaded.and(word.is_same_isa));
    let address = is_known.mux(code(BranchStep::Address), lost);
    let left = held
        .is_q
        .mux(code(BranchStep::Away), code(BranchStep::Exception));
    let gap = held.is_trace_on.mux(code(BranchStep::TraceOn), lost);
    let cases = [
        (held.steps.any().not(), code(BranchStep::Nothing)),
        (returns, code(BranchStep::Return)),
        (loses_source, lost),
        (addressed, address),
        (passes.or(taken), code(BranchStep::Branch)),
        (loses, lost),
        (leaves, left),
    ];
    let is_now = all(&[
        valid,
        leaves_now.and(halves.not()).not(),
        arrives_now.and(halves).not(),
    ]);
    let step = priority_mux(&cases, gap).mask(is_now);
    let site = returns.mux(held.call, passes.mux(held.base, held.at));

    let later = BranchRow {
        steps: stays.mux(held.steps, rest),
        base: passes_now.mux(behind.extend(MOST_SITE_W as u32), held.base),
        ..held
    };
    RowStepOutputs {
        ends: vec![ends],
        address_ready: vec![all(&[valid, ends, held.has_address])],
        halves_next: vec![halves_next],
        held_next: BranchRow::mux(ends, row, later).pack(),
        step: vec![step],
        site: vec![sites(site)],
        taken: vec![passes.not()],
        is_call: vec![word.is_call],
        address: vec![word.address],
    }
}
