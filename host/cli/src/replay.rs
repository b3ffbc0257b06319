// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 replay`: compressed branches, and the programs that they are of, to what was executed.

mod lister;

use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::Args;
use coretrace_capture::{MemoryImage, open};
use coretrace_coresight::TraceId;
use coretrace_flow::Images;
use coretrace_isa::Isa;
use coretrace_replay::ImageCode;

use crate::block_file::read_blocks;
use crate::error::{Outcome, say};
use crate::images::{dumps, images, parse_image, program_images};
use crate::programs::programs;
use crate::trace_id;
use crate::traced::Traced;
use lister::{Lister, ReplayFormat};

const EXAMPLES: &str = "\
The programs are those that `etm4 compress` had: what is not stored is found again in them. Ranges
are instructions that follow each other, from the address of the first one to that behind the last;
branches have their address, kind, outcome, the address of the next instruction, and how many
instructions are behind the branch before, this one included.

Examples:
  etm4 compress testbench/traces/sort-a64 --out sort.blocks
  etm4 replay sort.blocks --traced testbench/traces/sort-a64
  etm4 replay sort.blocks --traced testbench/traces/sort-a64 --format branches
  etm4 replay a.blocks --elf a.out --format count";

/// List what was executed, from blocks of compressed branches
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ReplayArgs {
    /// Blocks, as `etm4 compress` or a core writes them; - is standard input
    file: PathBuf,

    /// Of the source with this trace ID (hexadecimal) only
    #[arg(long, value_name = "HEX", value_parser = trace_id::parse)]
    id: Option<TraceId>,

    /// The capture folder, snapshot or perf.data that was compressed: its programs and memory images are
    /// used, its trace is not
    #[arg(long, value_name = "CAPTURE")]
    traced: Option<PathBuf>,

    /// A program, as an ELF file; at this address, or where it is linked to be. May be given several
    /// times
    #[arg(long, value_name = "FILE[@ADDRESS]")]
    elf: Vec<PathBuf>,

    /// A memory dump at this address. May be given several times; programs count more
    #[arg(long, value_name = "FILE@ADDRESS", value_parser = parse_image)]
    image: Vec<MemoryImage>,

    /// What is listed
    #[arg(long, value_enum, default_value_t)]
    format: ReplayFormat,
}

/// Runs the command.
///
/// # Errors
/// If the file or the code cannot be read.
pub fn run(args: &ReplayArgs) -> Result<Outcome> {
    let images = code(args)?;
    let [a32, a64] = [Isa::A32, Isa::A64].map(|isa| ImageCode::new(images.clone(), isa));
    let mut lister = Lister::new(args.format);
    let gaps = read_blocks(&args.file, |block| {
        let is_wanted = |id: TraceId| id.value() == block.header.trace_id;
        if args.id.is_none_or(is_wanted) {
            let code = if block.header.is_a32 { &a32 } else { &a64 };
            lister.block(block, code);
        }
        Ok(())
    })?;
    let (blocks, unread) = lister.finish();
    gaps.say();
    if unread > 0 {
        say(&format!(
            "warning: {unread} blocks are not of these programs: what is listed of them ends early"
        ));
    }
    Ok(Outcome::of(blocks > 0 && !gaps.is_any() && unread == 0))
}

/// What was in memory.
fn code(args: &ReplayArgs) -> Result<Images> {
    let images = match &args.traced {
        None => {
            let mut memory = dumps(&args.image)?;
            memory.extend(program_images(&programs(&args.elf, &[])?));
            Images::new(memory)
        }
        Some(capture) => {
            let trace = open(capture, None)?;
            let traced = Traced::new(&args.elf, &trace, true)?;
            let memory = images(&trace, &args.image, &traced.program)?;
            Images::of_processes(memory, traced.processes)
        }
    };
    ensure!(
        !images.all().is_empty(),
        "there is no code: --elf names programs, --image memory dumps, --traced a capture that has them"
    );
    Ok(images)
}
