// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 target stop`: undoes what a session did, also one that was killed.

use std::path::{Path, absolute};

use anyhow::{Result, ensure};
use clap::Args;
use coretrace_target::plan::Part;
use coretrace_target::wrappers::{Barred, Guarded};
use coretrace_target::{Bus, Journal, Time, intrusions, undo, undo_steps};
use coretrace_target_buses::linux::Access;

use crate::error::{Outcome, say};
use crate::hardware::Hardware;
use crate::target::bus::BusArgs;
use crate::target::chip::Chip;
use crate::target::obstacle::barred;
use crate::target::report;
use crate::target::session::{Past, Session};
use crate::target::signals;

/// Flush and end trace, and give everything back
#[derive(Debug, Args)]
pub struct StopArgs {
    /// Only if nobody wants it: its process was killed before a `start` or a `stop` was done, or in a `capture`
    #[arg(long)]
    stale: bool,

    #[command(flatten)]
    bus: BusArgs,
}

/// Runs the command.
///
/// # Errors
/// If there is no session, or its files cannot be used.
pub fn run(args: &StopArgs, hardware: &dyn Hardware) -> Result<Outcome> {
    let folder = args.bus.session();
    if !folder.exists() {
        return nothing(args, &folder);
    }
    let Some(session) = Session::take(&folder)? else {
        return Ok(report::in_use());
    };
    if !session.is_begun() {
        return nothing(args, &folder);
    }
    let Some(Past {
        chip,
        bus,
        mut journal,
    }) = session.resume()?
    else {
        say("note: this session did nothing");
        return Ok(Outcome::Complete);
    };
    if bus != args.bus.bus.to_string() {
        return Ok(report::refused(
            &format!("this session is one of another chip: its bus is {bus}"),
            &format!("stop it with --bus {bus}"),
        ));
    }
    if args.stale && journal.is_kept() {
        say("note: this session is wanted: without --stale it is stopped");
        return Ok(Outcome::Complete);
    }
    signals::note()?;
    let mut bus = args.bus.open(&chip, Access::ReadWrite, &[], hardware)?;
    let mut time = bus.time();
    let stopped = stop(&session, &chip, &mut bus, &mut *time, &mut journal);
    bus.warn();
    stopped
}

/// There is no session. A service asks for the end of one that may not be there; a user has perhaps another one.
fn nothing(args: &StopArgs, folder: &Path) -> Result<Outcome> {
    let folder = absolute(folder)?;
    ensure!(
        args.stale,
        "no session is in {}: --session names another folder, and `etm4 target status` reads what runs",
        folder.display()
    );
    say(&format!("note: no session is in {}", folder.display()));
    Ok(Outcome::Complete)
}

/// Undoes a session; if nothing is left, it ends. Says what others did to its components meanwhile.
///
/// # Errors
/// If its files cannot be removed.
pub fn stop(
    session: &Session<'_>,
    chip: &Chip,
    bus: &mut dyn Bus,
    time: &mut dyn Time,
    journal: &mut Journal,
) -> Result<Outcome> {
    let topology = &chip.topology;
    let mut parts: Vec<Part> = Vec::new();
    for step in undo_steps(topology, journal) {
        if !parts.contains(&step.part) {
            parts.push(step.part);
        }
    }
    let parts = barred(&session.bus()?, topology, &parts);
    let bus = Barred {
        bus,
        topology,
        parts,
    };
    let mut bus = Guarded::new(topology, bus);
    for (component, intrusion) in intrusions(topology, journal, &mut bus, time) {
        let name = &topology.components[component].name;
        say(&format!("warning: {name}: {intrusion}"));
    }
    let failures = undo(topology, journal, &mut bus, time);
    if failures.is_empty() {
        session.end()?;
    }
    Ok(report::left(&failures))
}
