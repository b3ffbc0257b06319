// SPDX-License-Identifier: MIT OR Apache-2.0
//! The elements of a followed program as branch events.

use coretrace_abi::compressed::branch::{Branch, BranchKind, Event};
use coretrace_abi::compressed::item::Note;
use coretrace_flow::{Element, ElementSink, ImageSet, Images, LastInstruction, Outcome, Range};
use coretrace_isa::{Class, Isa, decode};

use crate::passed::{FirstBranches, INSTRUCTION_BYTES, kind};

/// What an encoder takes of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The program begins here; the first step, and no other one.
    Start(u64),
    /// The program goes on.
    Event(Event),
    /// A context or a time.
    Note {
        /// Instructions since the event before.
        instructions: u32,
        /// What it says.
        note: Note,
    },
}

/// Gives what an encoder takes, of A64 or A32 code. Of T32 it gives nothing, and nothing of an instruction set
/// other than that of the first instruction.
///
/// An exception whose handler is not traced and that returns to where it came from is no event; an SVC, HVC
/// or SMC is one in any case. A gap of the trace is a discontinuity. Times are given, and the contexts that
/// see other images than the one before: of those between two ranges the newest, in front of the range.
#[derive(Debug)]
pub struct Followed {
    images: Images,
    set: Option<ImageSet>,
    /// The instruction set of the trace: that of its first instruction.
    isa: Option<Isa>,
    has_started: bool,
    /// Where the program goes on, if that is known.
    next: Option<u64>,
    /// An indirect branch or an exception call that leads to the next range.
    open: Option<Branch>,
    /// The newest context that sees other images, its identifiers if they need a note, and the newest time since the last range.
    notes: [Option<Note>; 3],
    /// Instructions since the last event.
    instructions: u32,
    firsts: FirstBranches,
    steps: Vec<Step>,
}

impl Followed {
    /// Of a program with these images.
    pub fn new(images: Images) -> Followed {
        Followed {
            images,
            set: None,
            isa: None,
            has_started: false,
            next: None,
            open: None,
            notes: [None; 3],
            instructions: 0,
            firsts: FirstBranches::default(),
            steps: Vec::new(),
        }
    }

    /// Takes the steps since it was called last.
    pub fn steps(&mut self) -> impl Iterator<Item = Step> {
        self.steps.drain(..)
    }

    /// The instruction set of all steps, which is known at the first one.
    pub fn isa(&self) -> Option<Isa> {
        self.isa
    }

    /// Instructions behind the last event; without an indirect branch at the end of the trace, since nobody
    /// knows where it led.
    pub fn rest(&self) -> u64 {
        self.instructions.into()
    }

