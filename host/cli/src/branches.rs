// SPDX-License-Identifier: MIT OR Apache-2.0
//! The branches of the sources of a trace, for those who compress them.

use std::sync::Arc;

use coretrace_compress::{Followed, Step};
use coretrace_flow::{Element, ElementSink, Image, Images, Processes};
use coretrace_isa::Isa;

use crate::follow::{FlowSink, TraceSource};

/// Takes what the sources of a trace executed.
pub trait StepSink {
    /// What is known of a source.
    type Source: Send;

    /// A source begins.
    fn begin(&mut self, source: &TraceSource) -> Self::Source;

    /// Takes the next step of a source; the code of all its steps is of one instruction set.
    fn step(&mut self, source: &mut Self::Source, isa: Isa, step: Step);

    /// A source ends, so many instructions behind its last branch.
    fn end(&mut self, source: Self::Source, instructions: u64);
}

/// Gives branches to a sink, and drops what is no A64 or A32 code.
pub struct Branches<'a, S> {
    processes: &'a Arc<Processes>,
    images: Vec<Image>,
    sink: &'a mut S,
}

impl<'a, S: StepSink> Branches<'a, S> {
    /// Of programs in these address spaces.
    pub fn new(processes: &'a Arc<Processes>, sink: &'a mut S) -> Branches<'a, S> {
        Branches {
            processes,
            images: Vec::new(),
            sink,
        }
    }
}

/// A source.
pub struct Part<S> {
    followed: Followed,
    source: S,
}

impl<S> ElementSink for Part<S> {
    fn element(&mut self, offset: u64, element: &Element) {
        self.followed.element(offset, element);
    }
}

impl<S: StepSink> FlowSink for Branches<'_, S> {
    type Part = Part<S::Source>;

    fn images(&mut self, images: &[Image]) {
        self.images = images.to_vec();
    }

    fn begin(&mut self, source: &TraceSource) -> Self::Part {
        let images = Images::of_processes(self.images.clone(), Arc::clone(self.processes));
        Part {
            followed: Followed::new(images),
            source: self.sink.begin(source),
        }
    }

    fn take(&mut self, part: &mut Self::Part) {
        let Some(isa) = part.followed.isa() else {
            return;
        };
        for step in part.followed.steps() {
            self.sink.step(&mut part.source, isa, step);
        }
    }

    fn end(&mut self, _: &TraceSource, mut part: Self::Part) {
        self.take(&mut part);
        self.sink.end(part.source, part.followed.rest());
    }
}
