// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 target`: sets up trace on a chip, captures, and undoes the set-up.
//!
//! | module | what it holds |
//! |---|---|
//! | `chip` | the topology that the user names |
//! | `wish` | what is traced, where to, and how: the arguments of a plan |
//! | `bus`, `obstacle` | which bus the accesses go to, and what is in the way of a session there |
//! | `machine`, `recording` | the simulated chip, which lives in the folder of the session |
//! | `number`, `clocks` | numbers in arguments, and what is done with clocks |
//! | `lock`, `signals` | one process at a time uses a session, and a signal ends it in order |
//! | `counters` | what a core has counted |
//! | `guard` | a process that undoes a session whose own process has died |
//! | `session` | the files of a session, from which it is undone |
//! | `report` | how a session ended, in words and exit codes |
//! | `list`, `discover`, `device_tree`, `plan`, `start`, `stop`, `status`, `capture`, `pattern` | the commands |

mod bus;
mod capture;
mod chip;
mod clocks;
mod counters;
mod device_tree;
mod discover;
mod guard;
mod list;
mod lock;
mod machine;
mod number;
mod obstacle;
mod pattern;
mod plan;
mod recording;
mod report;
mod session;
mod signals;
mod start;
mod status;
mod stop;
mod wish;

use anyhow::Result;
use clap::{Args, Subcommand};

use crate::error::Outcome;
use crate::hardware::Hardware;

const EXAMPLES: &str = "\
`plan` prints every access before it is made, with its reason. `start` makes these accesses and no other.
What it did is in the folder of the session, so that `stop` undoes a session that was killed, too.
The buses are the Linux of the chip, OpenOCD, and a simulator; no preset was run on a board.

The exit status is 0 when the work is done, 1 when a pattern or a component is not as it should be, 2 for wrong use, 3 when a check failed before anything was
written, 4 when a step failed and everything was undone, and 5 when something could not be undone.

Examples:
  etm4 target list
  etm4 target discover --topology zynqmp --bus sim
  etm4 target plan --topology zynqmp --cpu 0 --explain
  etm4 target start --topology zynqmp --cpu 0,1 --bus sim
  etm4 target status --topology zynqmp --bus sim
  etm4 target stop --bus sim
  etm4 target pattern --topology zynqmp --bus sim
  etm4 target capture --topology zynqmp --cpu 0 --rs --bus sim:trace=testbench/traces/sort-a64 --out sort";

/// Set up trace on a chip, from its cores to a trace port or buffer, and undo it
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct TargetArgs {
    #[command(subcommand)]
    command: TargetCommand,
}

#[derive(Debug, Subcommand)]
enum TargetCommand {
    List(list::ListArgs),
    Discover(discover::DiscoverArgs),
    DeviceTree(device_tree::DeviceTreeArgs),
    Plan(plan::PlanArgs),
    Start(start::StartArgs),
    Stop(stop::StopArgs),
    Status(status::StatusArgs),
    Capture(capture::CaptureTargetArgs),
    Pattern(pattern::PatternArgs),
    #[command(hide = true)]
    Guard(guard::GuardArgs),
}

/// Runs the command; `hardware` has the core of a simulated chip, if it is asked for.
///
/// # Errors
/// If a name, an option or a file cannot be used.
pub fn run(args: &TargetArgs, hardware: &dyn Hardware) -> Result<Outcome> {
    match &args.command {
        TargetCommand::List(_) => Ok(list::run()),
        TargetCommand::DeviceTree(args) => device_tree::run(args),
        TargetCommand::Discover(args) => discover::run(args, hardware),
        TargetCommand::Plan(args) => plan::run(args),
        TargetCommand::Start(args) => start::run(args, hardware),
        TargetCommand::Stop(args) => stop::run(args, hardware),
        TargetCommand::Status(args) => status::run(args, hardware),
        TargetCommand::Capture(args) => capture::run(args, hardware),
        TargetCommand::Pattern(args) => pattern::run(args, hardware),
        TargetCommand::Guard(args) => guard::run(args, hardware),
    }
}
