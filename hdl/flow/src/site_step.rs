// SPDX-License-Identifier: MIT OR Apache-2.0
//! A step with the addresses of its site: all that [`BranchPlace`](super::BranchPlace) needs of it, and that does
//! not depend on where the program is.

use super::branch_event::INSTRUCTIONS_W;
use super::branch_step::BranchStep;
use super::ring_word::one_back;
use coretrace_abi::branch_table::{
    ADDRESS_BITS, FOREIGN, KIND_BITS, NO_BRANCH, OFFSET_BITS, UNIT_BITS,
};
use coretrace_abi::compressed::branch::BranchKind;
use coretrace_hdl_dataflow::{Word, all, any, join, named, priority_mux};

/// The bit of a property.
pub fn has<T: Word>(kind: T, property: BranchKind) -> T {
    kind.bit(property.0.ilog2())
}

/// A word of a branch table with its addresses.
pub struct Site<T> {
    pub kind: T,
    pub address: T,
    /// Where its branch leads.
    pub exit: T,
    /// The next instruction.
    pub behind: T,
}

#[named]
impl<T: Word> Site<T> {
    /// A cycle behind the number of its page.
    pub fn new(word: T, page: T) -> Self {
        let unit = word.slice(OFFSET_BITS + KIND_BITS, UNIT_BITS);
        let address = wide(page.concat(unit));
        let offset = wide(word.slice(0, OFFSET_BITS));
        let kind = word.slice(OFFSET_BITS, KIND_BITS);
        Site {
            kind: kind.at_stage(address.stage() + 1),
            address: address.reg(),
            exit: address.add(offset).reg(),
            behind: address.add_const(1).reg(),
        }
    }
}

/// The number with its sign.
fn wide<T: Word>(value: T) -> T {
    let sign = value.bit(value.width() - 1);
    join((value.width()..ADDRESS_BITS).map(|_| sign)).concat(value)
}

/// A step, decoded.
pub struct SiteStep<T> {
    /// An atom of this instruction set.
    pub is_atom: T,
    /// Its branch has its target in the instruction, or is not taken.
    pub is_direct: T,
    /// It is not known yet where its branch leads.
    pub opens: T,
    pub is_exception: T,
    /// Of an exception: it is that of a call.
    pub is_call: T,
    /// The program is at `place` from the next atom or exception on.
    pub arrives: T,
    pub is_trace_on: T,
    /// Nobody knows where the program is.
    pub is_lost: T,
    /// The program is not where it was.
    pub leaves: T,
    /// The last `place` that arrived counts no longer.
    pub spends: T,
    /// Its branch, or the call in front of an exception.
    pub pc: T,
    /// Where an atom leads, a return goes and an exception returns to; else the address of the step.
    pub place: T,
    /// The instruction behind the last one that was executed.
    pub end: T,
    pub kind: T,
    pub is_taken: T,
}

#[named]
impl<T: Word> SiteStep<T> {
    /// A cycle later.
    pub fn new(step: T, is_e: T, is_call: T, came: T, site: Site<T>) -> Self {
        let is = |kind: BranchStep| step.is(kind as u64);
        let is_foreign = site.kind.is(FOREIGN.0.into());
        let is_branch = site.kind.is(NO_BRANCH.0.into()).not();
        let is_atom = is(BranchStep::Branch).and(is_foreign.not());
        let is_return = is(BranchStep::Return);
        let is_exception = is(BranchStep::Exception);
        let is_trace_on = is(BranchStep::TraceOn);
        let of_site = is_return.or(is(BranchStep::Branch));
        let is_lost = is(BranchStep::Lost).or(of_site.and(is_foreign));
        let arrives = is(BranchStep::Address).or(is_return.and(is_foreign.not()));
        let is_open = is_e.and(has(site.kind, BranchKind::INDIRECT));
        let led = is_e.and(is_branch).mux(site.exit, site.behind);
        let place = priority_mux(&[(is_atom, led), (is_return, site.behind)], came);
        let end = is_atom.mux(site.behind, came);
        let of_call = T::constant(BranchKind::EXCEPTION.0.into(), KIND_BITS);
        SiteStep {
            is_atom: is_atom.reg(),
            is_direct: all(&[is_atom, is_branch, is_open.not()]).reg(),
            opens: all(&[is_atom, is_branch, is_open]).reg(),
            is_exception: is_exception.reg(),
            is_call: is_call.reg(),
            arrives: arrives.reg(),
            is_trace_on: is_trace_on.reg(),
            is_lost: is_lost.reg(),
            leaves: any(&[is_exception, is_trace_on, is(BranchStep::Away), is_lost]).reg(),
            spends: any(&[is_atom, is_exception, is_trace_on, is_lost]).reg(),
            pc: is_atom.mux(site.address, one_back(came)).reg(),
            place: place.reg(),
            end: end.slice(0, INSTRUCTIONS_W as u32).reg(),
            kind: is_exception.mux(of_call, site.kind).reg(),
            is_taken: is_e.reg(),
        }
    }
}
