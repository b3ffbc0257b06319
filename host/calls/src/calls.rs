// SPDX-License-Identifier: MIT OR Apache-2.0
//! Elements of a source in, calls out.
//!
//! A call pushes its return address; an indirect branch to a return address on the stack ends all
//! frames above it, however it got there. This is not the return stack of the trace unit.

use std::collections::BTreeMap;
use std::ops::Range;

use coretrace_flow::{Element, ElementSink, Outcome, Range as Instructions};
use coretrace_isa::{Class, Return};
use coretrace_program::LoadedFunction;

use crate::clock::Clock;
use crate::event::{Axis, Begin, CallSink, Callee, Cut, Entry, Thread, What};
use crate::functions::Functions;
use crate::stack::{Back, Frame, Stack};
use crate::way::{Place, Way, arrive};

/// Threads of a source whose stacks are kept, at most.
const MAX_THREADS: usize = 1024;

/// What was seen of a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallCounts {
    /// Instructions that were executed.
    pub instructions: u64,
    /// Those between two addresses of which the path is not known; they are in no frame.
    pub pathless: u64,
    /// How often no image had an instruction.
    pub holes: u64,
    /// How often tracing was off.
    pub gaps: u64,
    /// How often trace was lost, or bytes could not be decoded.
    pub losses: u64,
    /// Calls.
    pub calls: u64,
    /// Exceptions.
    pub exceptions: u64,
    /// Calls of which the frames were not kept: they were too deep.
    pub too_deep: u64,
    /// Events whose time is estimated: they waited too long for a timestamp.
    pub estimated: u64,
    /// Timestamps that are earlier than the one before.
    pub backwards: u64,
}

/// The calls of a source.
#[derive(Clone, Debug)]
pub struct Calls {
    /// What runs.
    thread: Thread,
    stacks: BTreeMap<Thread, Stack>,
    /// The stack of the thread.
    stack: Stack,
    way: Way,
    /// The addresses around the last one that belong to the same function, and where it begins.
    here: (Range<u64>, Option<Entry>),
    has_begun: bool,
    /// The last element was the end of the trace.
    has_ended: bool,
    reports_ranges: bool,
    clock: Clock,
    counts: CallCounts,
}

impl Calls {
    /// The calls of a source, of which nothing is known yet. Events with instructions are reported
    /// only if `reports_ranges`.
    pub fn new(id: u8, axis: Axis, counts_cycles: bool, reports_ranges: bool) -> Calls {
        let thread = Thread {
            id,
            ..Thread::default()
        };
        Calls {
            thread,
            stacks: BTreeMap::new(),
            stack: Stack::default(),
            way: Way::On,
            here: (0..0, None),
            has_begun: false,
            has_ended: false,
            reports_ranges,
            clock: Clock::new(axis, counts_cycles),
            counts: CallCounts::default(),
        }
    }

    /// What was seen so far.
    pub fn counts(&self) -> CallCounts {
        let stacks = self.stacks.values().chain([&self.stack]);
        CallCounts {
            too_deep: self.counts.too_deep + stacks.map(|stack| stack.cut).sum::<u64>(),
            estimated: self.clock.estimated(),
            backwards: self.clock.backwards(),
            ..self.counts
        }
    }

    /// What runs.
    pub fn thread(&self) -> Thread {
        self.thread
    }

    /// What time is counted in.
    pub fn axis(&self) -> Axis {
        self.clock.axis()
    }

