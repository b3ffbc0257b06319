// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 target start`: makes the accesses of a plan.

use anyhow::{Result, ensure};
use clap::Args;
use coretrace_target::wrappers::{Guarded, Interruptible};
use coretrace_target::{Bus, Ending, Journal, Plan, Time, execute, not_taken};
use coretrace_target_buses::linux::Access;

use crate::error::{Outcome, say};
use crate::hardware::Hardware;
use crate::output::Output;
use crate::target::bus::BusArgs;
use crate::target::chip::Chip;
use crate::target::guard::Guard;
use crate::target::obstacle::of_wish;
use crate::target::report;
use crate::target::session::{Begun, Session};
use crate::target::signals;
use crate::target::wish::WishArgs;

/// Set trace up and let it run
#[derive(Debug, Args)]
pub struct StartArgs {
    #[command(flatten)]
    wish: WishArgs,

    #[command(flatten)]
    bus: BusArgs,
}

/// Runs the command.
///
/// # Errors
/// If there is no plan, or the files of the session cannot be used.
pub fn run(args: &StartArgs, hardware: &dyn Hardware) -> Result<Outcome> {
    let wish = args.wish.plan()?;
    let (chip, plan) = (&wish.chip, &wish.plan);
    ensure!(
        wish.receiver.is_none(),
        "nobody would read the records of a core: use `etm4 target capture`"
    );
    signals::note()?;
    let folder = args.bus.session();
    let Some(session) = Session::take(&folder)? else {
        return Ok(report::in_use());
    };
    if let Some(outcome) = of_wish(&args.bus.bus, &wish) {
        return Ok(outcome);
    }
    let mut bus = args.bus.open(chip, Access::ReadWrite, &[], hardware)?;
    let mut time = bus.time();
    let outcome = match begin(&session, chip, plan, &args.bus)? {
        Start::Runs => Outcome::Complete,
        Start::Refused(outcome) => return Ok(outcome),
        Start::New(mut journal, guard) => {
            let started = start(&session, chip, plan, &mut bus, &mut *time, &mut journal)?;
            if started == Outcome::Complete {
                journal.keep();
            }
            guard.map_or(Ok(()), Guard::dismiss)?;
            bus.warn();
            started
        }
    };
    if outcome == Outcome::Complete {
        let mut output = Output::new();
        for (unit, id) in &plan.trace_ids {
            let name = &chip.topology.components[*unit].name;
            output
                .text
                .push_str(&format!("{name} has trace ID {id:#04x}\n"));
        }
        output.finish();
    }
    Ok(outcome)
}

/// What there is before a start.
pub enum Start {
    /// A session with its journal, and with its guard if the bus has one.
    New(Journal, Option<Guard>),
    /// It runs already.
    Runs,
    /// Another one is in the way.
    Refused(Outcome),
}

/// Begins a session on a bus, with a guard, and says why not.
///
/// # Errors
/// If its files cannot be used, or no guard can be posted; then there is no session.
pub fn begin(session: &Session<'_>, chip: &Chip, plan: &Plan, bus: &BusArgs) -> Result<Start> {
    Ok(match session.begin(chip, plan, &bus.bus)? {
        Begun::New(journal) => Start::New(journal, session.or_end(Guard::post(bus))?),
        Begun::Runs => {
            say("note: this session runs already");
            Start::Runs
        }
        Begun::Other => Start::Refused(report::refused(
            "another session runs, or was not ended",
            "end it with `etm4 target stop`, or use another --session",
        )),
    })
}

/// Starts a session that was begun; if that fails or a signal comes, and nothing is left to undo, it ends.
///
/// # Errors
/// If its files cannot be removed.
pub fn start(
    session: &Session<'_>,
    chip: &Chip,
    plan: &Plan,
    bus: &mut dyn Bus,
    time: &mut dyn Time,
    journal: &mut Journal,
) -> Result<Outcome> {
    let guarded = Guarded::new(&chip.topology, bus);
    let mut bus = Interruptible::new(guarded, signals::asked);
    let ending = execute(&chip.topology, &plan.steps, &mut bus, time, journal);
    if matches!(ending, Ending::Refused(_) | Ending::Undone(_)) {
        session.end()?;
    }
    if ending == Ending::Done {
        for register in not_taken(journal) {
            say(&format!("warning: {register}"));
        }
    }
    Ok(report::ending(&ending))
}
