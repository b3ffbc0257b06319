// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cycles or ticks, shared between the instructions that they passed in.
//!
//! A cycle count is that of all instructions since the count before it; the ticks of two timestamps
//! are those of the instructions between them. Each instruction gets the same share, in whole
//! numbers: the first k of n instructions get k/n of the amount, rounded down, so the shares add up to
//! the amount.

use serde::{Deserialize, Serialize};

use crate::table::Table;

/// Ranges that are stored one by one, in the order in which they were executed. More of them are
/// added up, and come in the order of their addresses.
const MAX_SINGLE: usize = 1 << 14;

/// Instructions that wait for their cycles or ticks, by the slot of their range.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Waiting {
    ranges: Vec<(u32, u64)>,
    /// The number of ranges at which they are added up; 0 if they never were.
    limit: usize,
}

/// What became of an amount.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shared {
    /// What instructions got.
    pub given: u64,
    /// What nobody got, as no instruction waited.
    pub rest: u64,
}

impl Waiting {
    /// A range was executed.
    #[inline]
    pub fn add(&mut self, slot: u32, instructions: u64) {
        self.ranges.push((slot, instructions));
        if self.ranges.len() >= self.limit.max(MAX_SINGLE) {
            self.add_up();
        }
    }

    /// Ranges that were executed behind them, with other slots.
    pub fn extend(&mut self, later: &Waiting, slots: &[u32]) {
        for &(slot, instructions) in &later.ranges {
            if let Some(&slot) = slots.get(slot as usize) {
                self.add(slot, instructions);
            }
        }
        if later.limit > 0 {
            self.add_up();
        }
    }

    /// Forgets them.
    pub fn clear(&mut self) {
        self.ranges.clear();
        self.limit = 0;
    }

    /// Gives each its share of an amount.
    pub fn share(&mut self, amount: u64, unit: Unit, table: &mut Table) -> Shared {
        if self.limit > 0 {
            // So that the shares do not depend on how a trace was cut.
            self.add_up();
            self.ranges
                .sort_unstable_by_key(|&(slot, _)| table.key(slot));
        }
        let all: u128 = self.ranges.iter().map(|&(_, n)| u128::from(n)).sum();
        let (mut instructions, mut given) = (0_u128, 0_u64);
        for &(slot, count) in &self.ranges {
            instructions += u128::from(count);
            let until = (u128::from(amount) * instructions).checked_div(all);
            let until = until.unwrap_or_default() as u64;
            let sums = table.sums(slot);
            let sum = match unit {
                Unit::Cycles => &mut sums.cycles,
                Unit::Ticks => &mut sums.ticks,
            };
            *sum = sum.saturating_add(until - given);
            given = until;
        }
        self.clear();
        let rest = amount - given;
        Shared { given, rest }
    }

    /// One range for each slot: so memory is in proportion to the number of slots.
    #[cold]
    fn add_up(&mut self) {
        self.ranges.sort_unstable_by_key(|&(slot, _)| slot);
        self.ranges.dedup_by(|next, sum| {
            let is_same = next.0 == sum.0;
            if is_same {
                sum.1 = sum.1.saturating_add(next.1);
            }
            is_same
        });
        self.limit = (2 * self.ranges.len()).max(MAX_SINGLE);
    }
}

/// What a meter counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unit {
    /// Values are amounts since the value before.
    Cycles,
    /// Values are points in time.
    Ticks,
}

/// A part of a trace up to its first value.
#[derive(Clone, Debug, Serialize, Deserialize)]
enum Head {
    /// No value came yet.
    Open,
    /// The instructions in front of the first value, and the value: some of it may belong to the
    /// part before.
    Value(Waiting, u64),
    /// Something was lost in front of the first value.
    Lost,
}

/// Shares the values of a part of a trace.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Meter {
    unit: Unit,
    head: Head,
    /// Instructions since the last value.
    waiting: Waiting,
    /// The last value.
    last: Option<u64>,
}

impl Meter {
    pub fn new(unit: Unit) -> Meter {
        Meter {
            unit,
            head: Head::Open,
            waiting: Waiting::default(),
            last: None,
        }
    }

