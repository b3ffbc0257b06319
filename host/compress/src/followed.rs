// SPDX-License-Identifier: MIT OR Apache-2.0
//! The elements of a followed program as branch events.

use coretrace_abi::compressed::branch::{Branch, BranchKind, Event};
use coretrace_flow::{Element, ElementSink, ImageSet, Images, LastInstruction, Outcome, Range};
use coretrace_isa::{Class, Isa, Return, decode};

/// What an encoder takes of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The program is here, and nobody knows how it came here.
    Start(u64),
    /// The program goes on.
    Event(Event),
}

/// Gives what an encoder takes, for A64 and A32. Of T32 it gives nothing.
///
/// An exception whose handler is not traced and that returns to where it came from is no event.
#[derive(Debug)]
pub struct Followed<S> {
    images: Images,
    set: Option<ImageSet>,
    /// Where the program goes on, if that is known.
    next: Option<u64>,
    /// An indirect branch that leads to the next range.
    open: Option<Branch>,
    /// Instructions since the last event.
    instructions: u32,
    sink: S,
}

impl<S: FnMut(Step)> Followed<S> {
    /// Of a program with these images.
    pub fn new(images: Images, sink: S) -> Followed<S> {
        Followed {
            images,
            set: None,
            next: None,
            open: None,
            instructions: 0,
            sink,
        }
    }

    /// Instructions behind the last event; without an indirect branch at the end of the trace, since nobody
    /// knows where it led.
    pub fn rest(&self) -> u64 {
        self.instructions.into()
    }

    fn range(&mut self, range: &Range) {
        if range.isa == Isa::T32 {
            return self.lose();
        }
        self.go_to(range.start);
        self.instructions += range.count;
        self.next = Some(range.end);
        let kind = kind(&range.last);
        if !matches!(range.last.class, Class::Direct | Class::Indirect) {
            return;
        }
        let address = range.end - u64::from(range.last.size);
        let taken = range.outcome == Outcome::E;
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
            (self.sink)(Step::Event(Event::Branch(branch)));
        } else {
            self.open = Some(branch);
        }
    }

    /// The next range begins here.
    fn go_to(&mut self, start: u64) {
        if let Some(branch) = self.open.take() {
            let next = start;
            (self.sink)(Step::Event(Event::Branch(Branch { next, ..branch })));
            return;
        }
        match self.next {
            None => (self.sink)(Step::Start(start)),
            Some(next) if next == start => return,
            Some(_) => (self.sink)(Step::Event(Event::Discontinuity {
                instructions: self.instructions,
                next: start,
            })),
        }
        self.instructions = 0;
    }

    fn lose(&mut self) {
        self.next = None;
        self.open = None;
        self.instructions = 0;
    }

    /// Where a direct branch leads.
    fn target(&self, isa: Isa, address: u64) -> Option<u64> {
        let bytes = self.images.at(self.set?, address).first_chunk()?;
        let instruction = decode(isa, u32::from_le_bytes(*bytes), address);
        instruction.target.map(|(_, target)| target)
    }
}

fn kind(last: &LastInstruction) -> BranchKind {
    let is_return = matches!(last.returns, Return::Function | Return::Implied);
    let has = |yes: bool, kind: BranchKind| if yes { kind } else { BranchKind::default() };
    has(last.is_conditional, BranchKind::CONDITIONAL)
        .and(has(last.class == Class::Indirect, BranchKind::INDIRECT))
        .and(has(last.is_link, BranchKind::LINK))
        .and(has(is_return, BranchKind::RETURN))
}

impl<S: FnMut(Step)> ElementSink for Followed<S> {
    fn element(&mut self, _offset: u64, element: &Element) {
        match element {
            Element::Range(range) => self.range(range),
            Element::Context { context, .. } => self.set = Some(self.images.set(context)),
            Element::Exception {
                return_address: Some(address),
                ..
            } if self.open.is_some() => {
                // The branch led there, and nothing was executed.
                self.go_to(*address);
                self.next = Some(*address);
            }
            Element::TraceOn { .. } if self.open.is_none() => {}
            Element::End { .. } => {
                let open = self.open.take();
                self.instructions += open.map_or(0, |branch| branch.instructions - 1);
            }
            Element::NoSync(_)
            | Element::NoImage { .. }
            | Element::NoPath { .. }
            | Element::TraceOn { .. } => self.lose(),
            _ => {}
        }
    }
}
