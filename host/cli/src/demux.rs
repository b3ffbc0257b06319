// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 demux`: the bytes of each trace ID.

use std::ops::ControlFlow;

use anyhow::{Result, bail, ensure};
use clap::Args;
use coretrace_capture::{Block, Format};
use coretrace_decode::tpiu::{self, Deframer, RunEvent, demux_row};

use crate::capture_args::CaptureArgs;
use crate::error::{Outcome, say};
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
pub fn run(args: &DemuxArgs) -> Result<Outcome> {
    let trace = args.capture.open_frames()?;
    let mut output = Output::new();
    let mut runs = 0;
    for source in trace.buffers.iter().flat_map(|buffer| &buffer.sources) {
        if let (Some(id), Some(_)) = (source.trace_id, source.software) {
            let (name, protocol) = (&source.name, &source.protocol);
            say(&format!("note: ID {id:02x} is {name}, {protocol}"));
        }
    }
    for buffer in &trace.buffers {
        let Format::Framed(format) = buffer.format else {
            bail!(
                "{:?} is a raw capture, the bytes of one source: it has no frames to take apart, use \
                 `etm4 packets`",
                trace.name
            );
        };
        let mut progress = buffer
            .bytes
            .len()?
            .map(|bytes| Progress::new("demux", bytes));
        let mut deframer = Deframer::new(format);
        let mut done = 0;
        let _ = buffer.bytes.read(|block| {
            match block {
                Block::Bytes(bytes) => {
                    done += bytes.len() as u64;
                    for chunk in bytes.chunks(CHUNK_BYTES) {
                        deframer.feed(chunk, |event| {
                            if let RunEvent::Run(run) = event {
                                output.text.push_str(&demux_row(&run));
                                output.text.push('\n');
                                runs += 1;
                            }
                        });
                        output.flush_full();
                    }
                }
                Block::Lost => deframer.finish(),
            }
            if let Some(progress) = &mut progress {
                progress.part(done);
            }
            ensure!(
                runs > 0 || done <= args.capture.options.sync_limit,
                "no frame with data in the first {done} bytes: check the format, or read on with a greater \
                 --sync-limit"
            );
            Ok(ControlFlow::Continue(()))
        })?;
        deframer.finish();
        output.flush();
        warn(&deframer, format);
    }
    output.finish();
    Ok(if runs == 0 {
        Outcome::Incomplete
    } else {
        Outcome::Complete
    })
}

fn warn(deframer: &Deframer, format: tpiu::Format) {
    let lost = deframer.statistics();
    let bytes = lost.unsynchronised_bytes + lost.partial_bytes + lost.corrupt_bytes;
    if bytes > 0 {
        say(&format!(
            "warning: {bytes} bytes are in no complete frame and frame sync was lost {} times: bytes were lost \
             or damaged, or the format is not {format}",
            lost.losses
        ));
    }
}
