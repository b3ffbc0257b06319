// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 convert`: capture folders to CoreSight snapshots and back.

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use clap::Args;
use coretrace_capture::snapshot::{Snapshot, write_capture, write_snapshot};

use crate::error::{Outcome, say};

const EXAMPLES: &str = "\
A capture folder becomes a snapshot that Arm DS and OpenCSD read, and a snapshot becomes a capture
folder, or a folder of them if it has several trace buffers. Trace, registers and memory images are
kept.

Examples:
  etm4 convert testbench/traces/framed framed-snapshot
  etm4 convert framed-snapshot framed-again";

/// Convert a capture folder to a CoreSight snapshot, or back
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ConvertArgs {
    /// A capture folder, or a snapshot: its folder or its snapshot.ini
    from: PathBuf,

    /// The folder to make
    to: PathBuf,
}

/// Runs the command.
///
/// # Errors
/// If `from` is neither or cannot be used, or `to` exists or cannot be written.
pub fn run(args: &ConvertArgs) -> Result<Outcome> {
    let from = folder_of(&args.from);
    if from.join("snapshot.ini").is_file() {
        write_capture(&Snapshot::open(from)?, &args.to)?;
        return Ok(Outcome::Complete);
    }
    ensure!(
        from.join("capture.toml").is_file(),
        "{} is neither a capture folder nor a snapshot: there is no capture.toml and no snapshot.ini",
        args.from.display()
    );
    for left_out in write_snapshot(from, &args.to)? {
        say(&format!("warning: left out: {left_out}"));
    }
    Ok(Outcome::Complete)
}

/// The folder that a path names, by itself or by a file in it.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if path.is_file() => parent,
        _ => path,
    }
}
