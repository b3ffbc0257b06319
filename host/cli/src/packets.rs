// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 packets`: the packets of a capture.

mod lister;
mod merged;

use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use clap::{Args, ValueEnum};
use coretrace_capture::ett::Case;
use coretrace_capture::{Capture, Pass, RecordSink, Trace, TraceBuffer};
use coretrace_coresight::TraceId;
use coretrace_decode::Policy;
use coretrace_etm::Record;
use coretrace_listing::Line;

use crate::capture_args::{CaptureArgs, Input};
use crate::engine::{Engine, EngineArgs};
use crate::error::{Outcome, say};
use crate::filter::FilterArgs;
use crate::hardware::{Hardware, HardwareEngine};
use crate::listing_format::ListingFormat;
use crate::parquet::PacketFiles;
use crate::records;
use crate::selection::{Protocols, Selected, select_protocols};
use crate::tally::Tally;
use crate::trace_id;
use lister::Lister;
use merged::MergeArgs;

const EXAMPLES: &str = "\
Packets are grouped by trace ID, except those of standard input and of --merge. Offsets count the
bytes of an ID, from 0. The ID of raw trace is listed as 00. --format tsv --on-error opencsd compares with OpenCSD's
packet lister. The exit status is 1 if nothing could be decoded.

Examples:
  etm4 packets testbench/traces/sort-a64
  etm4 packets testbench/traces/framed --id 10 --format json
  etm4 packets testbench/traces/framed --kind I_EXCEPT --from 1000 --limit 10
  etm4 packets testbench/traces/framed --format tsv --on-error opencsd
  etm4 packets testbench/traces/framed --format parquet --out packets
  etm4 packets testbench/traces/framed --merge --common-clock 10,21
  etm4 packets etr.bin --raw-format frames --core Cortex-A53 \\
      --reg TRCCONFIGR=0xc1 --reg TRCIDR0=0x28000ea1 --reg TRCIDR1=0x4100f403 --reg TRCIDR2=0x488";

/// List the packets of a capture
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct PacketsArgs {
    #[command(flatten)]
    capture: CaptureArgs,

    #[command(flatten)]
    engine: EngineArgs,

    /// Decode the source with this trace ID (hexadecimal) only
    #[arg(long, value_name = "HEX", value_parser = trace_id::parse)]
    id: Option<TraceId>,

    /// How packets are written
    #[arg(long, value_enum, default_value_t)]
    format: PacketFormat,

    /// Where Parquet files are written: one file if the name ends with .parquet, else a folder with
    /// id=10/part-0.parquet for trace ID 10
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,

    #[command(flatten)]
    merge: MergeArgs,

    #[command(flatten)]
    filter: FilterArgs,

    /// Exit with status 1 if there are errors or bytes that are not read
    #[arg(long)]
    strict: bool,
}

/// Output format of packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum PacketFormat {
    /// Columns for people, with every field
    #[default]
    Text,
    /// Tab-separated, with the fields that OpenCSD prints
    Tsv,
    /// One JSON object a line, with every field
    Json,
    /// Parquet files, a row for each: --out says where
    Parquet,
}

impl PacketFormat {
    /// The format of lines, if it has any.
    fn of_lines(self) -> Option<ListingFormat> {
        match self {
            PacketFormat::Text => Some(ListingFormat::Text),
            PacketFormat::Tsv => Some(ListingFormat::Tsv),
            PacketFormat::Json => Some(ListingFormat::Json),
            PacketFormat::Parquet => None,
        }
    }
}

