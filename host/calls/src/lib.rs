// SPDX-License-Identifier: MIT OR Apache-2.0
//! Calls and time of a traced program.
//!
//! [`Calls`] takes the elements of a source and gives [`Event`]s: frames that begin and end, each
//! with its place on the axes of instructions, cycles and time. Everything else here is a
//! [`CallSink`]: lists, a call tree, folded stacks, the formats of profilers, and a report.
//!
//! Memory is bounded: stacks by depth, trees by nodes, pieces of time by their number.

#![forbid(unsafe_code)]

mod around;
mod calls;
mod clock;
mod event;
mod firefox;
mod folded;
mod functions;
mod list;
mod names;
mod perfetto;
pub mod report;
mod samples;
mod stack;
mod sums;
mod symbols;
mod tree;
mod tree_text;
mod way;
mod window;

pub use around::Around;
pub use calls::{CallCounts, Calls};
pub use event::{At, Axis, Begin, CallSink, Callee, Cut, Entry, Event, Thread, What};
pub use firefox::firefox;
pub use folded::folded;
pub use functions::Functions;
pub use list::{FLOW_SCHEMA, FlowList, ListFormat, cut_text};
pub use names::{KnownNames, Names, thread_name};
pub use perfetto::Perfetto;
pub use samples::{Sample, Samples};
pub use sums::{FunctionSum, function_sums};
pub use symbols::ThreadSymbols;
pub use tree::{CallTree, Costs, Node, NodeId, NodeKind, Stretch};
pub use tree_text::{Shown, write_tree};
pub use window::{Edge, Measure, Window};
