// SPDX-License-Identifier: MIT OR Apache-2.0
//! The elements of the sources of a trace to their calls.

use std::collections::BTreeMap;

use coretrace_calls::{Axis, CallCounts, CallSink, Calls, Functions, Thread};
use coretrace_flow::{Element, ElementSink, Range};

use crate::error::say;
use crate::follow::{FlowSink, TraceSource};

/// TRCCONFIGR: cycles are counted.
const CCI: u32 = 1 << 4;
/// TRCCONFIGR: there are timestamps.
const TS: u32 = 1 << 11;

/// Elements of a source that were not taken yet.
pub struct Elements {
    id: u8,
    elements: Vec<Element>,
}

impl ElementSink for Elements {
    fn element(&mut self, _: u64, element: &Element) {
        self.elements.push(*element);
    }
}

/// Gives the calls of all sources to a sink.
pub struct Caller<'a, F, S> {
    functions: &'a F,
    sources: BTreeMap<u8, Calls>,
    reports_ranges: bool,
    /// Sees every range as it comes, and whose it is.
    ranges: &'a mut dyn FnMut(&Thread, &Range),
    /// Where calls go.
    pub sink: S,
}

impl<'a, F: Functions, S: CallSink> Caller<'a, F, S> {
    /// The calls of a trace that is followed.
    pub fn new(
        functions: &'a F,
        reports_ranges: bool,
        ranges: &'a mut dyn FnMut(&Thread, &Range),
        sink: S,
    ) -> Caller<'a, F, S> {
        Caller {
            functions,
            sources: BTreeMap::new(),
            reports_ranges,
            ranges,
            sink,
        }
    }

    /// Each source that was followed: its axis, and what was counted of it.
    pub fn sources(&self) -> Vec<(u8, Axis, CallCounts)> {
        let source = |(&id, calls): (&u8, &Calls)| (id, calls.axis(), calls.counts());
        self.sources.iter().map(source).collect()
    }
}

impl<F: Functions, S: CallSink> FlowSink for Caller<'_, F, S> {
    type Part = Elements;

    fn begin(&mut self, source: &TraceSource) -> Elements {
        let id = source.id;
        let trcconfigr = source.registers.trcconfigr;
        let cycles = trcconfigr & CCI != 0;
        let axis = match (trcconfigr & TS != 0, cycles) {
            (true, _) => Axis::Ticks,
            (false, true) => Axis::Cycles,
            (false, false) => Axis::Instructions,
        };
        let reports_ranges = self.reports_ranges;
        self.sources
            .entry(id)
            .or_insert_with(|| Calls::new(id, axis, cycles, reports_ranges));
        Elements {
            id,
            elements: Vec::new(),
        }
    }

    fn take(&mut self, part: &mut Elements) {
        let Some(calls) = self.sources.get_mut(&part.id) else {
            return;
        };
        for element in part.elements.drain(..) {
            if let Element::Range(range) = &element {
                (self.ranges)(&calls.thread(), range);
            }
            calls.element(&element, self.functions, &mut self.sink);
        }
    }

    /// A shard may end in front of the end of the trace.
    fn end(&mut self, _source: &TraceSource, mut part: Elements) {
        self.take(&mut part);
        if let Some(calls) = self.sources.get_mut(&part.id) {
            calls.finish(&mut self.sink);
        }
    }
}

/// Warns of what makes the calls of a source, or their times, uncertain.
pub fn say_counts(id: u8, counts: &CallCounts) {
    let CallCounts {
        estimated,
        backwards,
        too_deep,
        ..
    } = counts;
    if *estimated > 0 {
        say(&format!(
            "warning: ID {id:02x}: the times of {estimated} calls and returns are estimated, because \
             timestamps are rare"
        ));
    }
    if *backwards > 0 {
        say(&format!(
            "warning: ID {id:02x}: timestamps go back {backwards} times, so the times around these places \
             are wrong"
        ));
    }
    if *too_deep > 0 {
        say(&format!(
            "warning: ID {id:02x}: {too_deep} calls were too deep, and count for their callers"
        ));
    }
}
