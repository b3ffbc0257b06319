// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who takes the elements of the sources of a trace.

use coretrace_etm::Registers;
use coretrace_flow::{Doubts, ElementSink, Image};

/// Bytes that are followed before the elements are taken.
pub const STEP_BYTES: usize = 1 << 13;

/// A source of a trace.
#[derive(Clone, Copy, Debug)]
pub struct TraceSource {
    /// Its trace ID; 0 if it has none.
    pub id: u8,
    /// The number of its CPU, if the trace says so.
    pub cpu: Option<u32>,
    /// The registers of its trace unit.
    pub registers: Registers,
}

/// Takes the elements of the sources of a trace. The elements of a source come in order; those of
/// other sources of the buffer may come between them.
pub trait FlowSink {
    /// Where elements of one source go.
    type Part: ElementSink + Send;

    /// These are the images of all sources; elements come behind them.
    fn images(&mut self, _: &[Image]) {}

    /// A source begins.
    fn begin(&mut self, source: &TraceSource) -> Self::Part;

    /// Another part of a source that began, for elements that come from another thread. Parts are taken
    /// in the order of their elements. None if a part depends on the elements before those in it: then
    /// one part gets all elements in order, in one thread.
    fn fork(&mut self, _source: &TraceSource) -> Option<Self::Part> {
        None
    }

    /// Whether a part should be taken before it gets more: one whose memory grows with its elements is
    /// full at some megabytes.
    fn is_full(_part: &Self::Part) -> bool {
        false
    }

    /// Takes what is in a part, and leaves it empty: it gets the next elements of the source. What is
    /// small may stay in the first part up to its end.
    fn take(&mut self, part: &mut Self::Part);

    /// The first part of a source gets no more elements.
    fn end(&mut self, _source: &TraceSource, mut part: Self::Part) {
        self.take(&mut part);
    }

    /// Where a source that ended contradicts the images.
    fn doubts(&mut self, _source: &TraceSource, _: &Doubts) {}
}

/// What was followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Followed {
    /// Some source has an A-Sync.
    pub is_decoded: bool,
    /// How often the trace contradicts the images.
    pub doubts: u64,
    /// A shard was followed, and the next one begins without knowing all that this one does.
    pub is_end_doubtful: bool,
}
