// SPDX-License-Identifier: MIT OR Apache-2.0
//! The `etm4` command line tool: what it reads, what it runs and what it prints.
//!
//! Results go to standard output and everything else to standard error. The exit status is 0 when the
//! command did its work, 1 when nothing could be decoded or `--strict` found damage, and 2 for wrong
//! use or input that cannot be read as a capture.
#![forbid(unsafe_code)]

mod capture_args;
mod demux;
mod engine;
pub mod error;
pub mod filter;
pub mod hardware;
mod info;
mod listing_format;
pub mod output;
mod packets;
mod profile;
pub mod progress;
mod records;
pub mod selection;
mod stream_file;
mod tally;
pub mod trace_id;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};
use error::Outcome;
use hardware::{Hardware, NoHardware};

/// Decode ETMv4 and ETE trace captures, and read what the cores store.
#[derive(Debug, Parser)]
#[command(name = "etm4", version, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples, from the root of the repository:
  etm4 packets testbench/traces/sort-a64    list the packets of a capture
  etm4 demux testbench/traces/framed        list the bytes of each trace ID
  etm4 records sort.words                   list the records that a core stored
  etm4 profile sort.words                   add up what a core stored
  etm4 packets --help                       options and examples of a command";

/// The commands of `etm4`.
#[derive(Debug, Subcommand)]
#[expect(missing_docs, reason = "each is described by its arguments")]
pub enum Command {
    Packets(packets::PacketsArgs),
    Demux(demux::DemuxArgs),
    Info(info::InfoArgs),
    Records(records::RecordsArgs),
    Profile(profile::ProfileArgs),
}

impl Command {
    /// Runs the command; `hardware` decodes if the options ask for it.
    ///
    /// # Errors
    /// A message that says what to do.
    pub fn run(&self, hardware: &dyn Hardware) -> Result<Outcome> {
        match self {
            Command::Packets(args) => packets::run(args, hardware),
            Command::Demux(args) => demux::run(args),
            Command::Info(args) => info::run(args),
            Command::Records(args) => records::run(args),
            Command::Profile(args) => profile::run(args),
        }
    }
}

/// Runs the command that the program's arguments name.
pub fn main() -> ExitCode {
    error::exit_code(Cli::parse().command.run(&NoHardware))
}
