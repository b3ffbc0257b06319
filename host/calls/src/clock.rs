// SPDX-License-Identifier: MIT OR Apache-2.0
//! The time of events: linear between two timestamps.
//!
//! A timestamp comes behind the instructions that it is about, so events wait for it. Between two
//! timestamps time passes with the cycles where they are counted, else with the instructions.
//! Where tracing was off in between, and before the first and behind the last timestamp, it passes
//! as fast as in the last stretch between two of them.

use std::collections::VecDeque;

use crate::event::{At, Axis, CallSink, Event, Thread, What};

/// Events, counts and times that wait, at most.
const MAX_WAITING: usize = 1 << 16;

/// What waits for its time.
#[derive(Clone, Copy, Debug)]
enum Waiting {
    Event(Thread, What),
    /// Tracing was off, or trace was lost.
    Gap,
}

/// A place of which the instructions are known.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    instructions: u64,
    cycles: u64,
}

/// A place with a timestamp.
#[derive(Clone, Copy, Debug)]
struct Stamp {
    at: Mark,
    time: u64,
}

/// Ticks for each so many instructions.
#[derive(Clone, Copy, Debug)]
struct Rate {
    ticks: u64,
    instructions: u64,
}

impl Rate {
    fn ticks_of(self, instructions: u64) -> u64 {
        scaled(instructions, self.ticks, self.instructions)
    }
}

/// `number * times / by`, 0 if `by` is 0.
fn scaled(number: u64, times: u64, by: u64) -> u64 {
    let product = u128::from(number) * u128::from(times);
    let result = product.checked_div(u128::from(by)).unwrap_or(0);
    u64::try_from(result).unwrap_or(u64::MAX)
}

/// Gives events their time.
#[derive(Clone, Debug)]
pub struct Clock {
    axis: Axis,
    counts_cycles: bool,
    /// Here.
    now: Mark,
    /// What waits, with the instructions before it.
    waiting: VecDeque<(u64, Waiting)>,
    /// Counts of cycles among what waits; the first one is before it.
    counts: VecDeque<Mark>,
    /// The first timestamp, while what is before it waits.
    opening: Option<Stamp>,
    /// The last timestamp.
    last: Option<Stamp>,
    rate: Option<Rate>,
    estimated: u64,
    backwards: u64,
}

impl Clock {
    /// A clock at the beginning of a trace.
    pub fn new(axis: Axis, counts_cycles: bool) -> Clock {
        Clock {
            axis,
            counts_cycles: counts_cycles || axis == Axis::Cycles,
            now: Mark::default(),
            waiting: VecDeque::new(),
            counts: VecDeque::from([Mark::default()]),
            opening: None,
            last: None,
            rate: None,
            estimated: 0,
            backwards: 0,
        }
    }

    /// The axis.
    pub fn axis(&self) -> Axis {
        self.axis
    }

    /// Events that waited too long.
    pub fn estimated(&self) -> u64 {
        self.estimated
    }

    /// Timestamps that are earlier than the one before. Time does not pass up to such a timestamp.
    pub fn backwards(&self) -> u64 {
        self.backwards
    }

    /// Instructions were executed.
    #[inline]
    pub fn ran(&mut self, instructions: u32) {
        self.now.instructions += u64::from(instructions);
    }

    /// Something happens here.
    #[inline]
    pub fn event(&mut self, thread: Thread, what: What, sink: &mut impl CallSink) {
        if self.axis == Axis::Instructions && !self.counts_cycles {
            let at = At {
                instructions: self.now.instructions,
                cycles: 0,
                time: self.now.instructions,
                is_estimated: false,
            };
            sink.event(&Event { at, thread, what });
            return;
        }
        self.wait(Waiting::Event(thread, what));
        if self.waiting.len() >= MAX_WAITING {
            self.give_up(sink);
        }
    }

    /// Tracing was off here.
    pub fn gap(&mut self) {
        if self.axis == Axis::Ticks {
            self.wait(Waiting::Gap);
        }
    }

    fn wait(&mut self, waiting: Waiting) {
        self.waiting.push_back((self.now.instructions, waiting));
    }

    /// The core counted cycles up to here; 0: it does not know how many.
    pub fn cycles(&mut self, cycles: u32, sink: &mut impl CallSink) {
        if !self.counts_cycles || cycles == 0 {
            return;
        }
        self.now.cycles = self.now.cycles.saturating_add(u64::from(cycles));
        self.counts.push_back(self.now);
        if self.axis == Axis::Ticks {
            if self.counts.len() >= MAX_WAITING {
                self.give_up(sink);
            }
            return;
        }
        while let Some((instructions, waiting)) = self.waiting.pop_front() {
            let cycles = self.cycles_at(instructions);
            let time = match self.axis {
                Axis::Cycles => cycles,
                _ => instructions,
            };
            send(waiting, (instructions, cycles, time), false, sink);
        }
        self.forget_counts();
    }

    /// The time here; with the cycles since the last count if they are known.
    pub fn timestamp(&mut self, time: u64, cycles: Option<u32>, sink: &mut impl CallSink) {
        if self.axis != Axis::Ticks || time == 0 {
            return;
        }
        let mut at = self.now;
        if let Some(cycles) = cycles
            && self.counts_cycles
            && cycles > 0
        {
            // A later count begins where this one did.
            at.cycles = at.cycles.saturating_add(u64::from(cycles));
            self.counts.push_back(at);
        }
        let stamp = Stamp { at, time };
        if self.last.is_none() && !self.waiting.is_empty() {
            self.opening = Some(stamp);
            self.last = Some(stamp);
            return;
        }
        if let Some(last) = self.last.replace(stamp) {
            let instructions = at.instructions - last.at.instructions;
            let ticks = time.saturating_sub(last.time);
            self.backwards += u64::from(time < last.time);
            let has_gap = self
                .waiting
                .iter()
                .any(|(_, it)| matches!(it, Waiting::Gap));
            if instructions > 0 && ticks > 0 && !has_gap {
                self.rate = Some(Rate {
                    ticks,
                    instructions,
                });
            }
            let from = self.opening.take();
            if let Some(from) = from {
                self.before(from, from.at.instructions, sink);
            }
            if has_gap {
                self.around_gap(last, stamp, sink);
            } else {
                self.between(last, stamp, sink);
            }
        }
        self.forget_counts();
    }

