// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 profile`: sums over traces and the streams of a core.

mod counting;
mod format;
mod of_trace;
mod parts;
mod paths;
mod read_out;
mod read_out_sums;
mod results;

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use coretrace_profile::{Profile, StreamReader};

use crate::capture_args::{CaptureOptions, Input, Streams};
use crate::error::{Outcome, say};
use crate::follow::{FollowArgs, Shard};
use crate::output::{Output, create};
use crate::programs::{Placed, programs};
use crate::stream_file::{read_stream, say_cut, say_damage};
use coretrace_profile::report::{Report, Timed, write_html, write_json, write_text, write_tsv};
pub use counting::count;
use counting::{Counted, follow_counters};
use format::ReportFormat;
use of_trace::add_trace;
use paths::Paths;
use read_out::ReadOutArgs;
pub use results::functions;
use results::{Rows, Wanted};

const EXAMPLES: &str = "\
Each FILE is a trace of any kind, or a stream of a core: of records, of a profile, or of counts of
branches, a name.flow. - is standard input. A trace with memory images, those of its folder, of its mappings or of --elf, is followed: its
instructions are counted exactly, by function or by what --by names, with the cycles and the time that
they took if the trace has them. --format bolt, fdata, autofdo and lcov write a profile of one program:
of that with most instructions, or of --binary.

A flow stream has the counts of a core that followed the programs of --elf and --image. All that is
made of the instructions of a trace is made of them, but for time, exceptions, stacks and the targets
of indirect branches. Every unconditional branch checks the counts: what contradicts them is a
warning, and the exit status 1. --format html is a page of functions, loops, lines, blocks, branches and
coverage then.

Other streams of a core, and traces without images, have no path: their address packets, exceptions, events
and cycles are added up. That is where indirect branches, returns and exceptions arrived, and not the
time that was spent there. Memory grows with the number of different addresses. Counts over time are
between the flushes of a profile stream, otherwise by timestamp, or by record number if there are no
timestamps. A record stream may begin anywhere, and what is missing is a warning. Lost words are
counted from the reset of the core, separately in each file. The programs of a perf.data are where
each process mapped them, and those of this machine are used if their build IDs are the recorded
ones; --by process and --by thread have their names.

Examples:
  etm4 profile testbench/traces/sort-a64 --elf testbench/traces/sort-a64/sort.elf
  etm4 profile testbench/traces/sort-a64 --elf testbench/traces/sort-a64/sort.elf --by line --top 5
  etm4 profile testbench/traces/sort-a64 --by loop
  etm4 profile testbench/traces/sort-a64 --elf testbench/traces/sort-a64/sort.elf --by tree
  etm4 profile testbench/traces/sort-a64 --elf testbench/traces/sort-a64/sort.elf --format bolt
  etm4 profile testbench/traces/sort-a64 --format folded
  etm4 profile testbench/traces/sort-a64 --shard 0/2 --format part --out part-0.json
  etm4 profile testbench/traces/sort-a64 --shard 1/2 --format part --out part-1.json
  etm4 profile testbench/traces/sort-a64 --parts part-0.json part-1.json
  etm4 profile sort.flow --elf testbench/traces/sort-a64/sort.elf --by coverage
  etm4 profile sort.flow --elf testbench/traces/sort-a64/sort.elf --format html --out sort.html
  etm4 profile sort.words
  etm4 profile sort.words adpcm.words --format html --out profile.html
  etm4 profile sort.words --elf sort.elf@0x5555550000 --elf libc.elf@0x7ff7d00000
  etm4 profile sort.words --format tsv | grep ^address
To make sort.flow, sort.words and adpcm.words without a core:
  etm4 flow-counts testbench/traces/sort-a64 --elf testbench/traces/sort-a64/sort.elf --out sort.flow
  etm4 records --make testbench/traces/sort-a64 --out sort.words
  etm4 records --make testbench/traces/adpcm-a32 --out adpcm.words";

