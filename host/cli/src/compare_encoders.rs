// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 compare-encoders`: how small each encoder makes a trace.

mod branch_encoders;
mod general;
mod plot;
mod results;

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use coretrace_abi::compressed::encoder::Encoder;
use coretrace_capture::Trace;

use crate::branches::Branches;
use crate::capture_args::{CaptureArgs, Input};
use crate::element_blocks::write_elements;
use crate::encoder_args::{BlockArgs, ELEMENTS, encoder, name};
use crate::error::{Outcome, say};
use crate::follow::FollowArgs;
use branch_encoders::{BranchEncoders, used};
use results::{CompareFormat, Results, Size};

const EXAMPLES: &str = "\
Beside the bytes of the trace and what gzip, zstd and xz make of them are the encoders of `etm4
compress`, with the blocks that they fill: their headers count, the zeros behind the last bits do
not. Contexts are stored by the X encoders, times and cycles by none; the bytes of the trace have them
if the trace has.
The trace is read more than once, so it must be no pipe.

Examples:
  etm4 compare-encoders testbench/traces/sort-a64
  etm4 compare-encoders testbench/traces/sort-a64 --plot sort.svg
  etm4 compare-encoders perf.data --elf a.out --encoder M4,X2 --block 64 --format json";

/// Say how many bits per instruction each encoder needs for a trace, beside gzip, zstd and xz
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct CompareEncodersArgs {
    #[command(flatten)]
    capture: CaptureArgs,

    #[command(flatten)]
    follow: FollowArgs,

    /// The encoders, as of `etm4 compress`; all of them without it
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = encoder)]
    encoder: Vec<Encoder>,

    #[command(flatten)]
    block: BlockArgs,

    /// How the results are written
    #[arg(long, value_enum, default_value_t)]
    format: CompareFormat,

    /// Draw them too, as an SVG picture
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// If the trace or a memory image cannot be used, or the picture cannot be written.
pub fn run(args: &CompareEncodersArgs) -> Result<Outcome> {
    let Input::Trace(trace) = args.capture.open_input(args.follow.id)? else {
        bail!(
            "{} is a record stream: encoders are compared on a trace",
            args.capture.path().display()
        );
    };
    ensure!(
        args.follow.shard.is_none(),
        "encoders are compared on a whole trace: leave out --shard"
    );
    ensure!(
        trace
            .buffers
            .iter()
            .all(|buffer| buffer.bytes.is_repeatable()),
        "the trace is read more than once: store it in a file"
    );
    let mut named: Vec<(&str, Encoder)> = Encoder::all().collect();
    if !args.encoder.is_empty() {
        named = args.encoder.iter().map(|&it| (name(it), it)).collect();
    }
    let traced = args.follow.traced(&trace)?;
    let mut encoders = BranchEncoders::new(named, args.block.block);
    let mut branches = Branches::new(&traced.processes, &mut encoders);
    let sync_limit = args.capture.options.sync_limit;
    let followed = args
        .follow
        .follow(&trace, &traced, sync_limit, &mut branches)?;
    let mut sizes = general::sizes(&trace, args.follow.id, sync_limit)?;
    let instructions = encoders.instructions();
    if instructions == 0 {
        say(
            "warning: no A64 or A32 instruction was followed: --elf names programs, --image memory dumps",
        );
        return Ok(Outcome::Incomplete);
    }
    sizes.extend(encoders.sizes());
    if args.encoder.is_empty() {
        sizes.push(elements(&trace, args, sync_limit)?);
    }
    let results = Results {
        instructions,
        sizes,
    };
    results.write(args.format);
    if let Some(file) = &args.plot {
        let picture = plot::svg(&results)?;
        fs::write(file, picture).with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(Outcome::of(followed.is_decoded))
}

/// What XE makes of the packets.
fn elements(trace: &Trace, args: &CompareEncodersArgs, sync_limit: u64) -> Result<Size> {
    let mut bytes = 0;
    write_elements(
        trace,
        args.follow.id,
        sync_limit,
        args.block.block,
        &mut |block| {
            bytes += used(block);
        },
    )?;
    Ok(Size {
        name: ELEMENTS,
        bytes,
    })
}
