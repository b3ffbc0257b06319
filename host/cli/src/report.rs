// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 report`: a page about a trace.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use coretrace_calls::report::{BlockCounts, Collected, Marks, Report, ReportSource};
use coretrace_calls::{Axis, Thread};
use coretrace_decode::Policy;
use coretrace_flow::Range;

use crate::calls::Caller;
use crate::capture_args::{CaptureArgs, Input};
use crate::error::{Outcome, say};
use crate::follow::FollowArgs;
use crate::output::create;
use crate::selection::{Protocols, has_source};
use crate::timeline;

const EXAMPLES: &str = "\
The page is one file for any browser, at most 10 MB for any trace: what was traced and how complete that
is, a flame graph, a timeline with calls, the hottest functions with their lines, and what is missing. It
loads nothing from anywhere. What was thinned is said on it. Lines of source files are in it if the
debug information names them and they can be read here. What an STM or ITM of the same trace reports is on
the timeline too, if the program has timestamps.

Examples:
  etm4 report testbench/traces/sort-a64 --elf testbench/traces/sort-a64/sort.elf --out report.html
  etm4 report perf.data --elf a.out --out report.html";

/// Write a page for a browser: what ran, where the time went, and what is missing
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ReportArgs {
    #[command(flatten)]
    capture: CaptureArgs,

    #[command(flatten)]
    follow: FollowArgs,

    /// Ticks of the timestamps in a second: without it, time is in ticks
    #[arg(long, value_name = "HZ")]
    frequency: Option<f64>,

    /// Show no lines of source files, only their numbers
    #[arg(long)]
    no_source: bool,

    /// Write to this file, or to standard output (-)
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// Runs the command.
///
/// # Errors
/// If the capture or a program cannot be used, or the page cannot be written.
pub fn run(args: &ReportArgs) -> Result<Outcome> {
    let trace = match args.capture.open_input(args.follow.id)? {
        Input::Trace(trace) => trace,
        Input::Stream(_) => {
            let name = args.capture.path().display();
            bail!(
                "{name} is a record stream, by which no program is followed: use `etm4 profile {name} --elf FILE \
                 --format html`"
            );
        }
    };
    if let Some(hertz) = args.frequency {
        ensure!(
            hertz.is_finite() && hertz > 0.0,
            "--frequency {hertz} is no number of ticks in a second"
        );
    }
    let traced = args.follow.traced(&trace)?;
    let symbols = traced.symbols()?;
    let mut blocks = BlockCounts::default();
    let mut last = None;
    let mut count = |thread: &Thread, range: &Range| {
        let process = match last {
            Some((known, process)) if known == *thread => process,
            _ => symbols.process(thread),
        };
        last = Some((*thread, process));
        blocks.add(process, range);
    };
    let mut caller = Caller::new(&symbols, false, &mut count, Collected::default());
    let sync_limit = args.capture.options.sync_limit;
    let followed =
        args.follow
            .follow_beside(Protocols::All, &trace, &traced, sync_limit, &mut caller)?;
    let sources = caller.sources().into_iter();
    let sources = sources.map(|(id, axis, counts)| ReportSource { id, axis, counts });
    let sources: Vec<ReportSource> = sources.collect();
    let collected = caller.sink;
    let mut marks = Marks::default();
    if sources
        .first()
        .is_some_and(|source| source.axis == Axis::Ticks)
    {
        let policy = Policy::from(args.follow.on_error);
        timeline::marks(
            &trace,
            args.follow.id,
            policy,
            sync_limit,
            |row, time, mark| {
                marks.add(row, time, mark);
            },
        )?;
    } else if has_source(&trace, args.follow.id, Protocols::Software) {
        say("note: the program has no timestamps, so STM and ITM are not on its timeline");
    }
    let mut report = Report {
        name: &trace.name,
        sources,
        doubts: followed.doubts,
        frequency: args.frequency,
        has_source: !args.no_source,
        collected: &collected,
        marks,
        blocks,
        symbols: &symbols,
    };
    create(&args.out)?
        .write_all(report.page().as_bytes())
        .with_context(|| format!("cannot write {}", args.out.display()))?;
    Ok(if followed.is_decoded {
        Outcome::Complete
    } else {
        Outcome::Incomplete
    })
}
