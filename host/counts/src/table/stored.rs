// SPDX-License-Identifier: MIT OR Apache-2.0
//! A table as it is stored.

use coretrace_flow::{LastInstruction, Outcome, Range as Executed};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Table;
use crate::counts::{Range, Sums};
use crate::who::Who;

/// A table as it is stored.
#[derive(Serialize, Deserialize)]
struct Stored {
    who: Vec<Who>,
    /// The number of who executed it, the range, and its sums.
    ranges: Vec<(u32, Range, Sums)>,
    /// The number of the range, the target, and how often.
    branches: Vec<(u32, u64, u64)>,
}

impl Serialize for Table {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ranges = self.slots.iter();
        let stored = Stored {
            who: self.who.clone(),
            ranges: ranges
                .map(|slot| (slot.who, slot.range, slot.sums))
                .collect(),
            branches: self.edges.clone(),
        };
        stored.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Table {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Table, D::Error> {
        let stored = Stored::deserialize(deserializer)?;
        Table::try_from(stored).map_err(D::Error::custom)
    }
}

impl TryFrom<Stored> for Table {
    type Error = String;

    fn try_from(stored: Stored) -> Result<Table, String> {
        let mut table = Table::default();
        for who in stored.who {
            table.who(who);
        }
        for (number, (who, range, sums)) in stored.ranges.into_iter().enumerate() {
            if who as usize >= table.who.len() {
                return Err(format!("nobody has the number {who}"));
            }
            // The last one may end where addresses do.
            if range.end < range.start && range.end != 0 {
                return Err(format!("a range ends in front of {:#x}", range.start));
            }
            let slot = table.slot(who, range, &never_seen(&range));
            if slot as usize != number {
                return Err(format!("a range is there twice: {:#x}", range.start));
            }
            *table.sums(slot) = sums;
        }
        for (slot, to, count) in stored.branches {
            if slot as usize >= table.slots.len() {
                return Err(format!("no range has the number {slot}"));
            }
            table.branch(slot, to, count);
        }
        Ok(table)
    }
}

/// No visit is equal to it: it has no instructions.
fn never_seen(range: &Range) -> Executed {
    Executed {
        start: range.start,
        end: range.end,
        count: 0,
        isa: range.isa,
        outcome: Outcome::E,
        last: LastInstruction::default(),
    }
}
