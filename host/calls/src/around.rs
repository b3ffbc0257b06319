// SPDX-License-Identifier: MIT OR Apache-2.0
//! What ran around an address: the calls and returns before and behind each arrival there.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use coretrace_flow::Processes;
use coretrace_isa::Isa;

use crate::event::{CallSink, Entry, Event, What};

/// Passes on what is near an arrival at one of the places, or everything.
pub struct Around<S> {
    places: Option<Vec<Entry>>,
    processes: Arc<Processes>,
    count: usize,
    sources: HashMap<u8, Near>,
    /// Arrivals so far.
    pub arrivals: u64,
    /// Where they go.
    pub sink: S,
}

/// The events of a source that may be near.
#[derive(Default)]
struct Near {
    before: VecDeque<Event>,
    /// How many more are passed on.
    behind: usize,
}

impl<S: CallSink> Around<S> {
    /// Passes on this many calls and returns before and behind each arrival; everything without
    /// places.
    pub fn new(
        places: Option<Vec<Entry>>,
        processes: Arc<Processes>,
        count: usize,
        sink: S,
    ) -> Around<S> {
        Around {
            places,
            processes,
            count,
            sources: HashMap::new(),
            arrivals: 0,
            sink,
        }
    }

    fn ran(&mut self, event: &Event, range: (u64, u64, u32, Isa)) {
        let (start, end, count, isa) = range;
        let thread = event.thread;
        for place in self.places.iter().flatten() {
            let address = place.start;
            let is_here = |process| Some(process) == self.processes.of(thread.vmid, thread.cid);
            if !(start..end).contains(&address) || !place.process.is_none_or(is_here) {
                continue;
            }
            self.arrivals += 1;
            let near = self.sources.entry(event.thread.id).or_default();
            for earlier in near.before.drain(..) {
                self.sink.event(&earlier);
            }
            near.behind = self.count;
            let mut at = event.at;
            let passed = instructions_up_to(address - start, end - start, count, isa);
            at.instructions = at.instructions.saturating_add(passed);
            self.sink.event(&Event {
                at,
                what: What::Arrival(address),
                ..*event
            });
        }
    }
}

/// The instructions in the first bytes of a range: exact but for T32, whose sizes differ.
pub fn instructions_up_to(bytes: u64, all: u64, count: u32, isa: Isa) -> u64 {
    match isa {
        Isa::T32 => {
            let part = u128::from(bytes) * u128::from(count) / u128::from(all.max(1));
            u64::try_from(part).unwrap_or(u64::MAX)
        }
        _ => bytes / 4,
    }
}

impl<S: CallSink> CallSink for Around<S> {
    fn event(&mut self, event: &Event) {
        if self.places.is_none() {
            self.sink.event(event);
            return;
        }
        if let What::Ran {
            start,
            end,
            count,
            isa,
        } = event.what
        {
            self.ran(event, (start, end, count, isa));
            let near = self.sources.entry(event.thread.id).or_default();
            if near.behind > 0 {
                self.sink.event(event);
            }
            return;
        }
        let near = self.sources.entry(event.thread.id).or_default();
        if near.behind > 0 {
            if matches!(event.what, What::Enter(..) | What::Leave(..)) {
                near.behind -= 1;
            }
            self.sink.event(event);
            return;
        }
        if self.count > 0 {
            if near.before.len() >= self.count {
                near.before.pop_front();
            }
            near.before.push_back(*event);
        }
    }
}
