// SPDX-License-Identifier: MIT OR Apache-2.0
//! Exact counts of what a trace says was executed, and what is made of them.
//!
//! A [`Counter`] takes the elements of a source, and gives [`Counts`]: visits, instructions, cycles
//! and ticks of each range of instructions, and how often each branch went where. Memory is in
//! proportion to the number of different ranges and branches. Views and outputs take counts, never
//! elements.

#![forbid(unsafe_code)]

mod counter;
mod counts;
mod coverage;
mod diff;
mod exit;
mod gaps;
mod heat;
mod key;
mod linked;
mod loops;
mod names;
mod outputs;
mod page;
mod pieces;
mod rows;
mod spread;
mod table;
mod text;
mod totals;
mod view;
mod who;

pub use counter::Counter;
pub use counts::{Counts, Edge, Group, Range, Sums};
pub use coverage::{FunctionCoverage, coverage};
pub use diff::{Difference, Functions};
pub use exit::Exit;
pub use heat::{Heat, Stretch};
pub use key::Key;
pub use linked::{FileCounts, FileEdge, files_by_instructions};
pub use loops::{Loop, loops};
pub use outputs::{write_autofdo, write_bolt, write_fdata, write_lcov};
pub use page::{PageTable, write_page};
pub use rows::{Row, SCHEMA};
pub use text::{write_rows, write_totals};
pub use totals::Totals;
pub use view::{By, RowSums, View};
pub use who::{Context, Source, Who};
