// SPDX-License-Identifier: MIT OR Apache-2.0
//! The `etm4` command line tool: what it reads, what it runs and what it prints.
//!
//! Results go to standard output and everything else to standard error. The exit status is 0 when the
//! command did its work, 1 when nothing could be decoded, `--strict` found damage or the counts of a core
//! contradict each other, and 2 for wrong use or input that cannot be read as a capture. `etm4 target` also
//! has 3, 4 and 5, for what became of a chip.
#![forbid(unsafe_code)]

mod block_file;
mod branches;
mod calls;
mod capture_args;
mod compare_encoders;
mod compress;
mod convert;
mod decompress;
mod demux;
mod diff;
mod element_blocks;
mod elements;
mod encoder_args;
mod engine;
pub mod error;
pub mod filter;
mod flow;
mod flow_counts;
mod flow_table;
mod follow;
mod guess;
pub mod hardware;
mod images;
mod info;
mod listing_format;
mod maps;
mod merged_line;
mod messages;
mod only;
pub mod output;
mod packets;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(not(feature = "parquet"))]
#[path = "no_parquet.rs"]
mod parquet;
mod places;
mod profile;
mod programs;
pub mod progress;
mod records;
mod regs;
mod replay;
mod report;
pub mod selection;
mod shell;
mod stream_file;
mod table_args;
mod tally;
mod target;
mod timeline;
pub mod trace_id;
mod traced;
mod transfers;
mod triggers;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};
use error::Outcome;
use hardware::{Hardware, NoHardware};

/// Decode ETMv4, ETE, STM and ITM trace captures, and read what the cores store.
#[derive(Debug, Parser)]
#[command(name = "etm4", version = VERSION, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// What `-V` says behind the name.
pub const VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    " (",
    env!("ETM4_COMMIT"),
    ")\nreads capture folders, CoreSight snapshots, perf.data, bare trace (raw, frames, tpiu-fsync, \
     tpiu-hsync, dstream), record, profile and flow streams; decodes ETMv4, ETE, STM and ITM"
);

const EXAMPLES: &str = "\
Examples, from the root of the repository:
  etm4 packets testbench/traces/sort-a64    list the packets of a capture
  etm4 elements testbench/traces/sort-a64   list what the core did
  etm4 flow testbench/traces/sort-a64       list the functions that ran
  etm4 info testbench/traces/framed         say what is in a trace
  etm4 demux testbench/traces/framed        list the bytes of each trace ID
  etm4 records sort.words                   list the records that a core stored
  etm4 profile testbench/traces/sort-a64    say which functions ran
  etm4 packets --help                       options and examples of a command";

/// The commands of `etm4`.
#[derive(Debug, Subcommand)]
#[expect(missing_docs, reason = "each is described by its arguments")]
pub enum Command {
    Packets(packets::PacketsArgs),
    Elements(elements::ElementsArgs),
    Messages(messages::MessagesArgs),
    Transfers(transfers::TransfersArgs),
    Flow(flow::FlowArgs),
    FlowTable(flow_table::FlowTableArgs),
    FlowCounts(flow_counts::FlowCountsArgs),
    Compress(compress::CompressArgs),
    Decompress(decompress::DecompressArgs),
    Replay(replay::ReplayArgs),
    CompareEncoders(compare_encoders::CompareEncodersArgs),
    Report(report::ReportArgs),
    Demux(demux::DemuxArgs),
    Info(info::InfoArgs),
    Convert(convert::ConvertArgs),
    Guess(guess::GuessArgs),
    Regs(regs::RegsArgs),
    Records(records::RecordsArgs),
    Profile(Box<profile::ProfileArgs>),
    Diff(Box<diff::DiffArgs>),
    Target(target::TargetArgs),
    Completions(shell::CompletionsArgs),
    Man(shell::ManArgs),
}

impl Command {
    /// Runs the command; `hardware` decodes if the options ask for it.
    ///
    /// # Errors
    /// A message that says what to do.
    pub fn run(&self, hardware: &dyn Hardware) -> Result<Outcome> {
        match self {
            Command::Packets(args) => packets::run(args, hardware),
            Command::Elements(args) => elements::run(args),
            Command::Messages(args) => messages::run(args),
            Command::Transfers(args) => transfers::run(args),
            Command::Flow(args) => flow::run(args),
            Command::FlowTable(args) => flow_table::run(args),
            Command::FlowCounts(args) => flow_counts::run(args),
            Command::Compress(args) => compress::run(args),
            Command::Decompress(args) => decompress::run(args),
            Command::Replay(args) => replay::run(args),
            Command::CompareEncoders(args) => compare_encoders::run(args),
            Command::Report(args) => report::run(args),
            Command::Demux(args) => demux::run(args),
            Command::Info(args) => info::run(args),
            Command::Convert(args) => convert::run(args),
            Command::Guess(args) => guess::run(args),
            Command::Regs(args) => regs::run(args),
            Command::Records(args) => records::run(args),
            Command::Profile(args) => profile::run(args),
            Command::Diff(args) => diff::run(args),
            Command::Target(args) => target::run(args, hardware),
            Command::Completions(args) => shell::completions(args),
            Command::Man(args) => shell::man(args),
        }
    }
}

/// Runs the command that the program's arguments name.
pub fn main() -> ExitCode {
    error::exit_code(Cli::parse().command.run(&NoHardware))
}
