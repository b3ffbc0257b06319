// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cycles of the core: cycle counts and timestamps.

use super::encoder::Encoder;
use super::options::TraceUnit;
use super::speculation::Speculative;
use crate::Rng;
use coretrace_etm::{Config, Kind, Packet, Part};

/// What the timer shows when the trace begins.
const FIRST_TIMESTAMP: u64 = 0x1234_5678_9ABC;
/// Cycles of a tick of the timer.
const TICK_CYCLES: u64 = 10;

/// The cycles of the core, and those that were reported.
#[derive(Clone, Debug)]
pub struct Clock {
    cycles_per_instruction: f64,
    threshold: Option<u32>,
    timestamp_cycles: Option<u64>,
    /// The largest count.
    most: u64,
    counts_commit: bool,
    max_spec: u32,
    instructions: u64,
    cycles: u64,
    /// The cycle of the newest count; none after tracing began.
    counted: Option<u64>,
    stamped: u64,
}

impl Clock {
    pub fn new(options: &TraceUnit, config: &Config) -> Clock {
        Clock {
            cycles_per_instruction: 1.0 / options.ipc.max(0.001),
            threshold: options.cycle_threshold,
            timestamp_cycles: options.timestamp_cycles,
            most: (1 << config.count_bits) - 1,
            counts_commit: !config.commopt,
            max_spec: config.max_spec,
            instructions: 0,
            cycles: 0,
            counted: None,
            stamped: 0,
        }
    }

    /// Instructions retired.
    pub fn advance(&mut self, instructions: u64) {
        self.instructions += instructions;
        self.cycles = (self.instructions as f64 * self.cycles_per_instruction) as u64;
    }

    /// Tracing began: the next count is unknown.
    pub fn trace_on(&mut self) {
        self.counted = None;
    }

    /// Whether a count or a timestamp is due.
    pub fn is_due(&self) -> bool {
        self.count_is_due() || self.timestamp_is_due()
    }

    fn count_is_due(&self) -> bool {
        self.threshold.is_some_and(|threshold| {
            self.counted
                .is_none_or(|counted| self.cycles - counted >= threshold.into())
        })
    }

    fn timestamp_is_due(&self) -> bool {
        self.timestamp_cycles
            .is_some_and(|cycles| self.cycles - self.stamped >= cycles)
    }

    /// Sends what is due.
    pub fn report(
        &mut self,
        speculative: Option<&mut Speculative>,
        rng: &mut Rng,
        encoder: &mut Encoder,
    ) {
        if let Some(threshold) = self.threshold.filter(|_| self.count_is_due()) {
            let since = self.counted.map(|counted| self.cycles - counted);
            self.counted = Some(self.cycles);
            let count = since.filter(|since| *since <= self.most);
            let count = count.map(|count| count as u32 - threshold);
            if self.counts_commit {
                let commit = speculative.map_or(0, |it| it.take_commit(rng));
                self.count_with_commit(count, commit, encoder);
            } else {
                count_alone(count, encoder);
            }
        }
        if self.timestamp_is_due() {
            self.stamped = self.cycles;
            self.timestamp(encoder);
        }
    }

    /// A timestamp, if there are any.
    pub fn timestamp(&self, encoder: &mut Encoder) {
        if self.timestamp_cycles.is_some() {
            let since = self.cycles - self.counted.unwrap_or(self.cycles);
            let cycles = self.threshold.map(|_| since.min(self.most) as u32);
            encoder.timestamp(FIRST_TIMESTAMP + self.cycles / TICK_CYCLES, cycles);
        }
    }

    /// A cycle count that commits P0 elements, in the shortest format.
    fn count_with_commit(&self, count: Option<u32>, commit: u32, encoder: &mut Encoder) {
        let format2 = |header, upper: u32, count: u32| {
            let mut packet = Packet::new(Kind::CycleCountF2, header);
            packet.lead[0] = (upper << 4 | count) as u8;
            packet.lead_len = 1;
            packet
        };
        // The other half of format 2 counts down from MAXSPEC.
        let upper = commit.saturating_add(15).checked_sub(self.max_spec);
        match (count, commit, upper) {
            (None, ..) => encoder.fields(Kind::CycleCountF1, 0x0F, &[(Part::Field0, commit)]),
            (Some(count @ 0..=3), 1..=4, _) => {
                let header = 0x10 | (commit as u8 - 1) << 2 | count as u8;
                encoder.header(Kind::CycleCountF3, header);
            }
            (Some(count @ 0..=15), 1..=16, _) => {
                encoder.packet(&format2(0x0C, commit - 1, count));
            }
            (Some(count @ 0..=15), _, Some(upper @ 0..=15)) => {
                encoder.packet(&format2(0x0D, upper, count));
            }
            (Some(count), ..) => {
                let fields = [(Part::Field0, commit), (Part::Field1, count)];
                encoder.fields(Kind::CycleCountF1, 0x0E, &fields);
            }
        }
    }
}

fn count_alone(count: Option<u32>, encoder: &mut Encoder) {
    match count {
        None => encoder.header(Kind::CycleCountF1, 0x0F),
        Some(count @ 0..=3) => encoder.header(Kind::CycleCountF3, 0x10 | count as u8),
        Some(count) => encoder.fields(Kind::CycleCountF1, 0x0E, &[(Part::Field1, count)]),
    }
}
