// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 elements`: what the traced core did.

mod builds;
mod checker;
mod lister;
mod software;

use std::path::PathBuf;

use anyhow::{Result, bail, ensure};
use clap::Args;
use coretrace_capture::TraceBuffer;

use crate::capture_args::{CaptureArgs, Input};
use crate::error::{Outcome, say};
use crate::follow::{FollowArgs, Shard};
use crate::selection::{Protocols, has_source};
use checker::Checker;
use lister::{ElementFormat, Lister};

const EXAMPLES: &str = "\
The memory images of a capture folder or a snapshot, the programs that each process of a perf.data
mapped, and those of --elf say which instructions there were; where none does, ADDR_NACC names the first address that is
missing. Elements are grouped by trace ID, but not those of a pipe, which is read once; their offsets
are those of their packets. --shard K/N lists one of N parts of each trace ID: for one trace ID, the
parts one after the other are the whole. Elements have the names and texts of OpenCSD: --format tsv --on-error
opencsd compares with its full decode.

Examples:
  etm4 elements testbench/traces/sort-a64
  etm4 elements testbench/traces/sort-a64 --format json
  etm4 elements testbench/traces/sort-a64 --format count
  etm4 elements testbench/traces/sort-a64 --check
  etm4 elements perf.data --elf a.out
  etm4 elements perf.data --elf a.out --threads 4 --format parquet --out elements.parquet
  etm4 elements perf.data --elf a.out --shard 0/8 --format parquet --out elements";

/// List what the traced core did: instructions, exceptions, contexts and times
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ElementsArgs {
    #[command(flatten)]
    capture: CaptureArgs,

    #[command(flatten)]
    follow: FollowArgs,

    /// How elements are written
    #[arg(long, value_enum, default_value_t)]
    format: ElementFormat,

    /// Where Parquet files are written: one file if the name ends with .parquet, else a folder with
    /// id=10/part-0.parquet for trace ID 10, and part-3 for --shard 3/8
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,

    /// List no elements, but where the trace contradicts the images, and how often: there, they are
    /// not what was executed. The exit status is 1 if there is such a place
    #[arg(long, conflicts_with_all = ["format", "out"])]
    check: bool,
}

/// Runs the command.
///
/// # Errors
/// If the capture or a memory image cannot be used.
pub fn run(args: &ElementsArgs) -> Result<Outcome> {
    let trace = match args.capture.open_input(args.follow.id)? {
        Input::Trace(trace) => trace,
        Input::Stream(_) => bail!(
            "{} is a record stream, of which only packets are listed: use `etm4 records`",
            args.capture.path().display()
        ),
    };
    let has = |protocols| has_source(&trace, args.follow.id, protocols);
    let has_software = has(Protocols::Software);
    if has_software && !has(Protocols::Instructions) {
        ensure!(
            args.lists_software(),
            "software trace has no shards, and no images to check: leave out --check and --shard"
        );
        let mut lister = Lister::new(args.format, args.out.as_deref(), 0)?;
        let is_decoded = software::list(args, &trace, &mut lister)?;
        lister.end();
        return Ok(Outcome::of(is_decoded));
    }
    let traced = args.follow.traced(&trace)?;
    let sync_limit = args.capture.options.sync_limit;
    if args.check {
        ensure!(
            args.follow.has_images(&trace, &traced),
            "{} has no memory images, so there is nothing to check: --elf names the program, --image a memory \
             dump",
            args.capture.path().display()
        );
        let mut checker = Checker::new(&traced, &trace.mappings);
        let followed = args
            .follow
            .follow(&trace, &traced, sync_limit, &mut checker)?;
        let checked = checker.end();
        // A part of a trace may be empty.
        let is_checked = checked.ranges > 0 || args.follow.shard.is_some();
        if followed.is_decoded && !is_checked {
            say("warning: nothing was checked: no instruction that ran is in an image");
        }
        return Ok(Outcome::of(
            followed.is_decoded && followed.doubts == 0 && is_checked && !checked.has_other_builds,
        ));
    }
    let part = args.follow.shard.map_or(0, Shard::number);
    let mut lister = Lister::new(args.format, args.out.as_deref(), part)?;
    let followed = args
        .follow
        .follow(&trace, &traced, sync_limit, &mut lister)?;
    lister.flush();
    if followed.doubts > 0 {
        say(&format!(
            "warning: the trace contradicts the images {} times: --check says where",
            followed.doubts
        ));
    }
    let is_repeatable = |buffer: &TraceBuffer| buffer.bytes.is_repeatable();
    let mut is_decoded = followed.is_decoded;
    if has_software && args.lists_software() && trace.buffers.iter().all(is_repeatable) {
        is_decoded |= software::list(args, &trace, &mut lister)?;
    }
    lister.end();
    Ok(Outcome::of(is_decoded))
}

impl ElementsArgs {
    /// Whether elements of software trace can be listed this way.
    fn lists_software(&self) -> bool {
        !self.check && self.follow.shard.is_none()
    }
}
