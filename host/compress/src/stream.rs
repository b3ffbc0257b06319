// SPDX-License-Identifier: MIT OR Apache-2.0
//! Branch events as streams: instructions that follow each other up to a branch that was taken.

use coretrace_abi::compressed::branch::{BranchKind, Event};
use coretrace_abi::compressed::stream_cache::{DISCONTINUITY, MOST_INSTRUCTIONS};

/// Instructions up to a branch that was taken, and whose target the image does not say alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    /// Address of the first one.
    pub start: u64,
    /// The length, as a record has it.
    pub length: u32,
    /// Instructions that were executed, if a discontinuity ends it.
    pub executed: Option<u32>,
    /// The image does not say the start: it is a target of an indirect branch, or the first one.
    pub is_explicit: bool,
}

/// A stream that has not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rest {
    /// Address of the first instruction.
    pub start: u64,
    /// Instructions so far.
    pub instructions: u32,
}

/// Cuts events into streams.
#[derive(Clone, Debug)]
pub struct StreamCutter {
    start: u64,
    instructions: u32,
    is_explicit: bool,
    /// The address behind the newest branch that was not the end of a stream.
    behind: u64,
    /// Direct branches without a condition end a stream too.
    at_all_branches: bool,
}

impl StreamCutter {
    /// Execution begins here.
    pub fn new(start: u64) -> StreamCutter {
        StreamCutter {
            start,
            instructions: 0,
            is_explicit: true,
            behind: start,
            at_all_branches: false,
        }
    }

    /// The same; every branch that was taken ends a stream.
    pub fn of_all_branches(start: u64) -> StreamCutter {
        StreamCutter {
            at_all_branches: true,
            ..StreamCutter::new(start)
        }
    }

    /// What is behind the last stream.
    pub fn rest(&self) -> Rest {
        Rest {
            start: self.start,
            instructions: self.instructions,
        }
    }

    /// Takes the next event; `sink` gets the streams that end with it.
    pub fn event(&mut self, event: &Event, mut sink: impl FnMut(Stream)) {
        // Between events execution is sequential: the place of an instruction is known by its distance.
        let first = self.behind;
        let before = self.instructions;
        self.instructions += event.instructions();
        while self.instructions > MOST_INSTRUCTIONS {
            let cut = before + event.instructions() - self.instructions + MOST_INSTRUCTIONS;
            sink(self.stream(0, None));
            self.instructions -= MOST_INSTRUCTIONS;
            self.start = first + 4 * u64::from(cut - before);
            self.is_explicit = false;
        }
        match event {
            Event::Branch(branch) => {
                self.behind = branch.next;
                let is_known = !branch
                    .kind
                    .is(BranchKind::INDIRECT.and(BranchKind::EXCEPTION));
                let is_conditional = branch.kind.is(BranchKind::CONDITIONAL);
                let ends = is_conditional || !is_known || self.at_all_branches;
                if branch.taken && ends {
                    sink(self.stream(self.instructions, None));
                    self.begin(branch.next, !is_known);
                }
            }
            Event::Discontinuity { next, .. } => {
                self.behind = *next;
                sink(self.stream(DISCONTINUITY, Some(self.instructions)));
                self.begin(*next, true);
            }
        }
    }

    fn stream(&self, length: u32, executed: Option<u32>) -> Stream {
        Stream {
            start: self.start,
            length,
            executed,
            is_explicit: self.is_explicit,
        }
    }

    fn begin(&mut self, start: u64, is_explicit: bool) {
        self.start = start;
        self.instructions = 0;
        self.is_explicit = is_explicit;
    }
}
