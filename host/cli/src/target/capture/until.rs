// SPDX-License-Identifier: MIT OR Apache-2.0
//! How long a capture goes on.

use std::ffi::OsString;
use std::process::{Child, Command, ExitStatus};
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::error::say;
use crate::target::signals;

/// Time between two looks.
const LOOK: Duration = Duration::from_millis(10);

/// When a capture is over, unless a signal comes before.
pub enum Until {
    /// When this time has passed.
    Time(Duration),
    /// When a command has ended.
    Command(String, Child),
}

/// The end of a capture.
pub enum Over {
    /// Not yet: so much time passes until the next look.
    Not(Duration),
    /// The time has passed, or a signal came.
    Now,
    /// The command has ended.
    Ended(String),
}

impl Until {
    /// Starts a command.
    ///
    /// # Errors
    /// If there is no such program.
    pub fn command(words: &[OsString]) -> Result<Until> {
        let (program, arguments) = words.split_first().context("there is no command")?;
        let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
        let text = words.join(" ");
        let child = Command::new(program).args(arguments).spawn();
        let child = child.with_context(|| format!("cannot run {text}"))?;
        Ok(Until::Command(text, child))
    }

    /// Whether it is over. Waits a little for a command that still runs.
    ///
    /// # Errors
    /// If the command cannot be waited for.
    pub fn look(&mut self) -> Result<Over> {
        if signals::asked() {
            say("note: a signal ended the capture");
            return Ok(Over::Now);
        }
        match self {
            Until::Time(Duration::ZERO) => Ok(Over::Now),
            Until::Time(left) => {
                let step = LOOK.min(*left);
                *left -= step;
                Ok(Over::Not(step))
            }
            Until::Command(text, child) => match child.try_wait()? {
                None => {
                    sleep(LOOK);
                    Ok(Over::Not(LOOK))
                }
                Some(status) => Ok(Over::Ended(ended(text, status))),
            },
        }
    }
}

/// Says how a command ended.
fn ended(text: &str, status: ExitStatus) -> String {
    let ended = format!("{text}: {status}");
    say(&format!("note: {ended}"));
    ended
}
