// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 profile`: sums over the streams of a core.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use coretrace_profile::{Profile, StreamReader};

use crate::error::{Outcome, say};
use crate::output::{Output, create};
use crate::stream_file::{read_words, say_cut};
use coretrace_profile::report::{
    Program, Report, Timed, write_html, write_json, write_text, write_tsv,
};

const EXAMPLES: &str = "\
Each FILE is a profile stream or a record stream of a core; its first word shows which. Address
packets, exceptions, events and cycles are added up exactly; memory grows with the number of
different addresses. Counts over time are between the flushes of a profile. For records they are by
timestamp, or by record number if there are no timestamps. Lost words are counted from the reset of
the core, separately in each file.

Examples:
  etm4 profile sort.words
  etm4 profile sort.words adpcm.words --format html --out profile.html
  etm4 profile sort.words --elf sort.elf --top 5
  etm4 profile sort.words --elf sort.elf@0x5555550000 --elf libc.elf@0x7ff7d00000
  etm4 profile sort.words --format tsv | grep ^address
To make sort.words and adpcm.words without a core:
  etm4 records --make testbench/traces/sort-a64 --out sort.words
  etm4 records --make testbench/traces/adpcm-a32 --out adpcm.words";

/// Add up the streams that a core stored: hottest addresses, exceptions, events, cycles
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ProfileArgs {
    /// Profile streams and record streams
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

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
/// If a file cannot be read, or is neither stream.
pub fn run(args: &ProfileArgs) -> Result<Outcome> {
    let mut program = Program::default();
    for file in &args.elf {
        let (path, address) = file_and_address(file)?;
        program.add_file(path, address)?;
    }
    let mut profile = Profile::default();
    let mut files = Vec::new();
    for path in &args.files {
        let mut reader = StreamReader::new(&mut profile);
        let words = read_words(path, |word| Ok(reader.word(word)?))?;
        if !reader.is_complete() {
            say_cut(path, words);
        }
        let name = path.display().to_string();
        match reader.timeline() {
            Some(timeline) => files.push(Timed { name, timeline }),
            None => say(&format!("warning: {name}: nothing is in it but filling")),
        }
    }
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
    Ok(Outcome::Complete)
}

/// Takes `FILE[@ADDRESS]` apart. A name may have an `@` in it that is not before `0x`.
fn file_and_address(argument: &Path) -> Result<(&Path, Option<u64>)> {
    let split = argument.to_str().and_then(|text| text.rsplit_once("@0x"));
    let Some((file, digits)) = split else {
        return Ok((argument, None));
    };
    let address = u64::from_str_radix(digits, 16).with_context(|| {
        format!("0x{digits} is not an address of 64 bits: {file}@0x1000 has one")
    })?;
    Ok((Path::new(file), Some(address)))
}
