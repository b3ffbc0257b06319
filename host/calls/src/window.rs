// SPDX-License-Identifier: MIT OR Apache-2.0
//! A part of a trace: frames that are open at its beginning begin there, those that are open at its
//! end end there.

use std::collections::{BTreeMap, HashMap};

use crate::event::{At, Begin, CallSink, Callee, Event, Thread, What};

/// What a window is measured in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// The time of the source.
    Time,
    /// Instructions.
    Instructions,
}

impl Measure {
    fn of(self, at: &At) -> u64 {
        match self {
            Measure::Time => at.time,
            Measure::Instructions => at.instructions,
        }
    }
}

/// An end of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// What it counts.
    pub measure: Measure,
    /// Where it is.
    pub value: u64,
}

/// Passes on what is between two edges.
pub struct Window<S> {
    from: Option<Edge>,
    to: Option<Edge>,
    sources: HashMap<u8, Source>,
    /// Where it goes.
    pub sink: S,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Before,
    Inside,
    Behind,
}

#[derive(Default)]
struct Source {
    state: State,
    /// The frames that are open, and the thread that runs.
    open: BTreeMap<Thread, Vec<Callee>>,
    thread: Thread,
    last: At,
}

impl<S: CallSink> Window<S> {
    /// Passes on what is from one edge up to another.
    pub fn new(from: Option<Edge>, to: Option<Edge>, sink: S) -> Window<S> {
        Window {
            from,
            to,
            sources: HashMap::new(),
            sink,
        }
    }
}

impl Source {
    fn track(&mut self, event: &Event) {
        let frames = self.open.entry(event.thread).or_default();
        match event.what {
            What::Enter(callee, ..) => frames.push(callee),
            What::Leave(..) => {
                frames.pop();
            }
            _ => {}
        }
        if frames.is_empty() {
            self.open.remove(&event.thread);
        }
        if !matches!(event.what, What::Leave(..)) {
            self.thread = event.thread;
        }
        self.last = event.at;
    }

    fn enter_all(&self, at: At, sink: &mut impl CallSink) {
        for (&thread, frames) in &self.open {
            for (depth, &callee) in frames.iter().enumerate() {
                let what = What::Enter(callee, depth as u32, Begin::Other);
                sink.event(&Event { at, thread, what });
            }
        }
        let (thread, what) = (self.thread, What::Switch);
        sink.event(&Event { at, thread, what });
    }

    fn leave_all(&self, at: At, sink: &mut impl CallSink) {
        // What ran until then is the running thread's.
        let (thread, what) = (self.thread, What::Switch);
        sink.event(&Event { at, thread, what });
        for (&thread, frames) in &self.open {
            for (depth, &callee) in frames.iter().enumerate().rev() {
                let what = What::Leave(callee, depth as u32);
                sink.event(&Event { at, thread, what });
            }
        }
        let what = What::End;
        sink.event(&Event { at, thread, what });
    }
}

/// The place of an edge between two events.
fn at_edge(from: &At, to: &At, edge: Edge) -> At {
    let (first, last) = (edge.measure.of(from), edge.measure.of(to));
    let passed = edge.value.saturating_sub(first);
    let all = last.saturating_sub(first);
    let part = |from: u64, to: u64| {
        let part = u128::from(to.saturating_sub(from)) * u128::from(passed.min(all));
        let part = part.checked_div(u128::from(all)).unwrap_or(0);
        from.saturating_add(u64::try_from(part).unwrap_or(u64::MAX))
    };
    At {
        instructions: part(from.instructions, to.instructions),
        cycles: part(from.cycles, to.cycles),
        time: part(from.time, to.time),
        is_estimated: to.is_estimated,
    }
}

impl<S: CallSink> CallSink for Window<S> {
    fn event(&mut self, event: &Event) {
        let source = self.sources.entry(event.thread.id).or_default();
        if source.last == At::default() && source.open.is_empty() {
            // The trace begins here, whatever the time is.
            source.last = event.at;
        }
        if source.state == State::Before {
            let reached = match self.from {
                Some(edge) if edge.measure.of(&event.at) < edge.value => None,
                Some(edge) => Some(at_edge(&source.last, &event.at, edge)),
                None => Some(event.at),
            };
            if let Some(at) = reached {
                source.state = State::Inside;
                if self.from.is_some() && !source.open.is_empty() {
                    source.enter_all(at, &mut self.sink);
                }
            }
        }
        if source.state == State::Inside
            && let Some(edge) = self.to
            && edge.measure.of(&event.at) > edge.value
        {
            source.state = State::Behind;
            let at = at_edge(&source.last, &event.at, edge);
            source.leave_all(at, &mut self.sink);
        }
        source.track(event);
        if source.state == State::Inside {
            self.sink.event(event);
        }
    }
}
