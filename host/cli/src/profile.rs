// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 profile`: sums over traces and the streams of a core.

mod of_trace;

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use coretrace_profile::{Profile, StreamReader};

use crate::capture_args::{CaptureOptions, Input, Streams};
use crate::error::{Outcome, say};
use crate::output::{Output, create};
use crate::programs::programs;
use crate::stream_file::{read_stream, say_cut, say_damage};
use coretrace_profile::report::{Report, Timed, write_html, write_json, write_text, write_tsv};
use of_trace::add_trace;

const EXAMPLES: &str = "\
Each FILE is a trace of any kind, or a profile stream or record stream of a core, - for standard
input. Address packets, exceptions, events and cycles are added up exactly: targets of indirect
branches, returns and exceptions are counted, which is not the time that was spent there. Memory grows
with the number of different addresses. Counts over time are between the flushes of a profile stream,
otherwise by timestamp, or by record number if there are no timestamps. A record stream may begin
anywhere, and what is missing is a warning. Lost words are counted from the reset of the core,
separately in each file. The programs of a perf.data are where they were mapped, and those of this
machine are used if their build IDs are the recorded ones.

Examples:
  etm4 profile testbench/traces/sort-a64
  etm4 profile sort.words
  etm4 profile sort.words adpcm.words --format html --out profile.html
  etm4 profile sort.words --elf sort.elf --top 5
  etm4 profile sort.words --elf sort.elf@0x5555550000 --elf libc.elf@0x7ff7d00000
  etm4 profile sort.words --format tsv | grep ^address
To make sort.words and adpcm.words without a core:
  etm4 records --make testbench/traces/sort-a64 --out sort.words
  etm4 records --make testbench/traces/adpcm-a32 --out adpcm.words";

/// Add up a trace or what a core stored: hottest addresses, exceptions, events, cycles
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ProfileArgs {
    /// Traces, profile streams and record streams
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    #[command(flatten)]
    options: CaptureOptions,

    /// How the sums are written
    #[arg(long, value_enum, default_value_t)]
    format: ReportFormat,

    /// A file of the program that was traced: its symbols and lines name the addresses. ADDRESS, such
    /// as 0x55d0c0a000, is where its segment with the lowest address was loaded, if not where it is
    /// linked to be. May be given several times; where files overlap the last one counts
    #[arg(long, value_name = "FILE[@ADDRESS]")]
    elf: Vec<PathBuf>,

    /// Number of hottest addresses to show in text and HTML
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,

    /// Write to this file, not to standard output (-)
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// How the sums are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum ReportFormat {
    /// Tables for people, with the hottest addresses
    #[default]
    Text,
    /// Tab-separated, with everything
    Tsv,
    /// One JSON object a line, with everything
    Json,
    /// One page for a browser, with the hottest addresses and the counts over time
    Html,
}

/// Runs the command.
///
/// # Errors
/// If a file cannot be read, or is nothing that can be added up.
pub fn run(args: &ProfileArgs) -> Result<Outcome> {
    let mut profile = Profile::default();
    let mut files = Vec::new();
    let mut mappings = Vec::new();
    for path in &args.files {
        match args.options.open_input(path, None, Streams::Any)? {
            Input::Trace(trace) => {
                profile.begin_stream();
                let name = path.display().to_string();
                let sync_limit = args.options.sync_limit;
                files.extend(add_trace(&name, &trace, sync_limit, &mut profile)?);
                mappings.extend(trace.mappings);
            }
            Input::Stream(stream) => files.extend(add_stream(path, stream, &mut profile)?),
        }
    }
    let program = programs(&args.elf, &mappings)?;
    let is_empty = profile.sources.is_empty();
    let report = Report::new(&profile, files, program.symbols()?);
    let mut text = String::new();
    match args.format {
        ReportFormat::Text => write_text(&mut text, &report, args.top),
        ReportFormat::Tsv => write_tsv(&mut text, &report),
        ReportFormat::Json => write_json(&mut text, &report),
        ReportFormat::Html => write_html(&mut text, &report, args.top),
    }
    match &args.out {
        Some(path) => create(path)?
            .write_all(text.as_bytes())
            .with_context(|| format!("cannot write {}", path.display()))?,
        None => {
            let mut output = Output::new();
            output.text = text;
            output.finish();
        }
    }
    Ok(if is_empty {
        Outcome::Incomplete
    } else {
        Outcome::Complete
    })
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
