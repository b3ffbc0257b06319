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
mod exit;
mod spread;
mod table;
mod totals;
mod who;

pub use counter::Counter;
pub use counts::{Counts, Edge, Group, Range, Sums};
pub use exit::Exit;
pub use totals::Totals;
pub use who::{Context, Source, Who};
