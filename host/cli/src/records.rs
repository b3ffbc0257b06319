// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 records`: the records that a core stored.

mod make;

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use clap::Args;
use coretrace_capture::arch_profile;
use coretrace_coresight::TraceId;
use coretrace_etm::{Config, Protocol};
use coretrace_listing::{Item as Line, Value, What};
use coretrace_streams::{Damage, Item, Reader, Start, VERSION};

use crate::capture_args::CaptureOptions;
use crate::error::Outcome;
use crate::listing_format::ListingFormat;
use crate::output::{Output, create};
use crate::stream_file::{read_stream, say_damage};
use crate::trace_id;

const EXAMPLES: &str = "\
FILE holds the record stream of a core as DMA stores it, - is standard input. The stream has the
trace unit's registers, but not the offsets, lengths and bytes of packets, so items are numbered
instead. It may begin anywhere, and it may have gaps. More items than records are listed:
  START    the source was enabled
  SOURCE   the records belong to this source, whose beginning is not there
  LOST     words of the trace port were lost, with their number since the core's reset
  GAP      packets of the stream are missing or out of order: the number expected and the one found
  SKIPPED  bytes that are no part of a whole packet of the stream

Without a core, use --make: it writes the stream that a core would store for a capture.

Examples:
  etm4 records --make testbench/traces/sort-a64 --out sort.words
  etm4 records sort.words
  etm4 records sort.words --format json
  tail -c +401 sort.words | etm4 records -
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
    let mut damage = Damage::default();
    let mut list = |item: Item<'_>, output: &mut Output| {
        damage.count(&item);
        if let Item::Start(start) | Item::Source(start) = item {
            id = start.trace_id;
            let traced = start.config();
            config = Some(Config {
                profile: profile.unwrap_or(traced.profile),
                ..traced
            });
        }
        let count = |value: u64| Value::Number(u32::try_from(value).unwrap_or(u32::MAX));
        let mut event = |name, fields: &[(&'static str, Value)]| {
            let what = What::Event(name, fields);
            format.write_item(&mut output.text, &Line { id, number, what });
        };
        match item {
            Item::Start(start) => event("START", &start_fields(start)),
            Item::Source(start) => event("SOURCE", &start_fields(start)),
            Item::Lost(words) => event("LOST", &[("words", Value::Number(words))]),
            Item::Skipped(bytes) => event("SKIPPED", &[("bytes", count(bytes))]),
            Item::Gap(gap) => {
                let [expected, found] = [gap.expected, gap.found].map(Value::Number);
                event("GAP", &[("expected", expected), ("found", found)]);
            }
            Item::Record(record) => {
                let Some(config) = &config else {
                    return;
                };
                let what = What::Record(record, config);
                format.write_item(&mut output.text, &Line { id, number, what });
            }
        }
        number += 1;
    };
    let done = read_stream(file, |bytes| {
        for bytes in bytes.chunks(LISTED_BYTES) {
            reader.bytes(bytes, |item| list(item, &mut output));
            output.flush_full();
        }
        Ok(())
    });
    reader.finish(|item| list(item, &mut output));
    output.finish();
    done?;
    ensure!(
        config.is_some() || damage.skipped_bytes == 0,
        "{}: there is no packet of a record stream, version {VERSION}",
        file.display()
    );
    say_damage(file, &damage);
    Ok(())
}

/// Bytes that are listed before the listing is written, which is longer than they are.
const LISTED_BYTES: usize = 1 << 13;

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
