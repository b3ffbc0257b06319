// SPDX-License-Identifier: MIT OR Apache-2.0
//! A progress bar for long work.

use std::io::{IsTerminal, stdout};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// No bar is shown for work shorter than this.
const PATIENCE: Duration = Duration::from_millis(700);

const TEMPLATE: &str = "{msg} [{bar:30}] {percent}%, {eta} left";

/// How often the bar reads the clock in total.
const LOOKS: u64 = 1000;

/// A bar on standard error. There is none unless standard error is a terminal, and none if the
/// results go to a terminal too: then the results themselves show progress.
///
/// Work comes in parts, each counted from 0, in units of any kind.
pub struct Progress {
    message: &'static str,
    total: u64,
    /// Units of the parts before this one.
    before: u64,
    /// Units of this part.
    done: u64,
    /// The unit at which to read the clock next.
    next_look: u64,
    start: Instant,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// A bar for this many units of work in total, not shown yet.
    pub fn new(message: &'static str, total: u64) -> Progress {
        Progress {
            message,
            total,
            before: 0,
            done: 0,
            next_look: 0,
            start: Instant::now(),
            bar: None,
        }
    }

    /// Units of this part done so far; a smaller number than before starts the next part.
    pub fn part(&mut self, done: u64) {
        if done < self.done {
            self.before += self.done;
        }
        self.done = done;
        if self.position() >= self.next_look {
            self.next_look = self.position() + self.total / LOOKS;
            self.show();
        }
    }

    fn position(&self) -> u64 {
        self.before + self.done
    }

    fn show(&mut self) {
        if self.bar.is_none() && self.start.elapsed() > PATIENCE && !stdout().is_terminal() {
            // Draws on standard error, if that is a terminal.
            let bar = ProgressBar::new(self.total).with_message(self.message);
            if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
                bar.set_style(style);
            }
            self.bar = Some(bar);
        }
        if let Some(bar) = &self.bar {
            bar.set_position(self.position());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_add_up() {
        let mut progress = Progress::new("test", 30);
        for done in [5, 10, 1, 10, 3] {
            progress.part(done);
        }
        assert_eq!(progress.position(), 23);
    }
}
