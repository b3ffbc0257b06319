// SPDX-License-Identifier: MIT OR Apache-2.0
//! Buses around a bus: a log, a log as a bus, nothing at all, and a guard.

mod dry_run;
mod guarded;
mod recorded;
mod replay;

pub use dry_run::DryRun;
pub use guarded::Guarded;
pub use recorded::{Access, Recorded};
pub use replay::Replay;