    fn range(&mut self, range: &Range) {
        if range.isa == Isa::T32 || self.isa.is_some_and(|isa| isa != range.isa) {
            return self.lose();
        }
        self.isa = Some(range.isa);
        self.go_to(range.start);
        self.put_notes();
        let is_branch = matches!(range.last.class, Class::Direct | Class::Indirect);
        let address = range.end - u64::from(range.last.size);
        let start = self.pass(range, if is_branch { address } else { range.end });
        if self.open.is_some() {
            return;
        }
        self.instructions += instructions_between(start, range.end);
        self.next = Some(range.end);
        if !is_branch {
            return;
        }
        let LastInstruction {
            is_conditional,
            class,
            is_link,
            returns,
            ..
        } = range.last;
        let kind = kind(is_conditional, class, is_link, returns);
        let taken = range.outcome == Outcome::E;
        if !taken && !kind.is(BranchKind::CONDITIONAL) {
            // The trace contradicts the image.
            self.instructions -= 1;
            return self.lose();
        }
        let next = match (taken, kind.is(BranchKind::INDIRECT)) {
            (false, _) => Some(range.end),
            (true, false) => self.target(range.isa, address),
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
        if next.is_some() {
            self.steps.push(Step::Event(Event::Branch(branch)));
        } else {
            self.open = Some(branch);
        }
    }

    /// Passes the branches of a range without atoms, up to an address: exception calls, and those that the trace
    /// of an ETE leaves out in front of a source address. Returns the address behind the last of them.
    fn pass(&mut self, range: &Range, end: u64) -> u64 {
        let mut start = range.start;
        while let Some((address, kind)) = self.set.and_then(|set| {
            let addresses = start..end;
            self.firsts.within(&self.images, set, range.isa, addresses)
        }) {
            let next = address + INSTRUCTION_BYTES;
            self.instructions += instructions_between(start, address);
            start = next;
            if !kind.is(BranchKind::CONDITIONAL.and(BranchKind::EXCEPTION)) {
                // The trace contradicts the image: the branch cannot have been passed.
                self.discontinue(next);
                continue;
            }
            let branch = Branch {
                address,
                kind,
                taken: kind.is(BranchKind::EXCEPTION),
                next,
                instructions: std::mem::take(&mut self.instructions) + 1,
            };
            if branch.taken && next == range.end {
                self.open = Some(branch);
                break;
            }
            self.steps.push(Step::Event(Event::Branch(branch)));
        }
        start
    }

    /// Whether an exception that returns to an address says where an open branch led.
    fn leads_to(&self, address: u64) -> bool {
        let is_other = self.open.is_some_and(|open| !is_own(&open, address));
        is_other && address.is_multiple_of(INSTRUCTION_BYTES)
    }

    /// Gives the notes in front of a range.
    fn put_notes(&mut self) {
        for note in std::mem::take(&mut self.notes).into_iter().flatten() {
            let instructions = self.instructions;
            self.steps.push(Step::Note { instructions, note });
        }
    }

    /// The next range begins here.
    fn go_to(&mut self, start: u64) {
        if let Some(branch) = self.open.take() {
            let next = start;
            self.steps
                .push(Step::Event(Event::Branch(Branch { next, ..branch })));
            return;
        }
        let goes_on = self.next == Some(start);
        if !std::mem::replace(&mut self.has_started, true) {
            self.steps.push(Step::Start(start));
        } else if !goes_on {
            self.discontinue(start);
        }
    }

    /// The program goes on elsewhere.
    fn discontinue(&mut self, next: u64) {
        self.steps.push(Step::Event(Event::Discontinuity {
            instructions: std::mem::take(&mut self.instructions),
            next,
        }));
    }

    /// Nobody knows where the program goes on: an indirect branch that leads there is left out.
    fn lose(&mut self) {
        self.next = None;
        if let Some(open) = self.open.take() {
            self.instructions += open.instructions - 1;
        }
    }

    /// Where a direct branch leads.
    fn target(&self, isa: Isa, address: u64) -> Option<u64> {
        let bytes = self.images.at(self.set?, address).first_chunk()?;
        let instruction = decode(isa, u32::from_le_bytes(*bytes), address);
        instruction.target.map(|(_, target)| target)
    }
}

/// Whether an exception that returns there is the one of an exception call.
fn is_own(open: &Branch, address: u64) -> bool {
    !is_indirect(open) && address == open.address + INSTRUCTION_BYTES
}

fn is_indirect(branch: &Branch) -> bool {
    branch.kind.is(BranchKind::INDIRECT)
}

fn instructions_between(start: u64, end: u64) -> u32 {
    (end.saturating_sub(start) / INSTRUCTION_BYTES) as u32
}

impl ElementSink for Followed {
    fn element(&mut self, _offset: u64, element: &Element) {
        match element {
            Element::Range(range) => self.range(range),
            Element::Context { context, .. } => {
                let set = self.images.set(context);
                if self.set.replace(set) != Some(set) {
                    self.notes[0] = Some(Note::of_context(context));
                    self.notes[1] = Note::of_identifiers(context);
                }
            }
            Element::Timestamp { timestamp, .. } => {
                self.notes[2] = Some(Note::Timestamp(*timestamp));
            }
            Element::Exception {
                return_address: Some(address),
                ..
            } if self.leads_to(*address) => {
                // The branch led there, and nothing was executed.
                self.go_to(*address);
                self.next = Some(*address);
            }
            Element::TraceOn { .. } if !self.open.is_some_and(|open| is_indirect(&open)) => {}
            Element::End { .. }
            | Element::NoSync(_)
            | Element::NoImage { .. }
            | Element::NoPath { .. }
            | Element::TraceOn { .. } => self.lose(),
            _ => {}
        }
    }
}
