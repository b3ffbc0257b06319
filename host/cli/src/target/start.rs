// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 target start`: makes the accesses of a plan.

use anyhow::{Result, ensure};
use clap::Args;
use coretrace_target::wrappers::Guarded;
use coretrace_target::{Bus, Ending, Journal, Plan, execute};
use coretrace_target_sim::Ticks;

use crate::error::{Outcome, say};
use crate::output::Output;
use crate::target::bus::BusArgs;
use crate::target::chip::Chip;
use crate::target::report;
use crate::target::session::{Begun, Session};
use crate::target::wish::{Wish, WishArgs};

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
pub fn run(args: &StartArgs) -> Result<Outcome> {
    let Wish {
        chip,
        plan,
        receiver,
    } = args.wish.plan()?;
    ensure!(
        receiver.is_none(),
        "nobody would read the records of a core: use `etm4 target capture`"
    );
    let session = Session::of(&args.bus.session);
    let mut bus = args.bus.open(&chip)?;
    let outcome = match begin(&session, &chip, &plan)? {
        Start::Runs => Outcome::Complete,
        Start::Refused(outcome) => return Ok(outcome),
        Start::New(mut journal) => start(&session, &chip, &plan, &mut bus, &mut journal)?,
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
    /// A session with its journal.
    New(Journal),
    /// It runs already.
    Runs,
    /// Another one is in the way.
    Refused(Outcome),
}

/// Begins a session, and says why not.
///
/// # Errors
/// If its files cannot be used.
pub fn begin(session: &Session<'_>, chip: &Chip, plan: &Plan) -> Result<Start> {
    Ok(match session.begin(chip, plan)? {
        Begun::New(journal) => Start::New(journal),
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

/// Starts a session that was begun; if that fails and nothing is left to undo, it ends.
///
/// # Errors
/// If its files cannot be removed.
pub fn start(
    session: &Session<'_>,
    chip: &Chip,
    plan: &Plan,
    bus: &mut dyn Bus,
    journal: &mut Journal,
) -> Result<Outcome> {
    let mut guarded = Guarded::new(&chip.topology, bus);
    let mut time = Ticks::default();
    let ending = execute(
        &chip.topology,
        &plan.steps,
        &mut guarded,
        &mut time,
        journal,
    );
    if matches!(ending, Ending::Refused(_) | Ending::Undone(_)) {
        session.end()?;
    }
    Ok(report::ending(&ending))
}
