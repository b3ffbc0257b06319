// SPDX-License-Identifier: MIT OR Apache-2.0
//! A chip with CoreSight components, as a bus: state machines, trace that flows, and a judge.
//!
//! It shares the register map and the description of a topology with the planner, and nothing else: what
//! is right is written here a second time.
//!
//! Time is accesses: each read or write of a register is a tick, in which every enabled trace unit sends a packet.
#![forbid(unsafe_code)]

mod changes;
mod chip;
mod condition;
mod device;
mod dma;
mod elsewhere;
mod event;
mod fault;
mod findings;
mod flow;
mod judge;
mod outcome;
mod part;
mod program;
mod receiver;
mod rom;
mod source;
mod time;
mod walk;
mod world;

pub use chip::SimulatedChip;
pub use condition::CONDITIONS;
pub use dma::{Dma, Memory};
pub use event::{Event, NoEvent};
pub use fault::Fault;
pub use findings::{Findings, Lost, Violation};
pub use time::Ticks;
pub use world::World;

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