    /// Where elements go whose calls go to a sink.
    pub fn to<'a, F: Functions, S: CallSink>(
        &'a mut self,
        functions: &'a F,
        sink: &'a mut S,
    ) -> impl ElementSink + 'a {
        move |_: u64, element: &Element| self.element(element, functions, sink)
    }

    /// Takes the next element; `sink` gets the events whose time is known with it.
    pub fn element(
        &mut self,
        element: &Element,
        functions: &impl Functions,
        sink: &mut impl CallSink,
    ) {
        self.has_ended = matches!(element, Element::End { .. });
        match *element {
            Element::Range(ref range) => self.range(range, functions, sink),
            Element::Context {
                context,
                has_vmid,
                has_cid,
                ..
            } => {
                let thread = Thread {
                    id: self.thread.id,
                    vmid: has_vmid.then_some(context.vmid),
                    cid: has_cid.then_some(context.cid),
                };
                self.switch(thread, sink);
            }
            Element::NoPath { count, .. } => {
                self.counts.pathless += u64::from(count);
                self.way = Way::OutOfHole;
            }
            Element::NoImage { address } => {
                self.counts.holes += 1;
                if self.way != Way::OutOfHole {
                    self.arrive(address, true, functions, sink);
                }
                self.way = Way::OutOfHole;
            }
            Element::Exception {
                return_address,
                number,
                ..
            } => {
                self.counts.exceptions += 1;
                self.exception(number, return_address, functions, sink);
            }
            Element::ExceptionReturn => self.way = Way::ExceptionReturn,
            Element::TraceOn { .. } => self.cut(Cut::Gap, sink),
            Element::NoSync(loss) => self.cut(Cut::Lost(loss), sink),
            Element::End { .. } => self.end(sink),
            Element::CycleCount(cycles) => self.clock.cycles(cycles, sink),
            Element::Timestamp { timestamp, cycles } => {
                self.clock.timestamp(timestamp, cycles, sink);
            }
            Element::Transaction(_) => self.way = Way::On,
            Element::Event(_) | Element::TimestampMarker | Element::Instrumentation { .. } => {}
        }
    }

    /// Ends what runs where elements end in front of the end of the trace: they are a part of it.
    pub fn finish(&mut self, sink: &mut impl CallSink) {
        if !self.has_ended {
            self.has_ended = true;
            self.end(sink);
        }
    }

    fn range(
        &mut self,
        range: &Instructions,
        functions: &impl Functions,
        sink: &mut impl CallSink,
    ) {
        self.arrive(range.start, false, functions, sink);
        self.has_begun = true;
        if self.reports_ranges {
            self.report(
                What::Ran {
                    start: range.start,
                    end: range.end,
                    count: range.count,
                    isa: range.isa,
                },
                sink,
            );
        }
        self.counts.instructions += u64::from(range.count);
        self.clock.ran(range.count);
        let is_indirect = range.last.class == Class::Indirect;
        let is_branch = is_indirect || range.last.class == Class::Direct;
        self.way = if !is_branch || range.outcome == Outcome::N {
            Way::On
        } else if range.last.is_link {
            Way::Call { back: range.end }
        } else {
            match range.last.returns {
                Return::Function | Return::Implied => Way::Return,
                Return::Exception => Way::ExceptionReturn,
                Return::None => Way::Jump { is_indirect },
            }
        };
    }

    /// The program goes on at an address.
    fn arrive(
        &mut self,
        address: u64,
        is_hole: bool,
        functions: &impl Functions,
        sink: &mut impl CallSink,
    ) {
        let way = std::mem::replace(&mut self.way, Way::On);
        self.counts.calls += u64::from(matches!(way, Way::Call { .. }));
        let stays = matches!(way, Way::On | Way::Jump { .. });
        if stays && self.here.0.contains(&address) && self.stack.top().is_some() {
            return;
        }
        let place = Place {
            address,
            function: self.function(address, functions),
            is_hole,
        };
        self.change(sink, |stack, mut frames| {
            arrive(stack, way, &place, &mut frames);
        });
    }

    fn function(&mut self, address: u64, functions: &impl Functions) -> Option<Entry> {
        if !self.here.0.contains(&address) {
            self.here = match functions.at(&self.thread, address) {
                Some(LoadedFunction {
                    start,
                    process,
                    part,
                }) => (part, Some(Entry { process, start })),
                None => (address..address, None),
            };
        }
        self.here.1
    }

    fn exception(
        &mut self,
        number: u16,
        return_address: Option<u64>,
        functions: &impl Functions,
        sink: &mut impl CallSink,
    ) {
        // What was reached in front of it has no instruction of its own.
        match (self.way, return_address) {
            (Way::On, _) => {}
            (_, Some(address)) => self.arrive(address, false, functions, sink),
            (Way::ExceptionReturn, None) => {
                self.change(sink, |stack, mut frames| {
                    stack.pop_to(
                        |frame| matches!(frame.back, Back::Exception(_)),
                        &mut frames,
                    );
                });
            }
            (_, None) => {}
        }
        self.has_begun = true;
        let frame = Frame {
            callee: Callee::Exception(number),
            back: Back::Exception(return_address),
        };
        self.change(sink, |stack, mut frames| {
            stack.push(frame, Begin::Other, &mut frames);
        });
        self.way = Way::Handler;
    }

    /// Changes the stack of the thread that runs.
    fn change<S: CallSink>(
        &mut self,
        sink: &mut S,
        change: impl FnOnce(&mut Stack, &mut dyn FnMut(What)),
    ) {
        let Calls {
            stack,
            clock,
            thread,
            ..
        } = self;
        change(stack, &mut |what| clock.event(*thread, what, sink));
    }

    fn report(&mut self, what: What, sink: &mut impl CallSink) {
        self.clock.event(self.thread, what, sink);
    }

    fn switch(&mut self, thread: Thread, sink: &mut impl CallSink) {
        if thread == self.thread {
            return;
        }
        if self.stacks.len() >= MAX_THREADS {
            self.close(sink);
            self.report(What::Cut(Cut::Threads), sink);
        }
        let stack = self.stacks.remove(&thread).unwrap_or_default();
        let before = std::mem::replace(&mut self.stack, stack);
        if before.top().is_some() {
            self.stacks.insert(self.thread, before);
        } else {
            self.counts.too_deep += before.cut;
        }
        self.thread = thread;
        self.here = (0..0, None);
        // A call or a return is a matter of the thread before; an exception has its handler here.
        if self.way != Way::Handler {
            self.way = Way::On;
        }
        self.report(What::Switch, sink);
    }

    fn cut(&mut self, cut: Cut, sink: &mut impl CallSink) {
        if !self.has_begun {
            return;
        }
        self.has_begun = false;
        match cut {
            Cut::Lost(_) => self.counts.losses += 1,
            _ => self.counts.gaps += 1,
        }
        self.close(sink);
        self.report(What::Cut(cut), sink);
        self.clock.gap();
    }

    /// Ends all frames of the source.
    fn close(&mut self, sink: &mut impl CallSink) {
        self.change(sink, |stack, mut frames| stack.clear(&mut frames));
        for (thread, mut stack) in std::mem::take(&mut self.stacks) {
            let clock = &mut self.clock;
            stack.clear(&mut |what| clock.event(thread, what, sink));
            self.counts.too_deep += stack.cut;
        }
        self.way = Way::On;
    }

    fn end(&mut self, sink: &mut impl CallSink) {
        self.close(sink);
        self.has_begun = false;
        self.report(What::End, sink);
        self.clock.finish(sink);
    }
}