    /// A range was executed.
    #[inline]
    pub fn add(&mut self, slot: u32, instructions: u64) {
        self.waiting.add(slot, instructions);
    }

    /// A value.
    pub fn value(&mut self, value: u64, table: &mut Table) -> Shared {
        if let Head::Open = self.head {
            self.head = Head::Value(std::mem::take(&mut self.waiting), value);
            self.last = Some(value);
            return Shared::default();
        }
        let before = self.last.replace(value);
        let amount = match (self.unit, before) {
            (Unit::Cycles, _) => value,
            (Unit::Ticks, Some(before)) => value.saturating_sub(before),
            (Unit::Ticks, None) => {
                self.waiting.clear();
                return Shared::default();
            }
        };
        self.waiting.share(amount, self.unit, table)
    }

    /// Values that come do not belong to instructions so far.
    pub fn lose(&mut self) {
        if let Head::Open = self.head {
            self.head = Head::Lost;
        }
        self.waiting.clear();
        self.last = None;
    }

    /// The part behind this one, with other slots.
    pub fn append(&mut self, later: Meter, slots: &[u32], table: &mut Table) -> Shared {
        let mut shared = Shared::default();
        match &later.head {
            Head::Open => {
                self.waiting.extend(&later.waiting, slots);
                return shared;
            }
            Head::Value(first, value) => {
                self.waiting.extend(first, slots);
                shared = self.value(*value, table);
            }
            Head::Lost => self.lose(),
        }
        self.waiting.clear();
        self.waiting.extend(&later.waiting, slots);
        self.last = later.last;
        shared
    }

    /// No part is before this one.
    pub fn finish(&mut self, table: &mut Table) -> Shared {
        match (std::mem::replace(&mut self.head, Head::Lost), self.unit) {
            (Head::Value(mut first, value), Unit::Cycles) => first.share(value, self.unit, table),
            _ => Shared::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_flow::{LastInstruction, Outcome, Range};
    use coretrace_isa::Isa;
    use proptest::prelude::*;

    fn table(slots: u64) -> Table {
        let mut table = Table::default();
        for number in 0..slots {
            table.visit(
                0,
                &Range {
                    start: 4 * number,
                    end: 4 * number + 4,
                    count: 1,
                    isa: Isa::A64,
                    outcome: Outcome::E,
                    last: LastInstruction::default(),
                },
            );
        }
        table
    }

    proptest! {
        #[test]
        fn shares_add_up_and_are_in_proportion(
            counts in prop::collection::vec(1_u64..100, 0..50),
            amount in any::<u64>(),
        ) {
            let mut waiting = Waiting::default();
            let mut table = table(counts.len() as u64);
            for (slot, &count) in counts.iter().enumerate() {
                waiting.add(slot as u32, count);
            }
            let shared = waiting.share(amount, Unit::Cycles, &mut table);
            prop_assert_eq!(shared.given + shared.rest, amount);
            prop_assert_eq!(shared.rest == 0, amount == 0 || !counts.is_empty());
            let all: u64 = counts.iter().sum();
            let mut sum = 0;
            for (slot, count) in counts.iter().enumerate() {
                let share = table.sums(slot as u32).cycles;
                let want = u128::from(amount) * u128::from(*count) / u128::from(all);
                prop_assert!(u128::from(share).abs_diff(want) <= 1);
                sum += share;
            }
            prop_assert_eq!(sum, shared.given);
        }
    }

    #[test]
    fn a_trace_without_values_takes_memory_for_its_slots_only() {
        let mut waiting = Waiting::default();
        for number in 0..1_000_000_u32 {
            waiting.add(number % 7, 1);
        }
        assert!(waiting.ranges.len() < MAX_SINGLE);
        let mut table = table(7);
        waiting.share(1_000_000, Unit::Ticks, &mut table);
        let ticks = (0..7).map(|slot| table.sums(slot).ticks);
        assert_eq!(ticks.sum::<u64>(), 1_000_000);
    }
}
