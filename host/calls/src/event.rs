// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a call stack reports: frames that begin and end, with their place in the trace.

use coretrace_flow::Loss;
use coretrace_isa::Isa;

/// What the time of a source is counted in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Axis {
    /// Ticks of the timestamps.
    Ticks,
    /// Cycles of the core, without timestamps.
    Cycles,
    /// Instructions, without both.
    #[default]
    Instructions,
}

impl Axis {
    /// The unit of the axis.
    pub fn unit(self) -> &'static str {
        match self {
            Axis::Ticks => "ticks",
            Axis::Cycles => "cycles",
            Axis::Instructions => "instructions",
        }
    }
}

/// A place in the trace of a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct At {
    /// Instructions before it.
    pub instructions: u64,
    /// Cycles before it; 0 where they are not counted.
    pub cycles: u64,
    /// The place on the axis of the source.
    pub time: u64,
    /// The time comes from the rate of other instructions, not from the timestamps around it.
    pub is_estimated: bool,
}

/// Who runs: each has a call stack of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Thread {
    /// Trace ID of the source; 0 if it has none.
    pub id: u8,
    /// Virtual machine, if it is known.
    pub vmid: Option<u32>,
    /// Context ID, if it is known.
    pub cid: Option<u32>,
}

/// Where a function begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Entry {
    /// The process in whose memory it is; `None` if it is in that of every process.
    pub process: Option<u32>,
    /// The address.
    pub start: u64,
}

/// In the memory of every process.
impl From<u64> for Entry {
    fn from(start: u64) -> Entry {
        let process = None;
        Entry { process, start }
    }
}

/// What a frame belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Callee {
    /// The function that begins here; without symbols, where a call went.
    Function(Entry),
    /// An exception with this number.
    Exception(u16),
    /// Code that belongs to no symbol and was not called.
    Unknown,
}

/// Why frames of a source end without a return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// Tracing was off for a while.
    Gap,
    /// The place in the program is not known.
    Lost(Loss),
    /// There were more threads than are kept.
    Threads,
}

/// How a frame begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begin {
    /// By a call: a branch with link, or another branch to the first instruction of another function.
    Call,
    /// By an exception, as its handler or as the first code that is known, in the middle of a function, or
    /// at the edge of a part of a trace.
    Other,
}

/// Something that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A frame begins; its depth, 0 for a root.
    Enter(Callee, u32, Begin),
    /// A frame ends.
    Leave(Callee, u32),
    /// Another thread of the source goes on; it may have frames.
    Switch,
    /// Instructions of the frame on top were executed: from the first address up to the second one.
    Ran {
        /// The first one.
        start: u64,
        /// Behind the last one.
        end: u64,
        /// How many.
        count: u32,
        /// Their instruction set.
        isa: Isa,
    },
    /// All frames of the source have ended.
    Cut(Cut),
    /// The instruction at an address that the user asked for.
    Arrival(u64),
    /// The trace of the source ends, or a part of it; all its frames have ended.
    End,
}

/// An event of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Where it is.
    pub at: At,
    /// Whose it is.
    pub thread: Thread,
    /// What it is.
    pub what: What,
}

/// Takes events, those of a source in order.
pub trait CallSink {
    /// The next event.
    fn event(&mut self, event: &Event);
}

impl<F: FnMut(&Event)> CallSink for F {
    fn event(&mut self, event: &Event) {
        self(event);
    }
}
