// SPDX-License-Identifier: MIT OR Apache-2.0
//! Steps of a walk to branch events: the specification of the block `BranchEvents`.
//!
//! | step | events |
//! |---|---|
//! | an N atom, an E atom of a direct branch | the branch |
//! | an E atom of an indirect branch | *opens* the branch: it is an event when something says where it led |
//! | an address; a return, whose target is behind the call | says where the program is, from the next atom or exception on |
//! | an exception at R | instructions up to R; of a call (SVC, HVC, SMC), an open branch at R - 4 |
//! | the next atom, or instructions in front of an exception | an open branch leads there; else, if the program was elsewhere or nobody knows, a discontinuity |
//! | Trace On | an indirect branch that is open is dropped |
//! | an address, a return or an atom of another instruction set, and any other loss | an open branch is dropped, and nobody knows where the program is |
//! | a site that is no branch, such as an ISB | none: its instructions count for the next event |
//!
//! The instructions of an event are the units from where the program was up to the branch. What is dropped is no
//! event, but its instructions count; the next event is a discontinuity.
//!
//! Whether an exception is that of a call is in the table, and not in its number: an SVC of A32 that has a
//! condition is no branch to an encoder.

use coretrace_abi::branch_table::{FOREIGN, NO_BRANCH};
use coretrace_abi::compressed::branch::{Branch, BranchKind, Event};

use crate::branch_table::BranchTable;

/// Bytes of an instruction.
const INSTRUCTION: u64 = 4;

/// What an encoder takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BranchStep {
    /// The program begins here; the first step, and no other one.
    Start(u64),
    /// The program goes on.
    Event(Event),
}

/// A step of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceStep {
    /// The next instruction is here.
    Address(u64),
    /// It is the one behind the call at this site.
    Return(u32),
    /// An atom.
    Branch {
        /// Its site.
        site: u32,
        /// It is an E.
        taken: bool,
    },
    /// An exception.
    Exception {
        /// The preferred return address.
        address: u64,
        /// An SVC, HVC or SMC is in front of it.
        is_call: bool,
    },
    /// A Q element: an address says where the program goes on.
    Away,
    /// Trace On.
    TraceOn,
    /// Nobody knows where the program is.
    Lost,
}

/// Where the program is, and what there is to say of it.
#[derive(Clone, Debug, Default)]
pub struct BranchPlace {
    has_started: bool,
    /// Where the program goes on; it is not known at first, and while a branch is open.
    next: Option<u64>,
    /// It is there: no exception, no Q element and no gap came since.
    is_there: bool,
    /// An address that came since.
    target: Option<u64>,
    /// A branch that leads where the program goes on.
    open: Option<Branch>,
    /// Instructions since the last event, up to where the program goes on.
    instructions: u32,
}

impl BranchPlace {
    /// Takes a step.
    pub fn step(
        &mut self,
        step: PlaceStep,
        branches: &BranchTable,
        sink: &mut impl FnMut(BranchStep),
    ) {
        match step {
            PlaceStep::Address(address) => self.target = Some(address),
            PlaceStep::Return(call) if branches.word(call).kind == FOREIGN => self.lose(),
            PlaceStep::Return(call) => {
                self.target = Some(branches.address(call).wrapping_add(INSTRUCTION));
            }
            PlaceStep::Branch { site, taken } => self.branch(site, taken, branches, sink),
            PlaceStep::Exception { address, is_call } => self.exception(address, is_call, sink),
            PlaceStep::Away => self.is_there = false,
            PlaceStep::TraceOn => {
                self.target = None;
                self.is_there = false;
                if self.open.is_some_and(|open| is_indirect(&open)) {
                    self.lose();
                }
            }
            PlaceStep::Lost => self.lose(),
        }
    }

    /// An atom of a site.
    fn branch(
        &mut self,
        site: u32,
        taken: bool,
        branches: &BranchTable,
        sink: &mut impl FnMut(BranchStep),
    ) {
        let kind = branches.word(site).kind;
        if kind == FOREIGN {
            return self.lose();
        }
        let Some(here) = self.go_on(sink) else {
            return;
        };
        let address = branches.address(site);
        let behind = address.wrapping_add(INSTRUCTION);
        self.instructions = self.instructions.wrapping_add(instructions(here, behind));
        self.next = Some(behind);
        if kind == NO_BRANCH {
            return;
        }
        let next = match (taken, kind.is(BranchKind::INDIRECT)) {
            (false, _) => Some(behind),
            (true, false) => Some(branches.target(site)),
            (true, true) => None,
        };
        let branch = Branch {
            address,
            kind,
            taken,
            next: next.unwrap_or_default(),
            instructions: std::mem::take(&mut self.instructions),
        };
        self.next = next;
        match next {
            Some(_) => sink(BranchStep::Event(Event::Branch(branch))),
            None => self.open = Some(branch),
        }
    }

    /// An exception with this preferred return address.
    fn exception(&mut self, address: u64, is_call: bool, sink: &mut impl FnMut(BranchStep)) {
        let here = self.target.or(self.next.filter(|_| self.is_there));
        if let Some(here) = here.filter(|here| *here < address) {
            self.go_on(sink);
            let count = instructions(here, address);
            self.instructions = self.instructions.wrapping_add(count);
            self.next = Some(address);
            if is_call {
                self.open = Some(Branch {
                    address: address.wrapping_sub(INSTRUCTION),
                    kind: BranchKind::EXCEPTION,
                    taken: true,
                    next: 0,
                    instructions: std::mem::take(&mut self.instructions),
                });
            }
        } else if self.open.is_some_and(|open| leads_to(&open, address)) {
            // The branch led there, and nothing was executed.
            self.target = Some(address);
            self.go_on(sink);
        }
        self.target = None;
        self.is_there = false;
    }

    /// The program goes on: says how it came there, and returns where that is. If nobody knows, it waits
    /// for an address.
    fn go_on(&mut self, sink: &mut impl FnMut(BranchStep)) -> Option<u64> {
        let to = self.target.take().or(self.next)?;
        let known = self.next.replace(to);
        self.is_there = true;
        if let Some(branch) = self.open.take() {
            let event = Event::Branch(Branch { next: to, ..branch });
            sink(BranchStep::Event(event));
        } else if !std::mem::replace(&mut self.has_started, true) {
            sink(BranchStep::Start(to));
        } else if known != Some(to) {
            sink(BranchStep::Event(Event::Discontinuity {
                instructions: std::mem::take(&mut self.instructions),
                next: to,
            }));
        }
        Some(to)
    }

    /// Nobody knows where the program goes on.
    fn lose(&mut self) {
        self.next = None;
        self.target = None;
        self.is_there = false;
        if let Some(open) = self.open.take() {
            let left = open.instructions.wrapping_sub(1);
            self.instructions = self.instructions.wrapping_add(left);
        }
    }
}

/// Whether an exception with this return address says where an open branch led: it does, but for that of an
/// exception call itself.
fn leads_to(open: &Branch, address: u64) -> bool {
    is_indirect(open) || address != open.address.wrapping_add(INSTRUCTION)
}

fn is_indirect(branch: &Branch) -> bool {
    branch.kind.is(BranchKind::INDIRECT)
}

fn instructions(from: u64, to: u64) -> u32 {
    (to.wrapping_sub(from) / INSTRUCTION) as u32
}
