// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 target capture`: a session from start to stop, and its trace as a capture folder.

mod core;
mod folder;
mod source;

use std::path::PathBuf;

use anyhow::{Result, bail, ensure};
use clap::Args;
use coretrace_target::wrappers::Recorded;

use crate::error::{Outcome, say};
use crate::target::bus::BusArgs;
use crate::target::capture::core::Client;
use crate::target::capture::folder::Folder;
use crate::target::capture::source::sources;
use crate::target::machine::Machine;
use crate::target::session::Session;
use crate::target::start::{Start, begin, start};
use crate::target::stop::stop;
use crate::target::wish::WishArgs;

/// Ticks of a simulated second.
const SECOND: f64 = 1e5;

/// Ticks between two visits of the records of a core.
const VISIT: usize = 1000;

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
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0)]
    seconds: f64,

    /// The folder to make. Trace shows what every process does, so only its owner can read it
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
}

/// Runs the command.
///
/// # Errors
/// If there is no plan, it has several sinks, or files cannot be used.
pub fn run(args: &CaptureTargetArgs) -> Result<Outcome> {
    ensure!(
        (0.0..=LONGEST).contains(&args.seconds),
        "--seconds is 0 to {LONGEST}"
    );
    let wish = args.wish.plan()?;
    let (chip, plan) = (&wish.chip, &wish.plan);
    let sink = folder::sink(plan)?;
    let mut machine = args.bus.open(chip)?;
    let out = Folder::make(&args.out)?;
    let session = Session::of(&args.bus.session);
    let mut journal = match begin(&session, chip, plan)? {
        Start::New(journal) => journal,
        Start::Runs => {
            bail!("a capture is a session of its own: end this one with `etm4 target stop`")
        }
        Start::Refused(outcome) => return out.discard(outcome),
    };
    let mut client = match wish.receiver {
        Some(receiver) => Some(Client::new(&chip.topology, receiver, &mut machine)?),
        None => None,
    };
    let mut bus = Recorded::new(&mut machine);
    let started = start(&session, chip, plan, &mut bus, &mut journal)?;
    if started != Outcome::Complete {
        return out.discard(started);
    }
    let mut log = bus.log;
    let ticks = (args.seconds * SECOND) as usize;
    let received = match &mut client {
        None => machine.run(ticks),
        Some(client) => receive(client, &mut machine, ticks),
    };
    let mut bus = Recorded::new(&mut machine);
    let outcome = stop(&session, chip, &mut bus, &mut journal)?;
    received?;
    log.extend(bus.log);
    for loss in machine.losses() {
        say(&format!("warning: {loss}"));
    }
    out.store_session(plan, &log)?;
    if let Some(client) = client {
        let received = client.finish(&mut machine)?;
        out.store_records(&received.words, &received.counters)?;
        return Ok(outcome);
    }
    out.store_trace(machine.received(sink))?;
    let sources = sources(&chip.topology, plan, &journal);
    if let Some(recording) = &machine.recording {
        recording.compare(&sources);
    }
    out.store_description(&chip.topology, sink, &sources, machine.recording.as_ref())?;
    Ok(outcome)
}

/// Lets time pass, and takes records between.
fn receive(client: &mut Client, machine: &mut Machine, ticks: usize) -> Result<()> {
    client.count(machine)?;
    let mut left = ticks;
    while left > 0 {
        let step = left.min(VISIT);
        machine.run(step)?;
        client.take(machine)?;
        left -= step;
    }
    Ok(())
}
