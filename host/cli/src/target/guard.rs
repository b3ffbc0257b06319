// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 target guard`: a process that undoes a session whose own process has died.
//!
//! A session on a machine starts it before its first write, with a pipe. It waits for the end of the pipe: a
//! byte says that all is well, and an end without a byte that the process has died.

use std::env::current_exe;
use std::io::{Read, Write, stdin};
use std::process::{Child, ChildStdin, Command, Stdio};

use anyhow::{Context, Result};
use clap::Args;
use coretrace_target_buses::linux::Access;

use crate::error::{Outcome, say};
use crate::hardware::Hardware;
use crate::target::bus::BusArgs;
use crate::target::session::{Past, Session};
use crate::target::signals;
use crate::target::stop::stop;

/// Wait for the end of a session on standard input, and undo it if it dies
#[derive(Debug, Args)]
pub struct GuardArgs {
    #[command(flatten)]
    bus: BusArgs,
}

/// Runs the command.
///
/// # Errors
/// If the files of the session or the bus cannot be used.
pub fn run(args: &GuardArgs, hardware: &dyn Hardware) -> Result<Outcome> {
    signals::note()?;
    let mut word = Vec::new();
    stdin().take(1).read_to_end(&mut word)?;
    if !word.is_empty() {
        return Ok(Outcome::Complete);
    }
    let folder = args.bus.session();
    let session = Session::wait(&folder)?;
    let Some(Past {
        chip, mut journal, ..
    }) = session.resume()?
    else {
        return Ok(Outcome::Complete);
    };
    say("note: the process of the session has died, and its guard undoes what it did");
    let mut bus = args.bus.open(&chip, Access::ReadWrite, &[], hardware)?;
    let mut time = bus.time();
    stop(&session, &chip, &mut bus, &mut *time, &mut journal)
}

/// A guard that was posted. If it is not dismissed, it acts when this process ends.
pub struct Guard {
    process: Child,
    pipe: ChildStdin,
}

impl Guard {
    /// Posts a guard, if the bus has one.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn post(args: &BusArgs) -> Result<Option<Guard>> {
        if !args.bus.has_guard() {
            return Ok(None);
        }
        let mut command = Command::new(current_exe().context("cannot find this program")?);
        command
            .args([
                "target",
                "guard",
                "--bus",
                &args.bus.to_string(),
                "--session",
            ])
            .arg(&*args.session())
            .stdin(Stdio::piped())
            .stdout(Stdio::null());
        // What a terminal sends to this process is not for it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut process = command.spawn().context("cannot start the guard")?;
        let pipe = process.stdin.take().context("the guard has no pipe")?;
        Ok(Some(Guard { process, pipe }))
    }

    /// All is well: the guard ends.
    ///
    /// # Errors
    /// If it has died.
    pub fn dismiss(mut self) -> Result<()> {
        let sent = self.pipe.write_all(b".");
        sent.and_then(|()| self.process.wait())
            .context("the guard has died")?;
        Ok(())
    }
}
