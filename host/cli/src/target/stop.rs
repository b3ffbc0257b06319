// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 target stop`: undoes what a session did, also one that was killed.

use anyhow::Result;
use clap::Args;
use coretrace_target::{Bus, Journal, Time, undo};
use coretrace_target_buses::linux::Access;

use crate::error::{Outcome, say};
use crate::hardware::Hardware;
use crate::target::bus::BusArgs;
use crate::target::chip::Chip;
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
/// If the files of the session cannot be used.
pub fn run(args: &StopArgs, hardware: &dyn Hardware) -> Result<Outcome> {
    let folder = &args.bus.session;
    let nothing = || {
        say(&format!("note: no session is in {}", folder.display()));
        Ok(Outcome::Complete)
    };
    if !folder.exists() {
        return nothing();
    }
    let Some(session) = Session::take(folder)? else {
        return Ok(report::in_use());
    };
    let Some(Past {
        chip,
        bus,
        mut journal,
    }) = session.resume()?
    else {
        return nothing();
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
    stop(&session, &chip, &mut bus, &mut *time, &mut journal)
}

/// Undoes a session; if nothing is left, it ends.
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
    let failures = undo(&chip.topology, journal, bus, time);
    if failures.is_empty() {
        session.end()?;
    }
    Ok(report::left(&failures))
}
