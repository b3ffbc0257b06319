// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 target status`: what the components do now, and whether a session still has its own, by reads alone.

use anyhow::Result;
use clap::{Args, ValueEnum};
use coretrace_target::wrappers::{DryRun, Guarded};
use coretrace_target::{State, cores, note_intrusions, status};
use coretrace_target_buses::linux::Access;

use crate::error::{Outcome, one_line, say};
use crate::hardware::Hardware;
use crate::output::Output;
use crate::target::bus::{BusArgs, Name};
use crate::target::chip::ChipArgs;
use crate::target::obstacle::no_core;
use crate::target::session::Session;

/// Read what clocks and components do now, and write nothing
#[derive(Debug, Args)]
pub struct StatusArgs {
    #[command(flatten)]
    chip: ChipArgs,

    #[command(flatten)]
    bus: BusArgs,

    /// Also read the cores behind trace ports. Without a bitstream that has them this may hang the machine
    #[arg(long)]
    cores: bool,

    /// How the state is written
    #[arg(long, value_enum, default_value_t)]
    format: StatusFormat,
}

/// How a state is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum StatusFormat {
    /// A line for each clock and component
    #[default]
    Text,
    /// A JSON object for each
    Json,
}

/// Runs the command.
///
/// # Errors
/// If the chip or the bus cannot be used.
pub fn run(args: &StatusArgs, hardware: &dyn Hardware) -> Result<Outcome> {
    let chip = args.chip.open()?;
    if let Name::Linux(root) = &args.bus.bus
        && let Some(outcome) = no_core(root, args.cores)
    {
        return Ok(outcome);
    }
    let machine = args.bus.open(&chip, Access::Read, &[], hardware)?;
    let mut bus = Guarded::new(&chip.topology, DryRun(machine));
    let mut output = Output::new();
    let mut states = status(&chip.topology, &mut bus);
    match Session::look(&args.bus.session()) {
        Ok(Some(past)) if past.is_on(&chip, &args.bus.bus) => {
            note_intrusions(&chip.topology, &past.journal, &mut states);
        }
        Ok(_) => {}
        Err(error) => say(&format!("warning: {}", one_line(&error))),
    }
    if args.cores {
        states.extend(cores(&chip.topology, &mut bus));
    }
    for state in states {
        let line = match args.format {
            StatusFormat::Text => text(&state),
            StatusFormat::Json => json(&state),
        };
        output.text_of(&line);
    }
    output.finish();
    Ok(Outcome::Complete)
}

fn text(state: &State) -> String {
    let mut line = format!("{:<24} {:<12}", state.name, state.kind);
    for (name, value) in &state.registers {
        line += &format!(" {name}={value:X}");
    }
    if let Some(problem) = &state.problem {
        line += &format!(" {problem}");
    }
    line + "\n"
}

fn json(state: &State) -> String {
    let registers: serde_json::Map<String, serde_json::Value> = state
        .registers
        .iter()
        .map(|(name, value)| (name.clone(), (*value).into()))
        .collect();
    let object = serde_json::json!({
        "schema": "etm4.target-state.1",
        "name": state.name,
        "kind": state.kind,
        "registers": registers,
        "problem": state.problem,
    });
    format!("{object}\n")
}
