// SPDX-License-Identifier: MIT OR Apache-2.0
//! The control plane of a trace session: plans, runs and undoes the set-up of CoreSight components.
//!
//! ```text
//! topology, wish ─▶ route ─▶ plan ─▶ execute ─▶ journal ─▶ undo
//!                              │        ▲
//!                              ▼       bus: a machine, a simulator, a recording
//!                            listing
//! ```
//!
//! Nothing here touches hardware: a [`Bus`] does. Every access of a start is in its [`Plan`], and what
//! ends a session is made from the [`Journal`] of what was done.
#![forbid(unsafe_code)]

mod bus;
mod discover;
mod examine;
mod execute;
mod join;
mod journal;
mod listing;
mod not_taken;
mod noted;
mod owner;
pub mod plan;
mod read_out;
pub mod ring;
mod role;
pub mod rules;
mod run;
mod status;
pub mod topology;
mod undo;
pub mod wrappers;

pub use bus::{Bus, BusError, Time};
pub use discover::{DiscoverError, Found, What, discover};
pub use execute::{Ending, execute};
pub use join::{Place, as_found, join, joined};
pub use journal::{Entry, Journal, JournalError};
pub use listing::{explain, json, presets, shell, text};
pub use not_taken::{NotTaken, not_taken};
pub use noted::noted;
pub use owner::{Intrusion, intrusions, note_intrusions};
pub use plan::{Options, Plan, PlanError};
pub use run::{Failure, LIMIT};
pub use status::{State, cores, status};
pub use topology::{PRESETS, Preset, Topology, Wanted};
pub use undo::{steps as undo_steps, undo};

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
