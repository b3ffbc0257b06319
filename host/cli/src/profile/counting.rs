// SPDX-License-Identifier: MIT OR Apache-2.0
//! The counts of a trace that is followed here.

use std::collections::BTreeMap;

use anyhow::Result;
use coretrace_capture::Trace;
use coretrace_counts::{Counter, Counts, Source};
use coretrace_program::Program;

use crate::error::say;
use crate::follow::{FlowSink, FollowArgs, TraceSource};

/// A trace, what it executed, and the programs of it.
pub struct Counted {
    /// What the user calls it.
    pub name: String,
    /// What it executed.
    pub counts: Counts,
    /// Its programs.
    pub program: Program,
    /// Some source has an A-Sync.
    pub is_decoded: bool,
}

/// Follows a trace and counts.
///
/// # Errors
/// If the trace or a memory image cannot be read.
pub fn count(
    name: &str,
    trace: &Trace,
    program: Program,
    follow: &FollowArgs,
    sync_limit: u64,
) -> Result<Counted> {
    let mut sink = CountSink::default();
    let followed = follow.follow(trace, &program, sync_limit, &mut sink)?;
    if followed.doubts > 0 {
        say(&format!(
            "warning: {name}: the trace contradicts the images {} times, so counts may be those of other \
             code: `etm4 elements --check` says where",
            followed.doubts
        ));
    }
    Ok(Counted {
        name: name.to_owned(),
        counts: sink.counts(),
        program,
        is_decoded: followed.is_decoded,
    })
}

/// Counts the elements of sources.
#[derive(Default)]
struct CountSink {
    counts: Counts,
    /// The parts of each source so far.
    sources: BTreeMap<Source, Counter>,
}

impl CountSink {
    fn counts(mut self) -> Counts {
        for (_, counter) in self.sources {
            self.counts.merge(&counter.finish());
        }
        self.counts
    }
}

impl FlowSink for CountSink {
    type Part = Counter;

    fn begin(&mut self, source: &TraceSource) -> Counter {
        let key = Source {
            id: source.id,
            cpu: source.cpu,
        };
        Counter::new(key, &source.registers)
    }

    /// Nothing: a part takes memory for its ranges and branches only.
    fn take(&mut self, _part: &mut Counter) {}

    fn end(&mut self, source: &TraceSource, part: Counter) {
        let key = Source {
            id: source.id,
            cpu: source.cpu,
        };
        match self.sources.get_mut(&key) {
            Some(counter) => counter.append(part),
            None => {
                self.sources.insert(key, part);
            }
        }
    }
}
