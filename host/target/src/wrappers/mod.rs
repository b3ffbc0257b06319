// SPDX-License-Identifier: MIT OR Apache-2.0
//! Buses around a bus: a log, a log as a bus, nothing at all, a guard, an end when somebody asks for it,
//! a trace buffer that is read out, ranges of addresses, and parts that must not be accessed.

mod barred;
mod draining;
mod dry_run;
mod guarded;
mod interruptible;
mod recorded;
mod replay;
mod within;

pub use barred::Barred;
pub use draining::{Drained, Draining};
pub use dry_run::DryRun;
pub use guarded::Guarded;
pub use interruptible::Interruptible;
pub use recorded::{Access, Recorded};
pub use replay::Replay;
pub use within::Within;