/// Runs the command.
///
/// # Errors
/// If the capture, the ID or the engine cannot be used.
pub fn run(args: &PacketsArgs, hardware: &dyn Hardware) -> Result<Outcome> {
    let engine = args.engine.open(hardware)?;
    let trace = match args.capture.open_input(args.id)? {
        Input::Trace(trace) => trace,
        Input::Stream(stream) => {
            let core = args.capture.options.core();
            let format = args.format.of_lines();
            let format =
                format.context("a record stream has no packets with places for Parquet")?;
            return records::list(args.capture.path(), stream, format, core);
        }
    };
    let format = args.format.of_lines();
    ensure!(
        format.is_none() || args.out.is_none(),
        "--out is the place of Parquet files: add --format parquet, or redirect the listing"
    );
    let tallies = if args.merge.is_wanted() {
        let format =
            format.context("--merge makes a list of lines: Parquet has rows of a source")?;
        let Engine::Model(policy) = engine else {
            bail!("--merge decodes with the model: leave out --engine");
        };
        let how = (policy, args.capture.options.sync_limit);
        merged::list(&args.merge, &trace, args.id, how, &args.filter, format)?
    } else {
        list(args, &trace, &engine, format)?
    };
    let is_expected = trace
        .case
        .as_ref()
        .is_none_or(|case| check(case, &trace, &args.engine));
    let is_damaged = !trace.damage.is_empty() || tallies.iter().any(|tally| tally.is_damaged());
    let is_decoded = args.filter.is_limited() || tallies.iter().any(|tally| tally.is_decoded());
    if !is_decoded {
        say(
            "warning: nothing was decoded: no source has an A-Sync, so check the format and the trace IDs",
        );
    }
    Ok(
        if !is_expected || !is_decoded || args.strict && is_damaged {
            Outcome::Incomplete
        } else {
            Outcome::Complete
        },
    )
}

/// Lists one source after the other, without a format of lines as Parquet files.
fn list(
    args: &PacketsArgs,
    trace: &Trace,
    engine: &Engine,
    format: Option<ListingFormat>,
) -> Result<Vec<Tally>> {
    let protocols = match engine {
        Engine::Model(_) => Protocols::All,
        Engine::Hardware { .. } => Protocols::Instructions,
    };
    let selected = select_protocols(trace, args.id, protocols)?;
    let files = match format {
        Some(_) => None,
        None => Some(PacketFiles::new(args.out.as_deref(), 0)?),
    };
    let mut lister = Lister::new(format.unwrap_or_default(), files, &args.filter);
    for part in &selected {
        lister.begin(part, selected.len() > 1);
        match engine {
            Engine::Model(policy) => {
                let sync_limit = args.capture.options.sync_limit;
                list_with_model(part, *policy, sync_limit, &mut lister)?;
            }
            Engine::Hardware { engine, lenient } => {
                list_with_hardware(trace, part, engine.as_ref(), *lenient, args.id, &mut lister)?;
            }
        }
    }
    Ok(lister.finish())
}

/// Whether the model gives the packets that the case expects; if not, it says the difference.
fn check(case: &Case, trace: &Trace, engine: &EngineArgs) -> bool {
    let mut lines = Lines(String::new(), &trace.buffers[0]);
    let pass = Pass {
        buffer: &trace.buffers[0],
        sources: &[0],
        policy: engine.policy(),
        sync_limit: u64::MAX,
    };
    let checked = pass
        .run(&mut lines)
        .and_then(|_| case.check(lines.0.lines()));
    match (checked, &case.expected) {
        (Err(difference), _) => say(&format!("{difference:#}")),
        (Ok(()), Some(_)) => {
            say("note: these are the packets that the case expects");
            return true;
        }
        (Ok(()), None) => return true,
    }
    false
}

/// All packets as lines of text.
struct Lines<'a>(String, &'a TraceBuffer);

impl RecordSink for Lines<'_> {
    fn record(&mut self, source: usize, record: &Record, raw: &[u8]) {
        if let Some(config) = &self.1.sources[source].config {
            let line = Line {
                id: 0,
                record,
                raw,
                config,
            };
            ListingFormat::Text.write(&mut self.0, &line);
        }
    }
}

/// Source after source, or all together if the bytes can be read only once.
fn list_with_model(
    part: &Selected<'_>,
    policy: Policy,
    sync_limit: u64,
    lister: &mut Lister<'_>,
) -> Result<()> {
    lister.progress = part.progress("model")?;
    for pass in part.passes(policy, sync_limit) {
        lister.begin_pass(pass.sources);
        pass.run(lister)?;
    }
    Ok(())
}

fn list_with_hardware(
    trace: &Trace,
    part: &Selected<'_>,
    engine: &dyn HardwareEngine,
    lenient: bool,
    id: Option<TraceId>,
    lister: &mut Lister<'_>,
) -> Result<()> {
    let capture = Capture::load(&trace.name, part.buffer)?;
    let streams = crate::selection::select(&capture, id)?;
    lister.begin_pass(&part.sources);
    lister.groups_itself = !engine.is_in_order();
    engine.decode(&capture, &streams, lenient, &mut |index, record| {
        let raw = streams[index].raw(record.offset, record.len);
        lister.list(index, record, raw);
    })?;
    lister.end_pass();
    Ok(())
}
