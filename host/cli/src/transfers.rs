// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 transfers`: the data trace of a core.

mod lister;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;
use coretrace_capture::{Pass, Source, TraceBuffer};
use coretrace_coresight::TraceId;
use coretrace_data_trace::Grammar;
use coretrace_decode::Policy;

use crate::capture_args::CaptureArgs;
use crate::error::{Outcome, say};
use crate::listing_format::ListingFormat;
use crate::trace_id;
use lister::Lister;

const EXAMPLES: &str = "\
A source of data trace has the protocol ETM4DATA. Its trace ID is that of the instruction trace, and one.
The payloads of addresses and values are in no public document, so etm4 reads them in a file: --grammar.
Without that, --packets lists what is known: everything up to the first packet of unknown payload behind
an A-Sync. Registers TRCIDR9, TRCIDR10 and TRCIDR11 of the source say how many keys there are.

Examples:
  etm4 transfers capture --grammar data.toml
  etm4 transfers capture --packets
  etm4 transfers capture --id 11 --grammar data.toml --format json";

/// List the data transfers of a data trace, with the instructions that made them
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct TransfersArgs {
    #[command(flatten)]
    capture: CaptureArgs,

    /// The data trace with this trace ID (hexadecimal) only
    #[arg(long, value_name = "HEX", value_parser = trace_id::parse)]
    id: Option<TraceId>,

    /// The grammar of the packets [default: what is public]
    #[arg(long, value_name = "FILE")]
    grammar: Option<PathBuf>,

    /// List packets in place of transfers
    #[arg(long)]
    packets: bool,

    /// How lines are written
    #[arg(long, value_enum, default_value_t)]
    format: ListingFormat,
}

/// Runs the command.
///
/// # Errors
/// If the capture or the grammar cannot be used, or there is no data trace.
pub fn run(args: &TransfersArgs) -> Result<Outcome> {
    let trace = args.capture.options.open(args.capture.path(), args.id)?;
    let grammar = read_grammar(args.grammar.as_deref())?;
    let mut lister = Lister::new(&grammar, args.format);
    let mut is_there = false;
    for buffer in &trace.buffers {
        for (data, source) in data_sources(buffer, args.id) {
            is_there = true;
            let mut sources = vec![data];
            if !args.packets {
                let keys = source.data.context("no keys")?;
                keys.check().with_context(|| {
                    format!(
                        "registers TRCIDR9, TRCIDR10 and TRCIDR11 of {:?} say how many keys there are: add them, or use \
                         --packets",
                        source.name
                    )
                })?;
                sources.extend(instructions_of(buffer, source));
            }
            lister.begin(buffer, &sources, !args.packets);
            let pass = Pass {
                buffer,
                sources: &sources,
                policy: Policy::Resync,
                sync_limit: args.capture.options.sync_limit,
            };
            pass.run_streams(&mut lister)?;
        }
    }
    ensure!(
        is_there,
        "{:?} has no data trace: a source of it has protocol = \"ETM4DATA\"",
        trace.name
    );
    Ok(Outcome::of(lister.finish()))
}

fn read_grammar(path: Option<&Path>) -> Result<Grammar> {
    let Some(path) = path else {
        return Grammar::public();
    };
    let text =
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    Grammar::from_toml(&text).with_context(|| format!("{} cannot be used", path.display()))
}

/// The sources of data trace of a buffer, with their indices.
fn data_sources(
    buffer: &TraceBuffer,
    id: Option<TraceId>,
) -> impl Iterator<Item = (usize, &Source)> {
    buffer
        .sources
        .iter()
        .enumerate()
        .filter(move |(_, source)| {
            source.data.is_some() && id.is_none_or(|id| source.trace_id == Some(id.value()))
        })
}

/// The source of the instruction trace that belongs to a data trace.
fn instructions_of(buffer: &TraceBuffer, data: &Source) -> Option<usize> {
    let id = data.trace_id?.checked_sub(1)?;
    let found = buffer
        .sources
        .iter()
        .position(|source| source.config.is_some() && source.trace_id == Some(id));
    if found.is_none() {
        say(&format!(
            "note: there is no instruction trace with ID {id:02x}, so no transfer has a parent"
        ));
    }
    found
}
