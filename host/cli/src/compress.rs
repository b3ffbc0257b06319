// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 compress`: the branches of a trace in blocks.

use std::path::PathBuf;

use anyhow::{Result, bail, ensure};
use clap::Args;
use coretrace_abi::compressed::item::Note;
use coretrace_capture::Trace;
use coretrace_compress::{BlockSettings, BlockWriter, Step};
use coretrace_isa::Isa;

use crate::branches::{Branches, StepSink};
use crate::capture_args::{CaptureArgs, Input};
use crate::element_blocks::write_elements;
use crate::encoder_args::{BlockArgs, Chosen, chosen};
use crate::error::{Outcome, say};
use crate::follow::{FollowArgs, TraceSource};
use crate::output::FileOutput;

const EXAMPLES: &str = "\
A block has the branches whose outcome or target the encoder did not foresee. With the same programs
`etm4 replay` finds all of them again; a damaged block costs only itself. Blocks of several sources
follow each other in one file, each with its trace ID. Cycles are not stored, contexts by the X encoders only,
nor is an indirect branch at the very end, which led nobody knows where.
XE keeps all packets, for `etm4 decompress`.
`etm4 compare-encoders` compares the encoders; X2 is the one that there is in hardware, X4 the smallest.

Examples:
  etm4 compress testbench/traces/sort-a64 --out sort.blocks
  etm4 replay sort.blocks --traced testbench/traces/sort-a64
  etm4 compress perf.data --elf a.out --encoder M4 --block 4 --out a.blocks
  etm4 compress testbench/traces/sort-a64 --encoder XE --out sort.blocks";

/// Store the branches of a trace in blocks, a tenth of its size or less
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct CompressArgs {
    #[command(flatten)]
    capture: CaptureArgs,

    #[command(flatten)]
    follow: FollowArgs,

    /// The encoder: NEXS, SCIT, THT, BASE, eBASE, rBASE, S0 to S4, M0 to M4, B0 to B4, X0 to X4, or XE,
    /// which stores the packets themselves and needs no program
    #[arg(long, value_name = "NAME", default_value = "X2", value_parser = chosen)]
    encoder: Chosen,

    /// Store the timestamps of the trace too; only the X encoders have a place for them
    #[arg(long)]
    timestamps: bool,

    #[command(flatten)]
    block: BlockArgs,

    /// The file to write, - is standard output
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// Runs the command.
///
/// # Errors
/// If the trace or a memory image cannot be used, or the blocks cannot be written.
pub fn run(args: &CompressArgs) -> Result<Outcome> {
    let Input::Trace(trace) = args.capture.open_input(args.follow.id)? else {
        bail!(
            "{} is a record stream: blocks are made of a trace",
            args.capture.path().display()
        );
    };
    ensure!(
        args.follow.shard.is_none(),
        "a part of a trace is not compressed: leave out --shard"
    );
    let sync_limit = args.capture.options.sync_limit;
    let encoder = match args.encoder {
        Chosen::Branches(encoder) => encoder,
        Chosen::Elements => return compress_elements(args, &trace),
    };
    let traced = args.follow.traced(&trace)?;
    let mut writing = Writing {
        has_timestamps: args.timestamps,
        settings: BlockSettings {
            size: args.block.block,
            ..BlockSettings::new(encoder, 0, false)
        },
        instructions: 0,
        bytes: 0,
        out: FileOutput::create(&args.out)?,
    };
    let mut branches = Branches::new(&traced.processes, &mut writing);
    let followed = args
        .follow
        .follow(&trace, &traced, sync_limit, &mut branches)?;
    writing.out.finish()?;
    if writing.instructions == 0 {
        say(
            "warning: no A64 or A32 instruction was followed: --elf names programs, --image memory dumps",
        );
        return Ok(Outcome::Incomplete);
    }
    say(&format!(
        "{} instructions in {} bytes of blocks",
        writing.instructions, writing.bytes
    ));
    Ok(Outcome::of(followed.is_decoded))
}

/// Compresses the packets of the trace.
fn compress_elements(args: &CompressArgs, trace: &Trace) -> Result<Outcome> {
    let mut out = FileOutput::create(&args.out)?;
    write_elements(
        trace,
        args.follow.id,
        args.capture.options.sync_limit,
        args.block.block,
        &mut |block| out.put(block),
    )?;
    out.finish()?;
    Ok(Outcome::Complete)
}

/// Writes the blocks of all sources as they are full.
struct Writing {
    has_timestamps: bool,
    settings: BlockSettings,
    instructions: u64,
    bytes: u64,
    out: FileOutput,
}

impl Writing {
    fn keeps(&self, note: &Note) -> bool {
        self.has_timestamps || !matches!(note, Note::Timestamp(_))
    }

    fn sink(&mut self) -> impl FnMut(&[u8]) {
        let Writing { bytes, out, .. } = self;
        |block| {
            *bytes += block.len() as u64;
            out.put(block);
        }
    }
}

/// The trace ID of a source, and its blocks if it has begun.
struct Source {
    id: u8,
    writer: Option<BlockWriter>,
}

impl StepSink for Writing {
    type Source = Source;

    fn begin(&mut self, source: &TraceSource) -> Source {
        Source {
            id: source.id,
            writer: None,
        }
    }

    fn step(&mut self, source: &mut Source, isa: Isa, step: Step) {
        if let Step::Event(event) = &step {
            self.instructions += u64::from(event.instructions());
        }
        match (&step, &mut source.writer) {
            (Step::Start(address), None) => {
                let settings = BlockSettings {
                    trace_id: source.id,
                    is_a32: isa == Isa::A32,
                    ..self.settings
                };
                source.writer = Some(BlockWriter::new(settings, *address));
            }
            (Step::Event(event), Some(writer)) => writer.event(event, self.sink()),
            (Step::Note { instructions, note }, Some(writer)) if self.keeps(note) => {
                writer.note(*note, *instructions, self.sink());
            }
            _ => {}
        }
    }

    fn end(&mut self, source: Source, instructions: u64) {
        if let Some(writer) = source.writer {
            self.instructions += instructions;
            writer.finish(instructions, self.sink());
        }
    }
}
