// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 records`: the records that a core stored.

mod make;

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use coretrace_capture::arch_profile;
use coretrace_coresight::TraceId;
use coretrace_etm::{Config, Protocol};
use coretrace_listing::{Item as Line, Value, What};
use coretrace_streams::{Item, Reader, Start};

use crate::capture_args::CaptureOptions;
use crate::error::Outcome;
use crate::listing_format::ListingFormat;
use crate::output::{Output, create};
use crate::stream_file::{read_words, say_cut};
use crate::trace_id;

const EXAMPLES: &str = "\
FILE holds the record stream of a core as DMA stores it: 32-bit words, lowest byte first. The stream
has the trace unit's registers, but not the offsets, lengths and bytes of packets, so items are
numbered instead. START and LOST are items too: the source was enabled; words of the trace port were
lost, with their number since the core's reset.

Without a core, use --make: it writes the stream that a core would store for a capture.

Examples:
  etm4 records --make testbench/traces/sort-a64 --out sort.words
  etm4 records sort.words
  etm4 records sort.words --format json
  etm4 records --make testbench/traces/framed --id 21 --out adpcm.words";

/// List the records that a core stored
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct RecordsArgs {
    /// A record stream, or with --make a capture
    file: PathBuf,

    #[command(flatten)]
    options: CaptureOptions,

    /// How records are written
    #[arg(long, value_enum, default_value_t)]
    format: ListingFormat,

    /// Write the words that a core would store for FILE, which is a capture
    #[arg(long, requires = "out", conflicts_with = "format")]
    make: bool,

    /// The source of the capture with this trace ID (hexadecimal)
    #[arg(long, value_name = "HEX", value_parser = trace_id::parse, requires = "make")]
    id: Option<TraceId>,

    /// The file to write, or - for standard output
    #[arg(long, value_name = "FILE", requires = "make")]
    out: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// If the file cannot be read or is not a record stream, or the capture cannot be used.
pub fn run(args: &RecordsArgs) -> Result<Outcome> {
    match &args.out {
        Some(out) => {
            let trace = args.options.open(&args.file, args.id)?;
            make::make(&trace, args.id, args.options.sync_limit, create(out)?)?;
        }
        None => list(&args.file, args.format, args.options.core())?,
    }
    Ok(Outcome::Complete)
}

fn list(file: &Path, format: ListingFormat, core: Option<&str>) -> Result<()> {
    let profile = core.map(arch_profile).transpose()?;
    let mut output = Output::new();
    let mut reader = Reader::new();
    let mut number = 0;
    let mut id = 0;
    let mut config: Option<Config> = None;
    let done = read_words(file, |word| {
        let read = reader.word(word, |item| {
            let mut write = |id, what| {
                format.write_item(&mut output.text, &Line { id, number, what });
                number += 1;
            };
            match item {
                Item::Start(start) => {
                    id = start.trace_id;
                    let traced = start.config();
                    config = Some(Config {
                        profile: profile.unwrap_or(traced.profile),
                        ..traced
                    });
                    write(id, What::Event("START", &start_fields(start)));
                }
                Item::Lost(words) => {
                    write(id, What::Event("LOST", &[("words", Value::Number(words))]));
                }
                Item::Record(record) => {
                    if let Some(config) = &config {
                        write(id, What::Record(record, config));
                    }
                }
            }
        });
        output.flush_full();
        Ok(read?)
    });
    output.finish();
    let words = done?;
    if !reader.is_complete() {
        say_cut(file, words);
    }
    Ok(())
}

fn start_fields(start: &Start) -> Vec<(&'static str, Value)> {
    let protocol = match start.protocol {
        Protocol::Etm4 => "ETM4",
        Protocol::Ete => "ETE",
    };
    let policy = if start.lenient { "lenient" } else { "resync" };
    let mut fields = vec![
        ("protocol", Value::Word(protocol)),
        ("v8m", Value::Flag(start.v8m)),
        ("policy", Value::Word(policy)),
        ("explicit", Value::Flag(start.explicit)),
        ("filtered", Value::Flag(start.filtered)),
    ];
    let registers = start.registers.named();
    fields.extend(registers.map(|(name, value)| (name, Value::Bits(value))));
    fields
}
