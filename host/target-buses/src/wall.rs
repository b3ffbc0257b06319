// SPDX-License-Identifier: MIT OR Apache-2.0
//! Time as it passes.

use std::thread::sleep;
use std::time::{Duration, Instant};

use coretrace_target::Time;

/// Time between two reads of a wait.
const PAUSE: Duration = Duration::from_micros(50);

/// The clock of the machine that runs the program.
#[derive(Clone, Copy, Debug)]
pub struct Wall(Instant);

impl Default for Wall {
    fn default() -> Wall {
        Wall(Instant::now())
    }
}

impl Time for Wall {
    fn now(&mut self) -> Duration {
        self.0.elapsed()
    }

    fn pause(&mut self) {
        sleep(PAUSE);
    }
}
