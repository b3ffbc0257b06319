// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 target capture`: a session from start to stop, and its trace as a capture folder.

mod core;
mod folder;
mod source;
mod until;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use clap::Args;
use coretrace_target::BusError;
use coretrace_target::wrappers::{Drained, Draining, Recorded};
use coretrace_target_buses::linux::Access;

use crate::error::{Outcome, say};
use crate::hardware::Hardware;
use crate::target::bus::{BusArgs, Name, Opened};
use crate::target::capture::core::Client;
use crate::target::capture::folder::{End, Folder};
use crate::target::capture::source::sources;
use crate::target::capture::until::{Over, Until};
use crate::target::guard::Guard;
use crate::target::obstacle::of_wish;
use crate::target::report;
use crate::target::session::Session;
use crate::target::signals;
use crate::target::start::{Start, begin, start};
use crate::target::stop::stop;
use crate::target::wish::WishArgs;

/// Seconds of a capture, at most.
const LONGEST: f64 = 1e3;

/// Set trace up, capture, undo the set-up, and store what was captured
#[derive(Debug, Args)]
pub struct CaptureTargetArgs {
    #[command(flatten)]
    wish: WishArgs,

    #[command(flatten)]
    bus: BusArgs,

    /// How long it captures; a simulated second is 100,000 accesses
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 1.0,
        allow_negative_numbers = true,
        conflicts_with = "command"
    )]
    seconds: f64,

    /// The folder to make. Trace shows what every process does, so only its owner can read it
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,

    /// A command: the capture begins before it and ends with it
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// Runs the command.
///
/// # Errors
/// If there is no plan, it has several sinks, or files cannot be used.
pub fn run(args: &CaptureTargetArgs, hardware: &dyn Hardware) -> Result<Outcome> {
    ensure!(
        (0.0..=LONGEST).contains(&args.seconds),
        "--seconds is 0 to {LONGEST}"
    );
    let wish = args.wish.plan()?;
    let (chip, plan) = (&wish.chip, &wish.plan);
    let sink = folder::sink(plan)?;
    let component = &chip.topology.components[sink];
    let buffer = plan.buffer(&chip.topology);
    let is_simulated = matches!(args.bus.bus, Name::Sim(..));
    ensure!(
        is_simulated || wish.receiver.is_some() || buffer.is_some(),
        "a capture on a machine ends in a trace buffer or a core: --sink core is what is behind a port"
    );
    if let Some(outcome) = of_wish(&args.bus.bus, &wish) {
        return Ok(outcome);
    }
    let ring = wish.receiver.map(|(_, ring)| ring.range());
    let mut machine = args
        .bus
        .open(chip, Access::ReadWrite, ring.as_slice(), hardware)?;
    let mut time = machine.time();
    signals::note()?;
    let out = Folder::make(&args.out)?;
    let records = wish.receiver.map(|_| out.records(&chip.topology));
    let records = records.transpose()?;
    let folder = args.bus.session();
    let Some(session) = Session::take(&folder)? else {
        return Ok(report::in_use());
    };
    let (mut journal, guard) = match begin(&session, chip, plan, &args.bus)? {
        Start::New(journal, guard) => (journal, guard),
        Start::Runs => {
            return Ok(report::refused(
                "a capture is a session of its own",
                "end this one with `etm4 target stop`, or use another --session",
            ));
        }
        Start::Refused(outcome) => return Ok(outcome),
    };
    let client = wish
        .receiver
        .zip(records)
        .map(|(receiver, records)| Client::new(&chip.topology, receiver, records, &mut machine));
    let mut client = session.or_end(client.transpose())?;
    let mut bus = Recorded::new(&mut machine);
    let started = start(&session, chip, plan, &mut bus, &mut *time, &mut journal)?;
    if started != Outcome::Complete {
        guard.map_or(Ok(()), Guard::dismiss)?;
        return Ok(started);
    }
    let mut log = bus.log;
    let sources = sources(&chip.topology, plan, &journal);
    let begun = client.as_mut().map_or(Ok(()), |client| {
        client.count(&mut machine)?;
        out.describe_records(&chip.topology, &sources, &client.counters(), End::NotYet)
    });
    let about = begun.and_then(|()| watch(args, client.as_mut(), &mut machine));
    let mut bus = Draining::new(Recorded::new(&mut machine), &chip.topology, buffer);
    let outcome = stop(&session, chip, &mut bus, &mut *time, &mut journal)?;
    guard.map_or(Ok(()), Guard::dismiss)?;
    let about = match about {
        Ok(about) => about,
        Err(error) => {
            if outcome == Outcome::Complete {
                return Err(error);
            }
            say(&format!("error: {error:#}"));
            return Ok(outcome);
        }
    };
    let drained = bus.drained;
    log.extend(bus.bus.log);
    if buffer.is_some() && drained.is_none() {
        let name = &component.name;
        say(&format!(
            "error: {name} was not read, because the stop did not reach it"
        ));
        return Ok(outcome);
    }
    out.keep();
    machine.warn();
    out.store_session(plan, &log)?;
    if let Some(recording) = machine.simulated().and_then(|of| of.recording.as_ref()) {
        recording.compare(&sources);
    }
    if let Some(client) = client {
        let received = client.finish(&mut machine)?;
        out.store_counters(&received.lines)?;
        out.describe_records(
            &chip.topology,
            &sources,
            &received.counters,
            End::Ended(about.as_deref()),
        )?;
        let dead = received.of_dead_port();
        if dead.is_none() || received.failure.is_some() {
            warn_of_nothing(received.bytes);
        }
        return Ok(match (received.failure, dead) {
            (Some(failure), _) => report::cut(&failure, outcome),
            (None, Some(counters)) => report::dead_port(&component.name, &counters, outcome),
            (None, None) => outcome,
        });
    }
    let simulated = machine.simulated();
    let read = drained
        .map(|drained| frames(&component.name, drained))
        .transpose()?;
    let trace = match &read {
        Some(trace) => trace,
        None => simulated.map_or(&[][..], |machine| machine.received(sink)),
    };
    out.store_trace(trace)?;
    warn_of_nothing(trace.len());
    out.store_description(&chip.topology, sink, &sources, simulated, about.as_deref())?;
    Ok(outcome)
}