/// Say which functions, lines or loops ran how often, or add up what a core stored
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ProfileArgs {
    /// Traces, and streams of a core
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    #[command(flatten)]
    options: CaptureOptions,

    /// How the sums are written
    #[arg(long, value_enum, default_value_t)]
    format: ReportFormat,

    #[command(flatten)]
    follow: FollowArgs,

    /// Add up what all shards of the trace counted, as --format part wrote it, and do not follow it here
    #[arg(long, value_name = "PART", num_args = 1.., conflicts_with = "shard")]
    parts: Vec<PathBuf>,

    #[command(flatten)]
    read_out: ReadOutArgs,

    /// What the instructions of a trace are counted by
    #[arg(long, value_enum, default_value_t)]
    by: Rows,

    /// The program that --by coverage and --format bolt, fdata, autofdo and lcov are of
    #[arg(long, value_name = "FILE")]
    binary: Option<PathBuf>,

    /// Number of rows to show in text and HTML
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,

    /// Write to this file, not to standard output (-)
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// If a file cannot be read, or is nothing that can be added up.
pub fn run(args: &ProfileArgs) -> Result<Outcome> {
    ensure!(
        args.by == Rows::default() || args.format.has_chosen_rows(),
        "--by is for --format text, tsv and json: the other formats have what they are for"
    );
    if args.format == ReportFormat::Part {
        return write_part(args);
    }
    let mut profile = Profile::default();
    let mut counted = Vec::new();
    let mut files = Vec::new();
    let mut mappings = Vec::new();
    let mut text = String::new();
    let has_paths = args.by == Rows::Tree || args.format == ReportFormat::Folded;
    let has_parts = !args.parts.is_empty();
    ensure!(
        !has_parts || !has_paths && args.format != ReportFormat::Html && args.files.len() == 1,
        "--parts are those of one trace, and have no calls: --by tree and --format folded and html follow it"
    );
    let needs_path = has_paths || has_parts || args.by != Rows::default();
    let mut has_calls = false;
    let mut is_sound = true;
    for path in &args.files {
        let name = path.display().to_string();
        if args.read_out.is_one(path) {
            ensure!(
                !has_paths && !has_parts,
                "{name} has counts of branches, and no calls: --by tree, --parts and --format folded need a trace"
            );
            ensure!(
                !args.by.is_of_context(),
                "{name} has counts of all contexts together: --by process, thread, cpu and el need a trace"
            );
            let (trace, has_no_finding) = args.read_out.count(path, &args.follow)?;
            is_sound &= has_no_finding;
            counted.push(trace);
            continue;
        }
        match args
            .options
            .open_input(path, args.follow.id, Streams::Any)?
        {
            Input::Trace(trace) => {
                let sync_limit = args.options.sync_limit;
                let traced = args.follow.traced(&trace)?;
                let has_images = args.follow.has_images(&trace, &traced);
                ensure!(
                    has_images || !needs_path,
                    "{name} has no memory images, so it is not known what ran, and --by, --parts and \
                     --format folded have no rows: --elf names the program, --image a memory dump"
                );
                if has_paths {
                    let paths = Paths {
                        format: args.format,
                        top: args.top,
                        follow: &args.follow,
                    };
                    has_calls |= paths.write(&mut text, &name, &trace, &traced, sync_limit)?;
                    continue;
                }
                // The page of a trace has no path yet.
                let has_path = args.format != ReportFormat::Html;
                if has_path && has_images {
                    let (counters, followed) = if has_parts {
                        parts::read(&args.parts, &trace)?
                    } else {
                        follow_counters(&trace, &traced, &args.follow, sync_limit)?
                    };
                    counted.push(Counted::new(&name, counters, &followed, traced));
                    continue;
                }
                if has_path {
                    say(&format!(
                        "warning: {name}: there are no memory images, so what is counted is where branches \
                         arrived, and not time: --elf names programs"
                    ));
                }
                profile.begin_stream();
                let follow = &args.follow;
                files.extend(add_trace(&name, &trace, follow, sync_limit, &mut profile)?);
                mappings.extend(trace.mappings);
            }
            Input::Stream(stream) => {
                ensure!(
                    !needs_path,
                    "{name} is a stream without a path: --by, --parts and --format folded need the trace itself, \
                     and --by also takes a flow stream"
                );
                // A folder is a capture, which may have programs; a stream alone has none.
                if path.is_dir() && args.follow.elf.is_empty() {
                    say(&format!(
                        "note: {name}: there is no program, so addresses have no names: --elf FILE names them"
                    ));
                }
                files.extend(add_stream(path, stream, &mut profile)?);
            }
        }
    }
    ensure!(
        args.format != ReportFormat::Html || counted.is_empty() || profile.sources.is_empty(),
        "--format html is a page of flow streams, or of other files"
    );
    let is_counted = counted.iter().any(|trace| trace.is_decoded);
    let is_empty = profile.sources.is_empty() && !is_counted && !has_calls;
    let is_of_counts = !counted.is_empty() || !args.format.has_sums();
    if !has_paths && is_of_counts {
        let wanted = Wanted {
            by: args.by,
            top: args.top,
            binary: args.binary.as_deref(),
        };
        results::write(&mut text, &counted, args.format, &wanted)?;
    }
    if !has_paths && args.format.has_sums() && (counted.is_empty() || !profile.sources.is_empty()) {
        let mappings: Vec<Placed<'_>> = mappings.iter().map(Placed::in_every).collect();
        let program = programs(&args.follow.elf, &mappings)?;
        let report = Report::new(&profile, files, program.symbols()?);
        match args.format {
            ReportFormat::Tsv => write_tsv(&mut text, &report),
            ReportFormat::Json => write_json(&mut text, &report),
            ReportFormat::Html => write_html(&mut text, &report, args.top),
            _ => write_text(&mut text, &report, args.top),
        }
    }
    write(args.out.as_deref(), text)?;
    Ok(if is_empty || !is_sound {
        Outcome::Incomplete
    } else {
        Outcome::Complete
    })
}

/// Stores what a shard of a trace counts.
fn write_part(args: &ProfileArgs) -> Result<Outcome> {
    ensure!(
        args.files.len() == 1 && args.parts.is_empty(),
        "a part is that of one trace"
    );
    let (path, follow, options) = (&args.files[0], &args.follow, &args.options);
    let Input::Trace(trace) = options.open_input(path, follow.id, Streams::Any)? else {
        bail!(
            "{} has no path: --format part needs a trace",
            path.display()
        );
    };
    let traced = follow.traced(&trace)?;
    ensure!(
        follow.has_images(&trace, &traced),
        "{} has no memory images, so there is no part: --elf names the program",
        path.display()
    );
    let (counters, followed) = follow_counters(&trace, &traced, follow, options.sync_limit)?;
    let shard = follow.shard.unwrap_or(Shard::WHOLE);
    let text = parts::write(shard, &trace, counters, &followed)?;
    write(args.out.as_deref(), text)?;
    Ok(Outcome::of(followed.is_decoded))
}

/// Writes to a file, or to standard output.
fn write(out: Option<&Path>, text: String) -> Result<()> {
    let Some(path) = out else {
        let mut output = Output::new();
        output.text = text;
        output.finish();
        return Ok(());
    };
    create(path)?
        .write_all(text.as_bytes())
        .with_context(|| format!("cannot write {}", path.display()))
}

/// Adds up a record stream or a profile stream.
fn add_stream(path: &Path, stream: impl Read, profile: &mut Profile) -> Result<Option<Timed>> {
    let mut reader = StreamReader::new(profile);
    let bytes = read_stream(path, stream, |bytes| Ok(reader.bytes(bytes)?))?;
    let name = path.display().to_string();
    let summary = reader
        .finish()
        .with_context(|| format!("cannot go on in {name}"))?;
    say_damage(path, &summary.damage);
    if summary.is_cut {
        say_cut(path, bytes);
    }
    let Some(timeline) = summary.timeline else {
        say(&format!("warning: {name}: nothing is in it but filling"));
        return Ok(None);
    };
    Ok(Some(Timed { name, timeline }))
}
