// SPDX-License-Identifier: MIT OR Apache-2.0
//! Elements in, out where the trace contradicts the images.

use std::collections::BTreeMap;
use std::sync::Arc;

use coretrace_capture::perf::Mapping;
use coretrace_etm::Context;
use coretrace_flow::{Doubt, Doubts, Element, ElementSink, Image, Images, Places, RangeCounts};

use super::builds::other_builds;
use crate::follow::{FlowSink, TraceSource};
use crate::output::Output;
use crate::traced::Traced;

/// An image is suspected where more than one in so many ranges contradicts it.
const RANGES_PER_DOUBT: u64 = 1000;

/// What was checked.
#[derive(Clone, Copy, Debug, Default)]
pub struct Checked {
    /// Ranges of instructions that are in an image.
    pub ranges: u64,
    /// A build ID differs.
    pub has_other_builds: bool,
}

/// Writes where sources contradict the images, and before that which images are another build than
/// what was mapped or is named.
pub struct Checker<'a> {
    output: Output,
    traced: &'a Traced,
    mappings: &'a [Mapping],
    checked: Checked,
    images: Vec<Image>,
    /// Ranges of each image, by trace ID.
    ranges: BTreeMap<u8, Vec<u64>>,
}

impl<'a> Checker<'a> {
    /// A checker that has found nothing.
    pub fn new(traced: &'a Traced, mappings: &'a [Mapping]) -> Checker<'a> {
        Checker {
            output: Output::new(),
            traced,
            mappings,
            checked: Checked::default(),
            images: Vec::new(),
            ranges: BTreeMap::new(),
        }
    }

    /// Ends the list.
    pub fn end(self) -> Checked {
        self.output.finish();
        self.checked
    }
}

/// The ranges of a source.
pub struct Part {
    id: u8,
    ranges: RangeCounts,
}

impl ElementSink for Part {
    fn element(&mut self, offset: u64, element: &Element) {
        self.ranges.element(offset, element);
    }

    fn resume(&mut self, context: &Context) {
        self.ranges.resume(context);
    }
}

impl FlowSink for Checker<'_> {
    type Part = Part;

    fn images(&mut self, images: &[Image]) {
        let lines = other_builds(images, &self.traced.program, self.mappings);
        self.checked.has_other_builds = !lines.is_empty();
        self.output.text_of(&lines.concat());
        self.images = images.to_vec();
    }

    fn begin(&mut self, source: &TraceSource) -> Part {
        let processes = Arc::clone(&self.traced.processes);
        let images = Images::of_processes(self.images.clone(), processes);
        Part {
            id: source.id,
            ranges: RangeCounts::new(images),
        }
    }

    fn fork(&mut self, source: &TraceSource) -> Option<Part> {
        Some(self.begin(source))
    }

    fn take(&mut self, part: &mut Part) {
        part.ranges.take(self.ranges.entry(part.id).or_default());
    }

    fn doubts(&mut self, source: &TraceSource, doubts: &Doubts) {
        // Another buffer may have a source of this trace ID.
        let ranges = self.ranges.remove(&source.id).unwrap_or_default();
        self.checked.ranges += ranges.iter().sum::<u64>();
        let mut sums = BTreeMap::<usize, u64>::new();
        for (image, _, places) in doubts.iter() {
            *sums.entry(image).or_default() += places.count;
        }
        for (image, sum) in sums {
            let head = format!("ID {:02x}  {}  ", source.id, self.images[image].name);
            let text = &mut self.output.text;
            for (_, doubt, places) in doubts.iter().filter(|(of, ..)| *of == image) {
                text.push_str(&head);
                doubt_line(text, doubt, places);
            }
            text.push_str(&head);
            rate_line(text, sum, ranges.get(image).copied().unwrap_or(0));
        }
    }
}

/// Appends how often, what, and the first addresses.
fn doubt_line(out: &mut String, doubt: Doubt, places: &Places) {
    let what = match doubt {
        Doubt::NotTaken => "a branch without a condition was not taken",
        Doubt::OtherTarget => "the program did not go on here",
        Doubt::ReturnAddress => "an exception returns to where the program was not",
        Doubt::EmptyStack => "a return without a call",
    };
    out.push_str(&format!("{} x {what}:", places.count));
    for address in &places.first {
        out.push_str(&format!(" {address:#x}"));
    }
    out.push('\n');
}

/// Appends how often the ranges of an image contradict it, and what that means.
fn rate_line(out: &mut String, doubts: u64, ranges: u64) {
    out.push_str(&format!("{doubts} in {ranges} ranges"));
    if doubts.saturating_mul(RANGES_PER_DOUBT) > ranges {
        out.push_str(": it is probably not what ran");
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_is_suspected_above_one_doubt_in_1000_ranges() {
        for (doubts, ranges, is_suspected) in [
            (1, 1000, false),
            (1, 999, true),
            (3, 3001, false),
            (1, 0, true),
            (u64::MAX, u64::MAX, false),
        ] {
            let mut line = String::new();
            rate_line(&mut line, doubts, ranges);
            assert!(line.starts_with(&format!("{doubts} in {ranges} ranges")));
            assert_eq!(line.contains("not what ran"), is_suspected, "{line}");
        }
    }
}
