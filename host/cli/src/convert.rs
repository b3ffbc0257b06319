// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 convert`: capture folders to CoreSight snapshots and back, and words of a logic analyzer to a
//! capture folder.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;
use coretrace_capture::ocla::{OclaTable, write_ocla};
use coretrace_capture::snapshot::{Snapshot, write_capture, write_snapshot};

use crate::error::{Outcome, say};

const EXAMPLES: &str = "\
A capture folder becomes a snapshot that Arm DS and OpenCSD read, and a snapshot becomes a capture
folder, or a folder of them if it has several trace buffers. Trace, registers and memory images are
kept.

With --ocla, words of the On-Chip Logic Analyzer of a ThunderX become a capture folder. Each has 64 bits,
little-endian. The table says which bits are the trace bus of which trace unit; docs/formats.md has one.

Examples:
  etm4 convert testbench/traces/framed framed-snapshot
  etm4 convert framed-snapshot framed-again
  etm4 convert --ocla table.toml ocla.words ocla";

/// Convert a capture folder to a CoreSight snapshot or back, or words of a logic analyzer
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ConvertArgs {
    /// A capture folder, or a snapshot: its folder or its snapshot.ini; with --ocla, a file of words
    from: PathBuf,

    /// The folder to make
    to: PathBuf,

    /// The table of an On-Chip Logic Analyzer
    #[arg(long, value_name = "FILE")]
    ocla: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// If `from` is none of these or cannot be used, or `to` exists or cannot be written.
pub fn run(args: &ConvertArgs) -> Result<Outcome> {
    if let Some(table) = &args.ocla {
        return of_ocla(args, table);
    }
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

fn of_ocla(args: &ConvertArgs, table: &Path) -> Result<Outcome> {
    let name = table.display();
    let text = std::fs::read_to_string(table).with_context(|| format!("cannot read {name}"))?;
    let table = OclaTable::parse(&text).with_context(|| format!("{name} cannot be used"))?;
    let found = write_ocla(&args.from, &table, &args.to)?;
    if found.cut_bytes > 0 {
        say(&format!(
            "warning: the last word is cut off: {} of 8 bytes",
            found.cut_bytes
        ));
    }
    if found.losses > 0 {
        say(&format!(
            "warning: bytes are lost at {} places, where a half repeats for more than 65,536 cycles",
            found.losses
        ));
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
