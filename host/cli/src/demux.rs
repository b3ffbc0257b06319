// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 demux`: the bytes of each trace ID.

use anyhow::{Result, bail};
use clap::Args;
use coretrace_capture::Format;
use coretrace_decode::tpiu::{Deframer, RunEvent, demux_row};

use crate::capture_args::CaptureArgs;
use crate::error::say;
use crate::output::Output;
use crate::progress::Progress;

/// Bytes of a capture between two writes.
const CHUNK_BYTES: usize = 1 << 14;

const EXAMPLES: &str = "\
A line is a run of bytes of one trace ID inside a frame: offset of the frame (plus the place of the
byte pair in which the run starts), trace ID, DATA, length, bytes, separated by tabs. The ID is ??
before the first ID and after a loss of bytes.

Examples:
  etm4 demux testbench/traces/framed
  etm4 demux port.bin --raw-format tpiu-hsync
  etm4 demux testbench/traces/framed | awk '$2 == \"10\"'";

/// List the bytes of each trace ID in a framed capture
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct DemuxArgs {
    #[command(flatten)]
    capture: CaptureArgs,
}

/// Runs the command.
///
/// # Errors
/// If the capture cannot be used, or has no frames.
pub fn run(args: &DemuxArgs) -> Result<()> {
    let capture = args.capture.open_frames()?;
    let Format::Framed(format) = capture.format else {
        bail!(
            "{:?} is a raw capture, the bytes of one source: it has no frames to take apart, use \
             `etm4 packets`",
            capture.name
        );
    };
    let mut output = Output::new();
    let mut progress = Progress::new("demux", capture.bytes.len() as u64);
    let mut deframer = Deframer::new(format);
    let mut done = 0;
    for chunk in capture.bytes.chunks(CHUNK_BYTES) {
        deframer.feed(chunk, |event| {
            if let RunEvent::Run(run) = event {
                output.text.push_str(&demux_row(&run));
                output.text.push('\n');
            }
        });
        output.flush_full();
        done += chunk.len();
        progress.part(done as u64);
    }
    deframer.finish();
    output.finish();
    let lost = deframer.statistics();
    let bytes = lost.unsynchronised_bytes + lost.partial_bytes + lost.corrupt_bytes;
    if bytes > 0 {
        say(&format!(
            "warning: {bytes} bytes are in no complete frame and frame sync was lost {} times: bytes were lost \
             or damaged, or the format is not {format}",
            lost.losses
        ));
    }
    Ok(())
}
