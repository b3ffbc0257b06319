// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 packets`: the packets of a capture.

use anyhow::Result;
use clap::Args;
use coretrace_coresight::TraceId;
use coretrace_listing::Line;

use crate::capture_args::CaptureArgs;
use crate::engine::EngineArgs;
use crate::error::say;
use crate::hardware::Hardware;
use crate::listing_format::ListingFormat;
use crate::output::Output;
use crate::selection::select;
use crate::tally::Tally;
use crate::trace_id;

const EXAMPLES: &str = "\
Packets are grouped by trace ID. Offsets count the bytes of an ID, from 0. The ID of a raw capture is
listed as 00. --format tsv --on-error opencsd compares with OpenCSD's packet lister.

Examples:
  etm4 packets testbench/traces/sort-a64
  etm4 packets testbench/traces/framed --id 10 --format json
  etm4 packets testbench/traces/framed --format tsv --on-error opencsd
  etm4 packets etr.bin --raw-format frames --id 10 --core Cortex-A53 \\
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
    format: ListingFormat,
}

/// Runs the command.
///
/// # Errors
/// If the capture, the ID or the engine cannot be used.
pub fn run(args: &PacketsArgs, hardware: &dyn Hardware) -> Result<()> {
    let engine = args.engine.open(hardware)?;
    let capture = args.capture.open(args.id)?;
    let streams = select(&capture, args.id)?;
    let mut tallies = vec![Tally::default(); streams.len()];
    let mut output = Output::new();
    // Text of the streams that are decoded together with the first one.
    let mut later = vec![String::new(); streams.len()];
    let in_order = engine.is_in_order();
    engine.decode(&capture, &streams, |index, record| {
        let stream = &streams[index];
        let line = Line {
            id: stream.id,
            record,
            raw: stream.raw(record.offset, record.len),
            config: &stream.config,
        };
        tallies[index].count(record);
        if in_order || index == 0 {
            args.format.write(&mut output.text, &line);
            output.flush_full();
        } else {
            args.format.write(&mut later[index], &line);
        }
    })?;
    for text in &later {
        output.text.push_str(text);
        output.flush_full();
    }
    output.finish();
    for (stream, tally) in streams.iter().zip(&tallies) {
        if let Some(warning) = tally.warning(stream.id) {
            say(&warning);
        }
    }
    Ok(())
}
