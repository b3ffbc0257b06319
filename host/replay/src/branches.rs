// SPDX-License-Identifier: MIT OR Apache-2.0
//! What encoders with decisions leave out: all decisions that were right.

use coretrace_abi::compressed::branch::{Branch, BranchKind, Event};
use coretrace_abi::compressed::item::Item;

use crate::code::{Code, INSTRUCTION_BYTES, Site, behind, instructions_up_to};
use crate::decisions::{Decisions, Said};
use crate::reader::Damaged;

/// What both sides know of the branches so far.
pub trait Model {
    /// Whether a branch with a condition was taken.
    ///
    /// # Errors
    /// If the records are not those of an encoder.
    fn outcome(&mut self, decisions: &mut Decisions<'_>, address: u64) -> Result<bool, Damaged>;

    /// Where an indirect branch or an exception led.
    ///
    /// # Errors
    /// If the records are not those of an encoder.
    fn target(&mut self, decisions: &mut Decisions<'_>, site: &Site) -> Result<u64, Damaged>;

    /// A call that returns to this address.
    fn call(&mut self, behind: u64);
}

/// The events and notes of a block, in order. Behind an error there is none.
pub struct BranchReplay<'r, C, M> {
    code: &'r C,
    decisions: Decisions<'r>,
    model: M,
    address: u64,
    /// A control record whose instructions are not behind us, and how many of them are left.
    control: Option<(Said, u64)>,
    /// Instructions of direct branches since the last other event.
    passed: u64,
    /// Instructions from the address on up to the newest note, which may be of another context.
    noted: u64,
    /// Instructions behind the last event.
    rest: u64,
    has_ended: bool,
}

impl<'r, C, M> BranchReplay<'r, C, M> {
    /// Of a block that begins at an address, with a model that has not seen a branch.
    pub(crate) fn of(
        model: M,
        code: &'r C,
        start: u64,
        decisions: Decisions<'r>,
    ) -> BranchReplay<'r, C, M> {
        BranchReplay {
            code,
            decisions,
            model,
            address: start,
            control: None,
            passed: 0,
            noted: 0,
            rest: 0,
            has_ended: false,
        }
    }
}

impl<C: Code, M: Model> BranchReplay<'_, C, M> {
    /// Instructions behind the last event, once there is no more.
    pub fn rest(&self) -> u64 {
        self.rest
    }

    fn step(&mut self) -> Result<Option<Item<Event>>, Damaged> {
        if self.control.is_none()
            && let Some((said, instructions)) = self.decisions.control()?
        {
            let left = instructions.checked_sub(self.passed).ok_or(Damaged)?;
            self.control = Some((said, left));
        }
        let from = self.address.wrapping_add(INSTRUCTION_BYTES * self.noted);
        let site = self.code.branch_from(from);
        let run = site.map(|site| self.noted + instructions_up_to(from, site.address));
        if let Some((said, left)) = self.control.take() {
            let is_direct = site.is_some_and(|site| !has_decisions(&site));
            match run {
                // A direct branch before it.
                Some(run) if run <= left && is_direct => self.control = Some((said, left - run)),
                _ => return self.said(said, left),
            }
        }
        let (site, run) = site.zip(run).ok_or(Damaged)?;
        let event = self.branch(&site, run)?;
        Ok(Some(Item::Event(event)))
    }

    /// What a control record says of a place that we are at.
    fn said(&mut self, said: Said, left: u64) -> Result<Option<Item<Event>>, Damaged> {
        let instructions = u32::try_from(left).map_err(|_| Damaged);
        Ok(match said {
            Said::End => {
                self.rest = left;
                None
            }
            Said::Note(note) => {
                let instructions = instructions?;
                self.code.note(&note);
                self.noted = instructions.into();
                Some(Item::Note { instructions, note })
            }
            Said::Discontinuity(next) => {
                self.address = next;
                self.passed = 0;
                self.noted = 0;
                Some(Item::Event(Event::Discontinuity {
                    instructions: instructions?,
                    next,
                }))
            }
        })
    }

    fn branch(&mut self, site: &Site, run: u64) -> Result<Event, Damaged> {
        let decisions = &mut self.decisions;
        let mut taken = true;
        let mut next = site.target;
        if site.kind.is(BranchKind::CONDITIONAL) {
            taken = self.model.outcome(decisions, site.address)?;
        }
        if !taken {
            next = behind(site.address);
        } else if site
            .kind
            .is(BranchKind::INDIRECT.and(BranchKind::EXCEPTION))
        {
            next = self.model.target(decisions, site)?;
        }
        if taken && site.kind.is(BranchKind::LINK) {
            self.model.call(behind(site.address));
        }
        self.passed += run;
        if has_decisions(site) {
            decisions.event();
            self.passed = 0;
        }
        self.address = next;
        self.noted = 0;
        Ok(Event::Branch(Branch {
            address: site.address,
            kind: site.kind,
            taken,
            next,
            instructions: u32::try_from(run).map_err(|_| Damaged)?,
        }))
    }
}

/// Whether anything about a branch is to be decided.
fn has_decisions(site: &Site) -> bool {
    let kinds = BranchKind::CONDITIONAL.and(BranchKind::INDIRECT);
    site.kind.is(kinds.and(BranchKind::EXCEPTION))
}

impl<C: Code, M: Model> Iterator for BranchReplay<'_, C, M> {
    type Item = Result<Item<Event>, Damaged>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.has_ended {
            return None;
        }
        let item = self.step().transpose();
        self.has_ended = !matches!(item, Some(Ok(_)));
        item
    }
}
