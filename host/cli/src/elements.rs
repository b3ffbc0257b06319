// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 elements`: what the traced core did.

mod lister;

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use coretrace_capture::{MemoryImage, Pass, Trace};
use coretrace_coresight::TraceId;
use coretrace_decode::Policy;
use coretrace_flow::{Image, Spaces};

use crate::capture_args::{CaptureArgs, Input};
use crate::engine::OnError;
use crate::error::{Outcome, say};
use crate::programs::programs;
use crate::progress::Progress;
use crate::selection::select_sources;
use crate::trace_id;
use lister::{ElementFormat, Lister};

const EXAMPLES: &str = "\
The memory images of a capture folder or a snapshot, the programs that a perf.data mapped, and those
of --elf say which instructions there were; where none does, ADDR_NACC names the first address that is
missing. Elements are grouped by trace ID, but not those of a pipe, which is read once; their offsets
are those of their packets. Elements have the names and texts of OpenCSD: --format tsv --on-error
opencsd compares with its full decode.

Examples:
  etm4 elements testbench/traces/sort-a64
  etm4 elements testbench/traces/sort-a64 --format json
  etm4 elements testbench/traces/sort-a64 --format count
  etm4 elements testbench/traces/sort-a64 --check
  etm4 elements perf.data --elf a.out";

/// List what the traced core did: instructions, exceptions, contexts and times
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ElementsArgs {
    #[command(flatten)]
    capture: CaptureArgs,

    /// Decode the source with this trace ID (hexadecimal) only
    #[arg(long, value_name = "HEX", value_parser = trace_id::parse)]
    id: Option<TraceId>,

    /// A program that was traced, as an ELF file; at this address, or where it was mapped, or where it
    /// is linked to be. May be given several times; where files overlap the last one counts
    #[arg(long, value_name = "FILE[@ADDRESS]")]
    elf: Vec<PathBuf>,

    /// How elements are written
    #[arg(long, value_enum, default_value_t)]
    format: ElementFormat,

    /// List no elements, but where the trace contradicts the images: there, they are not what was
    /// executed. The exit status is 1 if there is such a place
    #[arg(long, conflicts_with = "format")]
    check: bool,

    /// What to do after bytes that are not a packet
    #[arg(long, value_enum, default_value_t)]
    on_error: OnError,
}

/// Runs the command.
///
/// # Errors
/// If the capture or a memory image cannot be used.
pub fn run(args: &ElementsArgs) -> Result<Outcome> {
    let trace = match args.capture.open_input(args.id)? {
        Input::Trace(trace) => trace,
        Input::Stream(_) => bail!(
            "{} is a record stream, of which only packets are listed: use `etm4 records`",
            args.capture.path().display()
        ),
    };
    let mut images = images(&trace, &args.elf)?;
    if images.is_empty() {
        say(
            "warning: there are no memory images, so it is not known which instructions ran: --elf \
             names programs",
        );
    }
    if args.on_error == OnError::OpenCsd {
        only_addresses(&mut images);
    }
    let format = (!args.check).then_some(args.format);
    let policy = Policy::from(args.on_error);
    let mut lister = Lister::new(format, images, policy);
    for part in select_sources(&trace, args.id)? {
        let bytes = part.buffer.bytes.len()?;
        let groups: Vec<&[usize]> = if part.buffer.bytes.is_repeatable() {
            part.sources.chunks(1).collect()
        } else {
            vec![&part.sources]
        };
        lister.progress = bytes.map(|bytes| Progress::new("flow", bytes * groups.len() as u64));
        for sources in groups {
            lister.begin_pass(part.buffer, sources);
            let pass = Pass {
                buffer: part.buffer,
                sources,
                policy,
                sync_limit: args.capture.options.sync_limit,
            };
            pass.run_streams(&mut lister)?;
            lister.end_pass();
        }
    }
    let doubts = lister.doubts;
    if doubts > 0 && !args.check {
        say(&format!(
            "warning: the trace contradicts the images {doubts} times: --check says where"
        ));
    }
    if lister.end() {
        return Ok(if doubts > 0 && args.check {
            Outcome::Incomplete
        } else {
            Outcome::Complete
        });
    }
    say(
        "warning: nothing was decoded: no source has an A-Sync, so check the format and the trace IDs",
    );
    Ok(Outcome::Incomplete)
}

/// The images of the trace, and over them the programs.
fn images(trace: &Trace, elf: &[PathBuf]) -> Result<Vec<Image>> {
    let mut images: Vec<Image> = trace.memory.iter().map(image).collect::<Result<_>>()?;
    let program = programs(elf, &trace.mappings)?;
    images.extend(program.images().map(|(file, address, bytes)| Image {
        name: file.display().to_string(),
        ..Image::new(address, bytes)
    }));
    Ok(images)
}

fn image(image: &MemoryImage) -> Result<Image> {
    let mut spaces = Spaces::ANY;
    if let Some(name) = &image.space {
        let named = Spaces::of_name(name);
        if named.is_none() {
            let file = image.file.display();
            say(&format!(
                "warning: {file}: there is no memory space {name:?}, so every context sees it"
            ));
        }
        spaces = named.unwrap_or(spaces);
    }
    Ok(Image {
        name: image.file.display().to_string(),
        spaces,
        vmid: image.vmid,
        cid: image.cid,
        ..Image::new(image.address, image.read()?)
    })
}

/// OpenCSD knows no image of one VMID or context ID, and where several overlap its first one counts.
fn only_addresses(images: &mut [Image]) {
    images.reverse();
    for image in images {
        (image.vmid, image.cid) = (None, None);
    }
}
