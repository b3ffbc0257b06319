// SPDX-License-Identifier: MIT OR Apache-2.0
//! A page about a trace, for people who did not record it: what ran, how complete that is, where the
//! time went, and when.
//!
//! The page is one file without anything from outside, and at most [`MAX_BYTES`] long for any trace.

mod data;
mod hot;
mod html;
mod marks;
mod number;
mod source;

pub use marks::Marks;

use std::collections::{BTreeSet, HashMap};

use coretrace_flow::Range;
use coretrace_isa::Isa;

use crate::calls::CallCounts;
use crate::event::{Axis, CallSink, Callee, Cut, Event, What};
use crate::samples::Samples;
use crate::symbols::ThreadSymbols;
use crate::tree::{CallTree, NodeKind};

/// Bytes of a page, at most.
pub const MAX_BYTES: usize = 10_000_000;

/// Pieces of the timeline, at most.
const MAX_SAMPLES: usize = 20_000;
/// Losses that are listed.
const MAX_LOSSES: usize = 100;

/// A stretch of instructions of a process, by its first address and that behind it.
type Block = (Option<u32>, u64, u64, Isa);

/// Collects what a report shows: give it the calls of a trace, and the ranges of their elements.
#[derive(Clone, Debug)]
pub struct Collected {
    tree: CallTree,
    samples: Samples,
    losses: Vec<(Event, Cut)>,
    loss_count: u64,
}

/// How often each block ran. It has an entry for each block of the program.
#[derive(Clone, Debug, Default)]
pub struct BlockCounts {
    blocks: HashMap<Block, u64>,
    last: Option<(Block, u64)>,
}

impl BlockCounts {
    /// A block of a process ran.
    pub fn add(&mut self, process: Option<u32>, range: &Range) {
        let block = (process, range.start, range.end, range.isa);
        match &mut self.last {
            Some((last, count)) if *last == block => *count += 1,
            _ => {
                self.flush();
                self.last = Some((block, 1));
            }
        }
    }

    fn flush(&mut self) {
        if let Some((block, count)) = self.last.take() {
            *self.blocks.entry(block).or_default() += count;
        }
    }
}

impl Default for Collected {
    fn default() -> Collected {
        Collected {
            tree: CallTree::default(),
            samples: Samples::new(MAX_SAMPLES),
            losses: Vec::new(),
            loss_count: 0,
        }
    }
}

impl CallSink for Collected {
    fn event(&mut self, event: &Event) {
        if let Some(stretch) = self.tree.take(event) {
            self.samples.push(&stretch);
        }
        if let What::Cut(cut) = event.what {
            self.loss_count += 1;
            if self.losses.len() < MAX_LOSSES {
                self.losses.push((*event, cut));
            }
        }
    }
}

/// A source of the trace.
#[derive(Clone, Copy, Debug)]
pub struct ReportSource {
    /// Its trace ID; 0 if it has none.
    pub id: u8,
    /// What its time is counted in.
    pub axis: Axis,
    /// What was seen of it.
    pub counts: CallCounts,
}

/// What a page is made of.
pub struct Report<'a> {
    /// The name of the trace.
    pub name: &'a str,
    /// Its sources.
    pub sources: Vec<ReportSource>,
    /// How often the trace contradicts the images.
    pub doubts: u64,
    /// Ticks in a second, if the user knows.
    pub frequency: Option<f64>,
    /// Whether lines of source files are shown.
    pub has_source: bool,
    /// Calls.
    pub collected: &'a Collected,
    /// What sources of other protocols report.
    pub marks: Marks,
    /// Instructions.
    pub blocks: BlockCounts,
    /// Names and lines.
    pub symbols: &'a ThreadSymbols<'a>,
}

impl Report<'_> {
    /// The page.
    pub fn page(&mut self) -> String {
        self.blocks.flush();
        html::page(self)
    }

    /// What all sources together saw.
    fn counts(&self) -> CallCounts {
        let mut sum = CallCounts::default();
        for CallCounts {
            instructions,
            pathless,
            holes,
            gaps,
            losses,
            calls,
            exceptions,
            too_deep,
            estimated,
            backwards,
        } in self.sources.iter().map(|source| source.counts)
        {
            sum.instructions = sum.instructions.saturating_add(instructions);
            sum.pathless = sum.pathless.saturating_add(pathless);
            sum.holes += holes;
            sum.gaps += gaps;
            sum.losses += losses;
            sum.calls += calls;
            sum.exceptions += exceptions;
            sum.too_deep += too_deep;
            sum.estimated += estimated;
            sum.backwards += backwards;
        }
        sum
    }

    /// How many functions ran.
    fn functions(&self) -> u64 {
        let nodes = self.collected.tree.nodes().iter();
        let functions = nodes.filter_map(|node| match node.kind {
            NodeKind::Frame(Callee::Function(start)) => Some(start),
            _ => None,
        });
        functions.collect::<BTreeSet<_>>().len() as u64
    }

    /// The axis of time: that of all sources if they agree, otherwise that of the first.
    fn axis(&self) -> Axis {
        self.sources
            .first()
            .map_or(Axis::Instructions, |source| source.axis)
    }

    /// The first and the last time of what ran.
    fn span(&self) -> Option<(u64, u64)> {
        let samples = self.collected.samples.samples();
        let first = samples.iter().map(|sample| sample.from).min()?;
        let last = samples.iter().map(|sample| sample.to).max()?;
        Some((first, last.max(first)))
    }
}
