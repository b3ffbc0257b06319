// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 info`: what is in a trace.

mod records;
mod summary;
mod text;

use anyhow::Result;
use clap::{Args, ValueEnum};
use coretrace_capture::{Pass, Source, Trace, TraceBuffer, bytes_of_ids};
use coretrace_coresight::TraceId;
use coretrace_decode::Policy;

use crate::capture_args::{CaptureArgs, Input};
use crate::error::Outcome;
use crate::output::Output;
use crate::progress::Progress;
use summary::{BufferSummary, SourceSummary, Summary, Summing, TraceSummary};

const EXAMPLES: &str = "\
Each buffer with its framing, each source with its registers in words, its packets by kind, the
timestamps, and what is damaged. Of sources without a decoder the bytes are counted.

Examples:
  etm4 info testbench/traces/framed
  etm4 info testbench/traces/sort-a64 --format json";

/// Say what is in a trace: sources, registers, packets by kind, timestamps, damage
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct InfoArgs {
    #[command(flatten)]
    capture: CaptureArgs,

    /// How the summary is written
    #[arg(long, value_enum, default_value_t)]
    format: SummaryFormat,
}

/// How a summary is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum SummaryFormat {
    /// Lines for people
    #[default]
    Text,
    /// One JSON object
    Json,
}

/// Runs the command.
///
/// # Errors
/// If the trace cannot be used.
pub fn run(args: &InfoArgs) -> Result<Outcome> {
    let summary = match args.capture.open_input(None)? {
        Input::Trace(trace) => summary_of(&trace, args.capture.options.sync_limit)?,
        Input::Stream(stream) => records::summary_of(args.capture.path(), stream)?,
    };
    let mut output = Output::new();
    output.text = match args.format {
        SummaryFormat::Text => text::text(&summary),
        SummaryFormat::Json => serde_json::to_string_pretty(&summary)? + "\n",
    };
    output.finish();
    Ok(if summary.is_decoded() {
        Outcome::Complete
    } else {
        Outcome::Incomplete
    })
}

fn summary_of(trace: &Trace, sync_limit: u64) -> Result<TraceSummary> {
    let buffers = trace.buffers.iter();
    Ok(TraceSummary {
        schema: summary::SCHEMA,
        name: trace.name.clone(),
        damage: trace.damage.clone(),
        counters: Vec::new(),
        buffers: buffers
            .map(|buffer| of_buffer(buffer, sync_limit))
            .collect::<Result<_>>()?,
    })
}

fn of_buffer(buffer: &TraceBuffer, sync_limit: u64) -> Result<BufferSummary> {
    let sources: Vec<usize> = (0..buffer.sources.len()).collect();
    let mut summing = Summing {
        sources: vec![Summary::default(); sources.len()],
        progress: buffer
            .bytes
            .len()?
            .map(|bytes| Progress::new("info", bytes)),
    };
    let pass = Pass {
        buffer,
        sources: &sources,
        policy: Policy::Resync,
        sync_limit,
    };
    let statistics = pass.run(&mut summing)?;
    drop(summing.progress);
    let others = other_ids(buffer, sync_limit)?;
    let named = buffer.sources.iter().zip(summing.sources);
    Ok(BufferSummary {
        name: buffer.name.clone(),
        format: buffer.format.to_string(),
        bytes: statistics.bytes,
        frames: statistics.sync.frames,
        sync_losses: statistics.sync.losses,
        bytes_without_frame: statistics.sync.unsynchronised_bytes
            + statistics.sync.partial_bytes
            + statistics.sync.corrupt_bytes,
        null_bytes: statistics.demux.null_bytes,
        sources: named
            .map(|(source, sums)| SourceSummary::new(source, sums))
            .collect(),
        other_ids: others,
    })
}

/// Bytes of the trace IDs that have no decoder, by ID, in the part of the buffer that is looked at.
fn other_ids(buffer: &TraceBuffer, limit: u64) -> Result<Vec<(u8, u64)>> {
    let coretrace_capture::Format::Framed(framing) = buffer.format else {
        return Ok(Vec::new());
    };
    if !buffer.bytes.is_repeatable() {
        return Ok(Vec::new());
    }
    let decoded = |id: TraceId| buffer.source(id.value()).is_some_and(Source::has_decoder);
    let found = bytes_of_ids(framing, &buffer.bytes, limit)?;
    let others = found.into_iter().filter(|(id, _)| !decoded(*id));
    Ok(others.map(|(id, bytes)| (id.value(), bytes)).collect())
}
