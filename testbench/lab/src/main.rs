// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4-lab`: every command of `etm4`, and commands that need the simulated hardware or generate
//! traces.
#![forbid(unsafe_code)]

mod generate;
mod hardware;
mod overload;
mod paths;
mod study;
mod throughput;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use etm4_cli::error::{Outcome, exit_code};
use hardware::SimulatedHardware;

/// Decode trace captures with the model or the simulated hardware, and generate captures.
#[derive(Debug, Parser)]
#[command(name = "etm4-lab", version = etm4_cli::VERSION, after_help = EXAMPLES)]
struct Lab {
    #[command(subcommand)]
    command: LabCommand,
}

const EXAMPLES: &str = "\
Examples, from the root of the repository:
  etm4-lab packets testbench/traces/sort-a64 --engine hw    decode in the simulated hardware
  etm4-lab gen new-capture --seed 7                         make a random capture
  etm4-lab throughput --preset etm4_jump_x4                 drive worst-case streams
  etm4-lab overload testbench/traces/framed                 a port that is too fast for the core
  etm4-lab study                                            bytes of a trace unit, and what holds them
  etm4-lab paths                                            a trace of 16 bytes in a cycle
  etm4-lab packets --help                                   options and examples of a command";

#[derive(Debug, Subcommand)]
enum LabCommand {
    #[command(flatten)]
    Host(etm4_cli::Command),
    Gen(generate::GenArgs),
    Throughput(throughput::ThroughputArgs),
    Overload(overload::OverloadArgs),
    Study(study::StudyArgs),
    Paths(paths::PathArgs),
}

fn main() -> ExitCode {
    exit_code(match Lab::parse().command {
        LabCommand::Host(command) => command.run(&SimulatedHardware),
        LabCommand::Gen(args) => generate::run(&args).map(|()| Outcome::Complete),
        LabCommand::Throughput(args) => throughput::run(&args).map(|()| Outcome::Complete),
        LabCommand::Study(args) => study::run(&args).map(|()| Outcome::Complete),
        LabCommand::Paths(args) => paths::run(&args).map(|()| Outcome::Complete),
        LabCommand::Overload(args) => overload::run(&args).map(|()| Outcome::Complete),
    })
}
