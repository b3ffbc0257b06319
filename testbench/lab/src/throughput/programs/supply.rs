// SPDX-License-Identifier: MIT OR Apache-2.0
//! How much of a program's trace waits for walkers. All of it is modelled.

use coretrace_test_simulate::flow_queue::{FlowQueue, QueueItem};

use super::stream::ProgramStream;

/// Address bits of the FIFO of rows: 511 of them.
const PLACES: u32 = 9;
/// Rows from which on the input is held back to measure a full FIFO.
const FULL: usize = 480;

/// What became of a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Supply {
    /// The most rows that waited for a walker.
    pub most: usize,
    /// Atoms that were dropped.
    pub dropped: u64,
    /// Losses that were reported.
    pub losses: u64,
}

/// A walker, and the most rows that waited for it.
struct Walker {
    queue: FlowQueue,
    cycle: u64,
    most: usize,
}

impl Walker {
    fn new() -> Walker {
        Walker {
            queue: FlowQueue::new(PLACES),
            cycle: 0,
            most: 0,
        }
    }

    fn row(&mut self, cycle: u64, row: &[QueueItem]) {
        while self.cycle < cycle {
            if self.queue.is_idle() {
                self.queue.rest(cycle - self.cycle);
                self.cycle = cycle;
            } else {
                self.step(&[]);
            }
        }
        self.step(row);
    }

    fn step(&mut self, row: &[QueueItem]) {
        self.queue.cycle(row);
        self.cycle += 1;
        self.most = self.most.max(self.queue.level());
    }
}

fn supply(walkers: &[Walker]) -> Supply {
    Supply {
        most: walkers.iter().map(|it| it.most).max().unwrap_or(0),
        dropped: walkers.iter().map(|it| it.queue.dropped_atoms()).sum(),
        losses: walkers.iter().map(|it| it.queue.losses()).sum(),
    }
}

/// One walker; in `words`, bytes come when there are four.
pub fn one_walker(stream: &ProgramStream, cycles_per_instruction: f64, words: bool) -> Supply {
    let mut walker = Walker::new();
    stream.rows(cycles_per_instruction, words, |cycle, row| {
        walker.row(cycle, row);
    });
    supply(&[walker])
}

/// Two walkers with a FIFO each, which take turns by segment: behind an address the walker goes on for
/// which fewer items wait.
pub fn two_walkers(stream: &ProgramStream, cycles_per_instruction: f64) -> Supply {
    let mut walkers = [Walker::new(), Walker::new()];
    let (mut current, mut is_excepted) = (0, false);
    let mut parts = [Vec::new(), Vec::new()];
    stream.rows(cycles_per_instruction, false, |cycle, row| {
        for item in row {
            if *item == QueueItem::Address && !is_excepted {
                let wait = |of: usize| walkers[of].queue.waiting() + parts[of].len();
                let other = 1 - current;
                current = if wait(other) <= wait(current) {
                    other
                } else {
                    current
                };
            }
            is_excepted = matches!(item, QueueItem::Exception { .. });
            parts[current].push(*item);
        }
        for (walker, part) in walkers.iter_mut().zip(&mut parts) {
            walker.row(cycle, part);
            part.clear();
        }
    });
    supply(&walkers)
}

/// The cycles that one walker needs for all of it.
pub fn cycles_of_one_walker(stream: &ProgramStream) -> u64 {
    let mut walker = Walker::new();
    for row in stream.words() {
        while walker.queue.level() >= FULL {
            walker.step(&[]);
        }
        walker.step(row);
    }
    while !walker.queue.is_idle() {
        walker.step(&[]);
    }
    walker.cycle
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_test_gen::rng;
    use coretrace_test_gen::trace_unit::{RandomProgram, TraceUnit};

    #[test]
    fn a_faster_core_needs_more_rows_and_a_second_walker_halves_them() {
        let program = RandomProgram {
            blocks: 30,
            steps: 100_000,
        };
        let trace = program.trace(&mut rng(2));
        let unit = TraceUnit {
            broadcast: true,
            ..TraceUnit::default()
        };
        let stream = ProgramStream::new(&trace, &unit);
        // Cycles of an instruction in which one walker is as fast as the core.
        let even = cycles_of_one_walker(&stream) as f64 / stream.instructions as f64;
        let slow = one_walker(&stream, 1.2 * even, false);
        assert!(slow.most < 100 && slow.dropped == 0, "{slow:?}");
        let fast = one_walker(&stream, 0.7 * even, false);
        assert!(fast.most == 511 && fast.dropped > 1000, "{fast:?}");
        assert!(fast.losses > 1, "{fast:?}");
        let words = one_walker(&stream, 1.2 * even, true);
        assert!(words.most <= slow.most, "{words:?}");
        let two = two_walkers(&stream, 0.7 * even);
        assert!(two.most < 300 && two.dropped == 0, "{two:?}");
    }
}
