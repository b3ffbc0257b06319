// SPDX-License-Identifier: MIT OR Apache-2.0
//! Time for waits, without waiting.

use std::time::Duration;

use coretrace_target::Time;

/// A clock that goes on by a millisecond at each pause.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ticks(u32);

impl Time for Ticks {
    fn now(&mut self) -> Duration {
        Duration::from_millis(self.0.into())
    }

    fn pause(&mut self) {
        self.0 += 1;
    }
}
