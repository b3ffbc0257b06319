// SPDX-License-Identifier: MIT OR Apache-2.0
//! How often each address was executed.

use std::collections::BTreeMap;

use crate::counts::{Range, Sums};

/// How often addresses were executed: stretches in order, each with one number that is not 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heat {
    stretches: Vec<Stretch>,
}

/// Addresses that were executed equally often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The first one.
    pub start: u64,
    /// The one behind the last.
    pub end: u64,
    /// How often.
    pub count: u64,
}

impl Heat {
    /// That of these ranges.
    pub fn of<'a>(ranges: impl Iterator<Item = (&'a Range, &'a Sums)>) -> Heat {
        let mut changes: BTreeMap<u64, i128> = BTreeMap::new();
        for (range, sums) in ranges.filter(|(range, _)| range.start < range.end) {
            *changes.entry(range.start).or_default() += i128::from(sums.visits);
            *changes.entry(range.end).or_default() -= i128::from(sums.visits);
        }
        let mut stretches: Vec<Stretch> = Vec::new();
        let (mut start, mut sum) = (0, 0_i128);
        for (at, change) in changes {
            if sum > 0 {
                let count = u64::try_from(sum).unwrap_or(u64::MAX);
                match stretches.last_mut() {
                    Some(last) if last.end == start && last.count == count => last.end = at,
                    _ => stretches.push(Stretch {
                        start,
                        end: at,
                        count,
                    }),
                }
            }
            start = at;
            sum += change;
        }
        Heat { stretches }
    }

    /// How often the instruction at an address was executed.
    pub fn at(&self, address: u64) -> u64 {
        let behind = self.stretches.partition_point(|it| it.end <= address);
        let stretch = self.stretches.get(behind);
        stretch
            .filter(|it| it.start <= address)
            .map_or(0, |it| it.count)
    }

    /// The stretches that these addresses have a part of, cut to them.
    pub fn within(&self, start: u64, end: u64) -> impl Iterator<Item = Stretch> + '_ {
        let behind = self.stretches.partition_point(|it| it.end <= start);
        let stretches = self.stretches[behind..].iter();
        stretches
            .take_while(move |it| it.start < end)
            .map(move |it| Stretch {
                start: it.start.max(start),
                end: it.end.min(end),
                count: it.count,
            })
    }

    /// How often the instruction of these addresses that was executed most often was executed.
    pub fn most(&self, start: u64, end: u64) -> u64 {
        self.within(start, end)
            .map(|it| it.count)
            .max()
            .unwrap_or(0)
    }
}