/// Warns of a capture without a byte.
fn warn_of_nothing(bytes: usize) {
    if bytes == 0 {
        say(
            "warning: the capture is empty: nothing that is traced ran, or its trace did not get here",
        );
    }
}

/// The bytes of a trace buffer. Says if older trace was overwritten.
fn frames(name: &str, drained: Result<Drained, BusError>) -> Result<Vec<u8>> {
    let Drained { words, has_wrapped } =
        drained.with_context(|| format!("cannot read the trace of {name}"))?;
    if has_wrapped {
        let bytes = 4 * words.len();
        say(&format!(
            "note: {name} was full: the capture has the last {bytes} bytes of the trace"
        ));
    }
    Ok(words.iter().flat_map(|word| word.to_le_bytes()).collect())
}

/// Waits for the end of the capture, and takes records meanwhile. Returns what was traced, if it was a command.
fn watch(
    args: &CaptureTargetArgs,
    mut client: Option<&mut Client>,
    machine: &mut Opened,
) -> Result<Option<String>> {
    let mut until = match &args.command[..] {
        [] => Until::Time(Duration::from_secs_f64(args.seconds)),
        words => Until::command(words)?,
    };
    loop {
        match until.look()? {
            Over::Not(time) => drop(machine.pass(time)?),
            Over::Now => return Ok(None),
            Over::Ended(about) => return Ok(Some(about)),
        }
        if let Some(client) = &mut client
            && !client.take(machine)
        {
            return Ok(None);
        }
    }
}
