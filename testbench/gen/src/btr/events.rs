// SPDX-License-Identifier: MIT OR Apache-2.0
//! A branch trace as the events that an encoder takes.
//!
//! Barriers are no events. The routines that Linux provides to A32 programs at the top of the address space
//! are not in their images: a call of one has no event and none of its instructions, and a jump to one is
//! the return that it makes.

use std::collections::VecDeque;

use coretrace_abi::compressed::branch::{Branch, BranchKind, Event};
use coretrace_abi::compressed::element::Element;
use coretrace_isa::Isa;

use super::{BranchRecords, BranchTrace, INSTRUCTION_BYTES, SiteKind};

/// Where the routines of Linux begin.
const ROUTINES: u64 = 0xFFFF_0000;

/// The kinds that a site and an event have in common.
const KINDS: [(SiteKind, BranchKind); 5] = [
    (SiteKind::CONDITIONAL, BranchKind::CONDITIONAL),
    (SiteKind::INDIRECT, BranchKind::INDIRECT),
    (SiteKind::LINK, BranchKind::LINK),
    (SiteKind::RETURN, BranchKind::RETURN),
    (SiteKind::SUPERVISOR_CALL, BranchKind::EXCEPTION),
];

/// The events of a branch trace.
#[derive(Clone, Debug)]
pub struct Events<'t> {
    trace: &'t BranchTrace,
    records: BranchRecords<'t>,
    /// Instructions that belong to the next event.
    before: u64,
    /// Instructions of the records so far.
    read: u64,
    /// Routines of Linux are left out.
    leaves_out: bool,
}

impl BranchTrace {
    /// What an encoder takes of it.
    pub fn events(&self) -> Events<'_> {
        Events {
            leaves_out: self.isa == Isa::A32,
            ..self.all_events()
        }
    }

    /// The same, with the routines of Linux.
    pub fn all_events(&self) -> Events<'_> {
        Events {
            trace: self,
            records: self.records(),
            before: 0,
            read: 0,
            leaves_out: false,
        }
    }

    /// The atoms and addresses of a trace unit with so many entries of a return stack.
    pub fn elements(&self, returns: usize) -> impl Iterator<Item = Element> {
        let mut stack = VecDeque::new();
        self.all_events().map(move |event| match event {
            Event::Branch(branch) => element(&branch, &mut stack, returns),
            Event::Discontinuity { next, .. } => Element {
                taken: true,
                address: Some(next),
            },
        })
    }
}

fn element(branch: &Branch, stack: &mut VecDeque<u64>, returns: usize) -> Element {
    let mut element = Element {
        taken: branch.taken,
        address: None,
    };
    let is_indirect = branch.kind.is(BranchKind::INDIRECT);
    if branch.kind.is(BranchKind::EXCEPTION) {
        element.address = Some(branch.next);
        return element;
    }
    if is_indirect && branch.taken && stack.back() == Some(&branch.next) {
        stack.pop_back();
    } else if is_indirect && branch.taken {
        element.address = Some(branch.next);
    }
    if branch.kind.is(BranchKind::LINK) && branch.taken && returns > 0 {
        if stack.len() == returns {
            stack.pop_front();
        }
        stack.push_back(branch.address + INSTRUCTION_BYTES);
    }
    element
}

impl Events<'_> {
    /// Instructions behind the newest event.
    pub fn rest(&self) -> u64 {
        self.trace.instructions - self.read + self.before
    }

    /// The next record that is no barrier.
    fn record(&mut self) -> Option<Event> {
        loop {
            let record = self.records.next()?;
            self.read += record.instructions;
            let site = self.trace.sites[record.site];
            let instructions = record.instructions + std::mem::take(&mut self.before);
            if site.kind.is(SiteKind::BARRIER) {
                self.before = instructions;
                continue;
            }
            let instructions = instructions as u32;
            let next = record.next;
            if site.kind.is(SiteKind::DISCONTINUITY) {
                return Some(Event::Discontinuity { instructions, next });
            }
            let of_site = KINDS.iter().filter(|(of, _)| site.kind.is(*of));
            let kind = of_site.fold(BranchKind::default(), |all, (_, kind)| all.and(*kind));
            return Some(Event::Branch(Branch {
                address: site.address,
                kind,
                taken: record.taken,
                next,
                instructions,
            }));
        }
    }
}

impl Iterator for Events<'_> {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        loop {
            let event = self.record()?;
            let Event::Branch(call) = event else {
                return Some(event);
            };
            let enters = call.taken && call.next >= ROUTINES && call.address < ROUTINES;
            if !self.leaves_out || !enters || !call.kind.is(BranchKind::INDIRECT) {
                return Some(event);
            }
            let Some(Event::Branch(Branch { next, .. })) = self.record() else {
                return Some(event);
            };
            if next == call.address + INSTRUCTION_BYTES {
                self.before = call.instructions.into();
                continue;
            }
            return Some(Event::Branch(Branch {
                kind: BranchKind::INDIRECT.and(BranchKind::RETURN),
                next,
                ..call
            }));
        }
    }
}
