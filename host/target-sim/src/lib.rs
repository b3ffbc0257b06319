// SPDX-License-Identifier: MIT OR Apache-2.0
//! A chip with CoreSight components, as a bus: state machines, trace that flows, and a judge.
//!
//! It shares the register map and the description of a topology with the planner, and nothing else: what
//! is right is written here a second time.
//!
//! Time is accesses: each read or write is a tick, in which every enabled trace unit sends a packet.
#![forbid(unsafe_code)]

mod device;
mod fault;
mod findings;
mod flow;
mod judge;
mod outcome;
mod part;
mod program;
mod time;
mod world;

pub use fault::Fault;
pub use findings::{Findings, Lost, Violation};
pub use time::Ticks;
pub use world::World;

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
