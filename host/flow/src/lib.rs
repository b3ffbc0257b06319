// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a traced core did: the elements of an ETMv4 or ETE trace.
//!
//! A packet says which way branches went; with the image of the program that is a path. [`Flow`]
//! takes the records of a source in order and gives [`Element`]s: ranges of instructions that were
//! executed, exceptions, contexts, times. [`StreamFlow`] takes the bytes of a source, and [`PortFlow`] those of
//! a trace port with several sources. It does no I/O, and what it stores is bounded by the
//! speculation depth of the trace unit and by the number of blocks of the program.
//!
//! Source: Arm IHI 0064, sections on P0 elements, speculation and return stack.

#![forbid(unsafe_code)]

mod blocks;
mod chunk;
mod cutter;
mod doubts;
mod element;
mod fetch;
mod flow;
mod images;
mod port;
mod processes;
mod queue;
mod range_counts;
mod return_stack;
mod stream;
mod stretch;
mod waiting;
mod walker;

pub use blocks::{Block, BlockId, Blocks, Ending, Reported};
pub use chunk::{Chunk, Start};
pub use cutter::Cutter;
pub use doubts::{Doubt, Doubts, Places};
pub use element::{Element, ElementSink, LastInstruction, Loss, Outcome, Range, TransactionStep};
pub use flow::Flow;
pub use images::{Image, ImageBytes, ImageSet, Images, Spaces};
pub use port::PortFlow;
pub use processes::{NO_THREAD, Processes};
pub use range_counts::RangeCounts;
pub use return_stack::{RETURN_STACK_DEPTH, ReturnStack};
pub use stream::StreamFlow;
pub use stream::state::StreamState;
pub use waiting::{AtomRun, ContextOf, Rules, Target, Waiting};

/// A packet contradicts those before it, so the place in the program is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Contradiction;

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
