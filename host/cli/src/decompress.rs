// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 decompress`: blocks of XE to the packets of a trace unit.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use clap::Args;
use coretrace_coresight::TraceId;
use coretrace_replay::ElementPackets;

use crate::block_file::read_blocks;
use crate::error::{Outcome, say};
use crate::output::FileOutput;
use crate::trace_id;

const EXAMPLES: &str = "\
What is written is the stream of one source, as bare bytes: with the registers of the trace unit any
decoder reads it. It has the packets of the trace in their order; atoms may be packed in another way,
and addresses are written in full. Blocks of branches have no packets: `etm4 replay` lists them.

Examples:
  etm4 compress testbench/traces/sort-a64 --encoder XE --out sort.blocks
  etm4 decompress sort.blocks --out sort.trace
  etm4 packets sort.trace --raw-format raw --reg TRCCONFIGR=0x1001 --reg TRCIDR0=0x28000ea1 \\
    --reg TRCIDR1=0x4100f403 --reg TRCIDR2=0x488 --reg TRCIDR8=0 --reg TRCTRACEIDR=0x10";

/// Write the trace of a source again, from blocks of the encoder XE
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct DecompressArgs {
    /// Blocks, as `etm4 compress --encoder XE` writes them; - is standard input
    file: PathBuf,

    /// The source with this trace ID (hexadecimal), if there are several
    #[arg(long, value_name = "HEX", value_parser = trace_id::parse)]
    id: Option<TraceId>,

    /// The file to write, - is standard output
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// Runs the command.
///
/// # Errors
/// If the file cannot be read or has several sources, or the trace cannot be written.
pub fn run(args: &DecompressArgs) -> Result<Outcome> {
    let mut out = FileOutput::create(&args.out)?;
    let mut packets = ElementPackets::new();
    let mut id = args.id.map(TraceId::value);
    let mut is_good = false;
    let gaps = read_blocks(&args.file, |block| {
        let of = block.header.trace_id;
        if args.id.is_some() && id != Some(of) {
            return Ok(());
        }
        ensure!(
            *id.get_or_insert(of) == of,
            "there are several sources, such as {of:02x}: choose one with --id"
        );
        let elements = block.elements().ok();
        let elements = elements.with_context(|| {
            "the blocks are of branches, which `etm4 replay` lists: XE has packets".to_owned()
        })?;
        is_good = true;
        for item in elements {
            let item = item.ok().context("a block contradicts itself")?;
            packets.item(&item, |bytes| out.put(bytes));
        }
        Ok(())
    })?;
    packets.flush(|bytes| out.put(bytes));
    out.finish()?;
    gaps.say();
    if gaps.is_any() {
        say("note: packets behind a gap are right from the next A-Sync on");
    }
    Ok(Outcome::of(is_good && !gaps.is_any()))
}
