// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 messages`: the text that software wrote.

use std::fmt::Write;

use anyhow::{Result, bail};
use clap::Args;
use coretrace_capture::{RecordSink, Trace, TraceBuffer, TraceBytes};
use coretrace_coresight::TraceId;
use coretrace_decode::Policy;
use coretrace_etm::Record;
use coretrace_software_trace::{self as software_trace, Messages};

use crate::capture_args::CaptureArgs;
use crate::engine::OnError;
use crate::error::{Outcome, say};
use crate::output::Output;
use crate::selection::{Protocols, select_protocols};
use crate::tally::Tally;
use crate::trace_id;

const EXAMPLES: &str = "\
A line of an ITM has the trace ID and the stimulus port in front of its text, a line of an STM the trace
ID, master and channel; with --channel, the text is alone. Control characters are written as \\x1b.
--follow waits for more at the end of the file.

Examples:
  etm4 messages swo
  etm4 messages swo --channel 0 --follow
  etm4 messages stm --id 20 --channel 64:1152";

/// Write the text that software sent to an STM or ITM, as a terminal shows it
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct MessagesArgs {
    #[command(flatten)]
    capture: CaptureArgs,

    /// Decode the source with this trace ID (hexadecimal) only
    #[arg(long, value_name = "HEX", value_parser = trace_id::parse)]
    id: Option<TraceId>,

    /// Write the text of this channel only: the port of an ITM, or MASTER:CHANNEL of an STM, decimal
    #[arg(long, value_name = "CHANNEL")]
    channel: Option<String>,

    /// What to do after bytes that are not a packet
    #[arg(long, value_enum, default_value_t)]
    on_error: OnError,

    /// Keep reading a file that grows; Ctrl-C ends it
    #[arg(long)]
    follow: bool,
}

/// Runs the command.
///
/// # Errors
/// If the capture cannot be used, has no such source, or is not a file that can grow.
pub fn run(args: &MessagesArgs) -> Result<Outcome> {
    let mut trace = args.capture.options.open(args.capture.path(), args.id)?;
    if args.follow {
        grow(&mut trace)?;
    }
    let mut output = Output::new();
    let mut is_decoded = false;
    for part in select_protocols(&trace, args.id, Protocols::Software)? {
        let policy = Policy::from(args.on_error);
        for pass in part.passes(policy, args.capture.options.sync_limit) {
            let ids = pass.described().map(|source| source.trace_id.unwrap_or(0));
            let mut terminal = Terminal {
                channel: args.channel.as_deref(),
                sources: ids
                    .map(|id| (id, Messages::default(), Tally::default()))
                    .collect(),
                output: &mut output,
            };
            pass.run(&mut terminal)?;
            is_decoded |= terminal.end();
        }
    }
    output.finish();
    Ok(Outcome::of(is_decoded))
}

/// Makes the only file of a trace one that grows.
fn grow(trace: &mut Trace) -> Result<()> {
    if let [TraceBuffer { bytes, .. }] = &mut trace.buffers[..]
        && let TraceBytes::Files(files) = bytes
        && let [file] = &files[..]
    {
        *bytes = TraceBytes::Growing(file.clone());
        return Ok(());
    }
    bail!("--follow reads one file of trace: this is none, or several")
}

/// Writes lines as they end.
struct Terminal<'a> {
    channel: Option<&'a str>,
    sources: Vec<(u8, Messages, Tally)>,
    output: &'a mut Output,
}

impl Terminal<'_> {
    /// Ends all lines. Whether anything was decoded.
    fn end(self) -> bool {
        let mut is_decoded = false;
        for (id, mut messages, tally) in self.sources {
            messages.finish(|channel, line| {
                put(&mut self.output.text, self.channel, id, channel, line);
            });
            self.output.flush();
            tally.warning(id).iter().for_each(|warning| say(warning));
            is_decoded |= tally.is_decoded();
        }
        is_decoded
    }
}

impl RecordSink for Terminal<'_> {
    fn record(&mut self, _source: usize, _record: &Record, _raw: &[u8]) {}

    fn software(&mut self, source: usize, record: &software_trace::Record) {
        let (id, messages, tally) = &mut self.sources[source];
        tally.count_software(record);
        messages.record(record, |channel, line| {
            put(&mut self.output.text, self.channel, *id, channel, line);
        });
        self.output.flush_full();
    }

    fn progress(&mut self, _bytes: u64) {
        self.output.flush();
    }
}

/// Appends a line, if its channel is wanted.
fn put(
    out: &mut String,
    wanted: Option<&str>,
    id: u8,
    channel: software_trace::Channel,
    line: &[u8],
) {
    let name = channel.to_string();
    match wanted {
        Some(wanted) if wanted != name => return,
        Some(_) => {}
        None => {
            let _ = write!(out, "{id:02x} {name}: ");
        }
    }
    for char in String::from_utf8_lossy(line.trim_ascii_end()).chars() {
        match char {
            '\t' => out.push(char),
            control if control.is_control() => {
                let _ = write!(out, "\\x{:02x}", u32::from(control));
            }
            char => out.push(char),
        }
    }
    out.push('\n');
}
