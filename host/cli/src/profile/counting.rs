// SPDX-License-Identifier: MIT OR Apache-2.0
//! The counts of a trace that is followed here.

use std::collections::BTreeMap;

use anyhow::Result;
use coretrace_capture::Trace;
use coretrace_counts::{Counter, Counts, Source, Totals};
use coretrace_etm::Registers;
use coretrace_flow::{Element, ElementSink};

use super::read_out_sums::ReadOutSums;
use crate::error::say;
use crate::follow::{FlowSink, FollowArgs, Followed, TraceSource};
use crate::traced::Traced;

/// A trace, what it executed, and the programs of it.
pub struct Counted {
    /// What the user calls it.
    pub name: String,
    /// What each process executed.
    pub counts: BTreeMap<Option<u32>, Counts>,
    /// Its programs, and who ran them.
    pub traced: Traced,
    /// Some source has an A-Sync.
    pub is_decoded: bool,
    /// A core has counted, and not this program.
    pub read_out: Option<ReadOutSums>,
}

impl Counted {
    /// What counters of all sources of a trace counted.
    pub fn new(name: &str, counters: Vec<Counter>, followed: &Followed, traced: Traced) -> Counted {
        if followed.doubts > 0 {
            say(&format!(
                "warning: {name}: the trace contradicts the images {} times, so counts may be those of other \
                 code: `etm4 elements --check` says where",
                followed.doubts
            ));
        }
        let mut counts = Counts::default();
        for counter in counters {
            counts.merge(&counter.finish());
        }
        Counted {
            name: name.to_owned(),
            counts: counts.by_process(&traced.processes),
            traced,
            is_decoded: followed.is_decoded,
            read_out: None,
        }
    }

    /// How complete each source is.
    pub fn sources(&self) -> impl Iterator<Item = (&Source, &Totals)> {
        self.counts.values().flat_map(|counts| &counts.sources)
    }
}

/// Follows a trace and counts.
///
/// # Errors
/// If the trace or a memory image cannot be read.
pub fn count(
    name: &str,
    trace: &Trace,
    traced: Traced,
    follow: &FollowArgs,
    sync_limit: u64,
) -> Result<Counted> {
    let (counters, followed) = follow_counters(trace, &traced, follow, sync_limit)?;
    Ok(Counted::new(name, counters, &followed, traced))
}

/// Follows a trace, or a shard of it, and counts each source.
///
/// # Errors
/// If the trace or a memory image cannot be read.
pub fn follow_counters(
    trace: &Trace,
    traced: &Traced,
    follow: &FollowArgs,
    sync_limit: u64,
) -> Result<(Vec<Counter>, Followed)> {
    let mut sink = CountSink {
        has_parts: follow.threads.get() > 1 || follow.shard.is_some(),
        ..CountSink::default()
    };
    let followed = follow.follow(trace, traced, sync_limit, &mut sink)?;
    Ok((sink.sources.into_values().collect(), followed))
}

/// Counts the elements of sources.
#[derive(Default)]
struct CountSink {
    /// Sources are followed in parts.
    has_parts: bool,
    /// What was taken of each source.
    sources: BTreeMap<Source, Counter>,
}

/// A part of a source.
struct Part {
    key: Source,
    registers: Registers,
    counter: Counter,
}

impl ElementSink for Part {
    #[inline]
    fn element(&mut self, offset: u64, element: &Element) {
        self.counter.element(offset, element);
    }
}

impl CountSink {
    fn append(&mut self, key: Source, counter: Counter) {
        match self.sources.get_mut(&key) {
            Some(before) => before.append(counter),
            None => {
                self.sources.insert(key, counter);
            }
        }
    }
}

impl FlowSink for CountSink {
    type Part = Part;

    fn begin(&mut self, source: &TraceSource) -> Part {
        let key = Source {
            id: source.id,
            cpu: source.cpu,
        };
        Part {
            key,
            registers: source.registers,
            counter: Counter::new(key, &source.registers),
        }
    }

    fn fork(&mut self, source: &TraceSource) -> Option<Part> {
        Some(self.begin(source))
    }

    /// A source that is one part keeps its counts: their memory does not grow with its elements.
    fn take(&mut self, part: &mut Part) {
        if self.has_parts {
            let counter = Counter::new(part.key, &part.registers);
            self.append(part.key, std::mem::replace(&mut part.counter, counter));
        }
    }

    fn end(&mut self, _source: &TraceSource, part: Part) {
        self.append(part.key, part.counter);
    }
}
