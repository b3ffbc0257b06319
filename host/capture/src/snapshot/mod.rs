// SPDX-License-Identifier: MIT OR Apache-2.0
//! CoreSight snapshots, as Arm DS, the CoreSight Access Library and OpenCSD write them.
//!
//! A snapshot is a folder. `snapshot.ini` lists device files and the trace metadata. A device file
//! has the registers of a trace source, or the core and its memory dumps. The metadata names the
//! files of each trace buffer, how they are framed, and the sources that feed it.
//!
//! Source: Arm, Debug and Trace Snapshot File Format (ARM-ECM-0611873, version 0.2), and the snapshots
//! of the OpenCSD tree.

mod contents;
mod device;
mod from_capture;
mod ini;
mod metadata;
mod open;
mod to_capture;

pub use contents::{Framing, Snapshot, SnapshotBuffer};
pub use from_capture::write_snapshot;
pub use to_capture::write_capture;
