// SPDX-License-Identifier: MIT OR Apache-2.0
//! The `etm4` command line tool: what it reads, what it runs and what it prints.
//!
//! Results go to standard output and all else to standard error. The exit code is 0 when the
//! command did its work, however broken the trace is, and 2 for wrong use or input that cannot be
//! read as a capture.
#![forbid(unsafe_code)]

mod capture_args;
mod demux;
mod engine;
mod error;
mod generate;
mod listing_format;
mod output;
mod packets;
mod profile;
mod progress;
mod records;
mod selection;
mod stream_file;
mod tally;
#[cfg(feature = "hw")]
mod throughput;
mod trace_id;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// Decode ETMv4 and ETE trace captures, make some, and read what the cores store.
#[derive(Debug, Parser)]
#[command(name = "etm4", version, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples, from the root of the repository:
  etm4 packets testbench/harness/traces/sort-a64    list the packets of a capture
  etm4 demux testbench/harness/traces/framed        list the bytes of each trace ID
  etm4 gen new-capture --seed 7                     make a random capture
  etm4 records sort.words                           list the records that a core stored
  etm4 profile sort.words                           add up what a core stored
  etm4 packets --help                               options and examples of a command";

#[derive(Debug, Subcommand)]
enum Command {
    Packets(packets::PacketsArgs),
    Demux(demux::DemuxArgs),
    Gen(generate::GenArgs),
    Records(records::RecordsArgs),
    Profile(profile::ProfileArgs),
    #[cfg(feature = "hw")]
    Throughput(throughput::ThroughputArgs),
}

/// Runs the command that the program's arguments name.
pub fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Packets(args) => packets::run(&args),
        Command::Demux(args) => demux::run(&args),
        Command::Gen(args) => generate::run(&args),
        Command::Records(args) => records::run(&args),
        Command::Profile(args) => profile::run(&args),
        #[cfg(feature = "hw")]
        Command::Throughput(args) => throughput::run(&args),
    };
    exit_code(done)
}

fn exit_code(done: Result<()>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            error::say(&format!("error: {}", error::one_line(&error)));
            ExitCode::from(error::EXIT_CODE)
        }
    }
}
