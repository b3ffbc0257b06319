// SPDX-License-Identifier: MIT OR Apache-2.0
//! Streams back to events: records say which streams there were, the image what is in them.

use std::collections::VecDeque;

use coretrace_abi::compressed::branch::{Branch, BranchKind, Event};
use coretrace_abi::compressed::stream_cache::MOST_INSTRUCTIONS;

use crate::code::{Code, INSTRUCTION_BYTES, behind, instructions_up_to};
use crate::reader::Damaged;

/// A stream of the trace.
#[derive(Clone, Copy, Debug)]
pub struct Stream {
    /// Address of the first instruction.
    pub start: u64,
    /// The length, as a record has it.
    pub length: u32,
    /// Instructions that were executed, if a discontinuity ends it.
    pub executed: Option<u32>,
}

/// What gives streams in the order of execution.
pub trait StreamSource {
    /// The next stream, which starts at `known` if the image says where; `None` behind the last one.
    ///
    /// # Errors
    /// If the records are not those of an encoder.
    fn stream(&mut self, known: Option<u64>) -> Result<Option<Stream>, Damaged>;
}

/// The events of a trace, in order. Behind an error there is none.
pub struct StreamReplay<'r, C, S> {
    code: &'r C,
    source: S,
    /// Where execution went on behind the last stream, and for how many instructions.
    rest: (u64, u32),
    address: u64,
    /// The image says where the next stream starts.
    is_known: bool,
    /// Instructions since the last event, of streams that went on.
    instructions: u32,
    /// An event behind which the next stream starts.
    open: Option<Event>,
    ready: VecDeque<Event>,
    has_ended: bool,
}

impl<'r, C: Code, S: StreamSource> StreamReplay<'r, C, S> {
    /// Of these streams; behind the last one so many instructions were executed from an address on.
    pub fn new(source: S, code: &'r C, rest: (u64, u32)) -> StreamReplay<'r, C, S> {
        StreamReplay {
            code,
            source,
            rest,
            address: 0,
            is_known: false,
            instructions: 0,
            open: None,
            ready: VecDeque::new(),
            has_ended: false,
        }
    }

    /// Instructions behind the last event, once there is no more.
    pub fn rest(&self) -> u64 {
        self.instructions.into()
    }

    /// Reads a stream and goes through it; false at the end.
    fn stream(&mut self) -> Result<bool, Damaged> {
        let known = self.is_known.then_some(self.address);
        let Some(stream) = self.source.stream(known)? else {
            return Ok(false);
        };
        self.begin(stream.start);
        self.is_known = false;
        match (stream.length, stream.executed) {
            (_, Some(executed)) => {
                self.walk(executed, false)?;
                self.open = Some(Event::Discontinuity {
                    instructions: std::mem::take(&mut self.instructions),
                    next: 0,
                });
            }
            (0, None) => {
                self.walk(MOST_INSTRUCTIONS, false)?;
                self.is_known = true;
            }
            (length, None) => self.walk(length, true)?,
        }
        Ok(true)
    }

    /// The next stream starts here.
    fn begin(&mut self, start: u64) {
        let event = self.open.take().map(|event| match event {
            Event::Branch(branch) => Event::Branch(Branch {
                next: start,
                ..branch
            }),
            Event::Discontinuity { instructions, .. } => Event::Discontinuity {
                instructions,
                next: start,
            },
        });
        self.ready.extend(event);
        self.address = start;
    }

    /// Goes through so many instructions; the last one is a branch that was taken if `ends`.
    fn walk(&mut self, instructions: u32, ends: bool) -> Result<(), Damaged> {
        let mut left = instructions;
        while left > 0 {
            let site = self.code.branch_from(self.address);
            let run = site.map(|site| (site, instructions_up_to(self.address, site.address)));
            let within = run.filter(|&(_, run)| run <= u64::from(left));
            let Some((site, run)) = within else {
                if ends {
                    return Err(Damaged);
                }
                self.instructions = self.instructions.checked_add(left).ok_or(Damaged)?;
                let bytes = INSTRUCTION_BYTES * u64::from(left);
                self.address = self.address.wrapping_add(bytes);
                return Ok(());
            };
            left -= run as u32;
            let is_last = ends && left == 0;
            let is_conditional = site.kind.is(BranchKind::CONDITIONAL);
            let is_open = site
                .kind
                .is(BranchKind::INDIRECT.and(BranchKind::EXCEPTION));
            if is_open && !is_last && !is_conditional {
                return Err(Damaged);
            }
            let taken = is_last || !is_conditional;
            let next = if taken {
                site.target
            } else {
                behind(site.address)
            };
            let before = std::mem::take(&mut self.instructions);
            let branch = Branch {
                address: site.address,
                kind: site.kind,
                taken,
                next,
                instructions: before.checked_add(run as u32).ok_or(Damaged)?,
            };
            if is_last && is_open {
                self.open = Some(Event::Branch(branch));
            } else {
                self.ready.push_back(Event::Branch(branch));
                self.address = next;
                self.is_known = is_last;
            }
        }
        Ok(())
    }

    fn step(&mut self) -> Result<Option<Event>, Damaged> {
        while self.ready.is_empty() {
            if !self.stream()? {
                self.has_ended = true;
                let (start, instructions) = self.rest;
                self.begin(start);
                self.walk(instructions, false)?;
                break;
            }
        }
        Ok(self.ready.pop_front())
    }
}

impl<C: Code, S: StreamSource> Iterator for StreamReplay<'_, C, S> {
    type Item = Result<Event, Damaged>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.has_ended {
            return self.ready.pop_front().map(Ok);
        }
        let event = self.step();
        if event.is_err() {
            self.has_ended = true;
            self.ready.clear();
        }
        event.transpose()
    }
}
