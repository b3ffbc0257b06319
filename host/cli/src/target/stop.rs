// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 target stop`: undoes what a session did, also one that was killed.

use anyhow::Result;
use clap::Args;
use coretrace_target::{Bus, Journal, undo};
use coretrace_target_sim::Ticks;

use crate::error::{Outcome, say};
use crate::target::bus::BusArgs;
use crate::target::chip::Chip;
use crate::target::report;
use crate::target::session::{Past, Session};

/// Flush and end trace, and give everything back
#[derive(Debug, Args)]
pub struct StopArgs {
    #[command(flatten)]
    bus: BusArgs,
}

/// Runs the command.
///
/// # Errors
/// If the files of the session cannot be used.
pub fn run(args: &StopArgs) -> Result<Outcome> {
    let session = Session::of(&args.bus.session);
    let Some(Past { chip, mut journal }) = session.resume()? else {
        say(&format!(
            "note: no session is in {}",
            args.bus.session.display()
        ));
        return Ok(Outcome::Complete);
    };
    let mut bus = args.bus.open(&chip)?;
    stop(&session, &chip, &mut bus, &mut journal)
}

/// Undoes a session; if nothing is left, it ends.
///
/// # Errors
/// If its files cannot be removed.
pub fn stop(
    session: &Session<'_>,
    chip: &Chip,
    bus: &mut dyn Bus,
    journal: &mut Journal,
) -> Result<Outcome> {
    let failures = undo(&chip.topology, journal, bus, &mut Ticks::default());
    if failures.is_empty() {
        session.end()?;
    }
    Ok(report::left(&failures))
}
