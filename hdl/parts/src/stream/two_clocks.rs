// SPDX-License-Identifier: MIT OR Apache-2.0
//! The rising edges of two clocks, for tests.

use rand::RngExt;
use rand::rngs::StdRng;

/// Which clocks rise at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edges {
    pub write: bool,
    pub read: bool,
}

/// Moments at which clocks rise, without end.
pub struct Schedule {
    periods: [u64; 2],
    next: [u64; 2],
    /// Moments at which the write clock stops, and for how long.
    stalls: Vec<(u64, u64)>,
}

impl Schedule {
    /// Two periods in any unit; both clocks rise at the first moment.
    pub fn new(write: u64, read: u64) -> Self {
        Schedule {
            periods: [write, read],
            next: [0, 0],
            stalls: vec![],
        }
    }

    /// Two periods that differ by a factor of four at most, in any phase.
    pub fn random(rng: &mut StdRng) -> Self {
        let (write, read) = (rng.random_range(100..400), rng.random_range(100..400));
        Schedule::new(write, read).in_any_phase(rng)
    }

    pub fn in_any_phase(mut self, rng: &mut StdRng) -> Self {
        self.next = self.periods.map(|period| rng.random_range(0..period));
        self
    }

    /// The write clock stops now and then, for up to forty of its periods.
    pub fn with_stalls(mut self, rng: &mut StdRng) -> Self {
        let period = self.periods[0];
        let mut at = 0;
        for _ in 0..10 {
            at += rng.random_range(0..60 * period);
            self.stalls.push((at, rng.random_range(0..40 * period)));
        }
        self
    }
}

impl Iterator for Schedule {
    type Item = Edges;

    fn next(&mut self) -> Option<Edges> {
        let stall = self.stalls.first().copied();
        if let Some((at, length)) = stall.filter(|(at, _)| *at <= self.next[0]) {
            self.next[0] = self.next[0].max(at + length);
            self.stalls.remove(0);
        }
        let now = self.next[0].min(self.next[1]);
        let rises = self.next.map(|next| next == now);
        for (clock, rises) in rises.into_iter().enumerate() {
            self.next[clock] += self.periods[clock] * u64::from(rises);
        }
        let [write, read] = rises;
        Some(Edges { write, read })
    }
}
