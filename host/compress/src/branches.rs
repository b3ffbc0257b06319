// SPDX-License-Identifier: MIT OR Apache-2.0
//! Encoders that make decisions about every branch and write a record where one is wrong.

use coretrace_abi::compressed::branch::{Branch, BranchKind, Event};
use coretrace_abi::compressed::history::Control;
use coretrace_abi::compressed::item::Note;

use crate::bits::Bits;
use crate::records::Records;

/// What an encoder knows of the branches so far.
pub trait Model {
    /// A branch with a condition retired: decides whether it was taken.
    fn outcome(&mut self, records: &mut Records, branch: &Branch);

    /// An indirect branch or an exception was taken: decides where it led.
    fn target(&mut self, records: &mut Records, branch: &Branch);

    /// A call that returns to this address was taken.
    fn call(&mut self, behind: u64);
}

/// Encodes branch events; [`coretrace_abi::compressed`] has the records.
#[derive(Clone, Debug)]
pub struct Branches<M> {
    model: M,
    records: Records,
    /// Instructions since the last event that has decisions.
    instructions: u64,
}

impl<M: Model> Branches<M> {
    /// With a model that has not seen a branch, and its classes of decisions.
    pub(crate) fn of(model: M, classes: &'static [u16]) -> Branches<M> {
        Branches {
            model,
            records: Records::new(classes),
            instructions: 0,
        }
    }

    /// Takes the next event.
    pub fn event(&mut self, event: &Event) {
        self.instructions += u64::from(event.instructions());
        match event {
            Event::Branch(branch) => self.branch(branch),
            Event::Discontinuity { next, .. } => {
                let instructions = std::mem::take(&mut self.instructions);
                self.records.control(Control::Discontinuity, instructions);
                self.records.literal(*next);
            }
        }
    }

    /// Takes a note, so many instructions behind the event before.
    pub fn note(&mut self, note: Note, instructions: u32) {
        let instructions = self.instructions + u64::from(instructions);
        self.records.note(note, instructions);
    }

    /// Bits so far.
    pub fn bits(&self) -> u64 {
        self.records.bits()
    }

    /// Ends the block, so many instructions behind the last event; all bits.
    pub fn finish(mut self, instructions: u64) -> Bits {
        let instructions = self.instructions + instructions;
        self.records.control(Control::End, instructions);
        self.records.into_bits()
    }

    fn branch(&mut self, branch: &Branch) {
        let kind = branch.kind;
        let is_conditional = kind.is(BranchKind::CONDITIONAL);
        let leads_anywhere = kind.is(BranchKind::INDIRECT.and(BranchKind::EXCEPTION));
        if is_conditional {
            self.model.outcome(&mut self.records, branch);
        }
        if leads_anywhere && branch.taken {
            self.model.target(&mut self.records, branch);
        }
        if kind.is(BranchKind::LINK) && branch.taken {
            self.model.call(branch.address + 4);
        }
        if is_conditional || leads_anywhere {
            self.records.event();
            self.instructions = 0;
        }
    }
}
