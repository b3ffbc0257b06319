// SPDX-License-Identifier: MIT OR Apache-2.0
//! The ranges of a stream, and those that were executed.

use coretrace_decode::Policy;
use coretrace_flow::{Element, ElementSink, Image, Images, Outcome, StreamFlow};
use coretrace_isa::Class;
use coretrace_test_gen::btr::BranchTrace;
use coretrace_test_gen::trace_unit::{Page, TraceUnit, TracedRange};

/// Takes the ranges of a flow, and what it says of losses.
#[derive(Default)]
pub struct Walk {
    pub ranges: Vec<TracedRange>,
    pub losses: usize,
    pub exceptions: usize,
}

impl ElementSink for Walk {
    fn element(&mut self, _: u64, element: &Element) {
        match element {
            Element::Range(range) => self.ranges.push(TracedRange {
                start: range.start,
                end: range.end,
                taken: (range.last.class != Class::Other).then_some(range.outcome == Outcome::E),
            }),
            Element::NoSync(_) | Element::NoImage { .. } => self.losses += 1,
            Element::Exception { .. } => self.exceptions += 1,
            _ => {}
        }
    }
}

/// Images of pages.
pub fn images(pages: &[Page]) -> Images {
    let image = |page: &Page| Image::new(page.address, page.bytes.as_slice());
    Images::new(pages.iter().map(image).collect())
}

/// What the flow makes of a stream of a trace unit. It finds nothing doubtful in it.
pub fn follow(unit: &TraceUnit, images: &Images, stream: &[u8], name: &str) -> Walk {
    let mut walk = Walk::default();
    let mut flow = StreamFlow::new(&unit.source(), images.clone(), Policy::Resync);
    flow.feed(stream, &mut walk);
    flow.finish(&mut walk);
    assert_eq!(flow.doubts().count(), 0, "{name}");
    // The first one is the beginning.
    assert_eq!(walk.losses, 1, "{name}");
    walk
}

pub fn assert_equal(ranges: &[TracedRange], truth: &[TracedRange], name: &str) {
    for (number, (range, want)) in ranges.iter().zip(truth).enumerate() {
        assert_eq!(range, want, "{name}, range {number}");
    }
    assert_eq!(ranges.len(), truth.len(), "{name}");
}

/// A trace through a trace unit and back again.
pub fn there_and_back(unit: &TraceUnit, trace: &BranchTrace, name: &str) -> Walk {
    let mut truth = Vec::new();
    let stream = unit.trace(trace, &mut truth);
    let pages = unit.pages(trace).expect("instructions");
    let walk = follow(unit, &images(&pages), &stream, name);
    assert_equal(&walk.ranges, &truth, name);
    walk
}