    /// Sends what waits up to so many instructions, by the rate up to a timestamp behind it.
    fn before(&mut self, stamp: Stamp, limit: u64, sink: &mut impl CallSink) {
        let rate = self.rate.unwrap_or(Rate {
            ticks: 1,
            instructions: 1,
        });
        while let Some(&(instructions, waiting)) = self.waiting.front()
            && instructions <= limit
        {
            self.waiting.pop_front();
            let left = stamp.at.instructions.saturating_sub(instructions);
            let time = stamp.time.saturating_sub(rate.ticks_of(left));
            let cycles = self.cycles_at(instructions);
            send(waiting, (instructions, cycles, time), true, sink);
        }
    }

    fn between(&mut self, from: Stamp, to: Stamp, sink: &mut impl CallSink) {
        let ticks = to.time.saturating_sub(from.time);
        let all_cycles = to.at.cycles.saturating_sub(from.at.cycles);
        let all = to.at.instructions - from.at.instructions;
        while let Some((instructions, waiting)) = self.waiting.pop_front() {
            let cycles = self.cycles_at(instructions);
            let passed = if all_cycles > 0 {
                let passed = cycles.saturating_sub(from.at.cycles).min(all_cycles);
                scaled(passed, ticks, all_cycles)
            } else {
                let passed = instructions.saturating_sub(from.at.instructions);
                scaled(passed.min(all), ticks, all)
            };
            let time = from.time.saturating_add(passed);
            send(waiting, (instructions, cycles, time), false, sink);
        }
    }

    /// Between two timestamps tracing was off: what is before that follows the first one, the rest
    /// comes right before the second one.
    fn around_gap(&mut self, from: Stamp, to: Stamp, sink: &mut impl CallSink) {
        let mut is_behind = false;
        let mut least = from.time;
        let rate = self.rate;
        while let Some((instructions, waiting)) = self.waiting.pop_front() {
            is_behind |= matches!(waiting, Waiting::Gap);
            let ticks = |instructions: u64| rate.map_or(0, |rate| rate.ticks_of(instructions));
            let time = if is_behind {
                to.time
                    .saturating_sub(ticks(to.at.instructions - instructions))
            } else {
                from.time
                    .saturating_add(ticks(instructions - from.at.instructions))
            };
            let time = time.min(to.time).max(least);
            least = time;
            let cycles = self.cycles_at(instructions);
            send(waiting, (instructions, cycles, time), true, sink);
        }
    }

    /// Sends all that waits, by the rate behind the last timestamp.
    fn behind(&mut self, sink: &mut impl CallSink) {
        let rate = self.rate.unwrap_or(Rate {
            ticks: 1,
            instructions: 1,
        });
        let last = self.last.unwrap_or(Stamp {
            at: Mark::default(),
            time: 0,
        });
        while let Some((instructions, waiting)) = self.waiting.pop_front() {
            let cycles = self.cycles_at(instructions);
            let passed = rate.ticks_of(instructions.saturating_sub(last.at.instructions));
            let time = match self.axis {
                Axis::Ticks => last.time.saturating_add(passed),
                Axis::Cycles => cycles,
                Axis::Instructions => instructions,
            };
            send(waiting, (instructions, cycles, time), true, sink);
        }
        self.forget_counts();
    }

    /// Too much waits.
    fn give_up(&mut self, sink: &mut impl CallSink) {
        self.estimated += self.waiting.len() as u64;
        self.finish(sink);
    }

    /// The trace ends, or pauses: what waits gets its time now.
    pub fn finish(&mut self, sink: &mut impl CallSink) {
        if let Some(stamp) = self.opening.take() {
            self.before(stamp, stamp.at.instructions, sink);
        }
        self.behind(sink);
    }

    /// The cycles after so many instructions: linear between two counts, none behind the last one.
    fn cycles_at(&mut self, instructions: u64) -> u64 {
        while let Some(second) = self.counts.get(1)
            && second.instructions <= instructions
        {
            self.counts.pop_front();
        }
        let before = self.counts.front().copied().unwrap_or_default();
        let Some(behind) = self.counts.get(1) else {
            return before.cycles;
        };
        let cycles = behind.cycles.saturating_sub(before.cycles);
        let all = behind.instructions - before.instructions;
        let passed = instructions.saturating_sub(before.instructions);
        before.cycles.saturating_add(scaled(passed, cycles, all))
    }

    /// Forgets counts that nothing waits for.
    fn forget_counts(&mut self) {
        if self.waiting.is_empty() {
            while self.counts.len() > 1 {
                self.counts.pop_front();
            }
        }
    }
}

fn send(waiting: Waiting, at: (u64, u64, u64), is_estimated: bool, sink: &mut impl CallSink) {
    if let Waiting::Event(thread, what) = waiting {
        let (instructions, cycles, time) = at;
        let at = At {
            instructions,
            cycles,
            time,
            is_estimated,
        };
        sink.event(&Event { at, thread, what });
    }
}
