// SPDX-License-Identifier: MIT OR Apache-2.0
//! Counts over time, in constant memory.

use std::ops::AddAssign;

use coretrace_abi::profile_stream::{Entry, EntryKind};

/// The most buckets of a timeline. If there would be more, pairs are merged.
pub const MAX_BUCKETS: usize = 256;

/// The unit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// The number of flushes that were complete before.
    Mark,
    /// The newest timestamp.
    Timestamp,
    /// The number of records before.
    Record,
}

/// Counts of all sources in a stretch of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bucket {
    /// Address packets.
    pub targets: u64,
    /// Exception packets.
    pub exceptions: u64,
    /// Event packets.
    pub events: u64,
    /// Cycles.
    pub cycles: u64,
    /// How often words of the trace port were lost.
    pub losses: u64,
}

impl AddAssign for Bucket {
    #[inline]
    fn add_assign(&mut self, other: Bucket) {
        self.targets = self.targets.saturating_add(other.targets);
        self.exceptions = self.exceptions.saturating_add(other.exceptions);
        self.events = self.events.saturating_add(other.events);
        self.cycles = self.cycles.saturating_add(other.cycles);
        self.losses = self.losses.saturating_add(other.losses);
    }
}

/// Sums of fewer than 2^32 entries by kind, added up without a branch on the kind.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Weights([u64; KINDS]);

/// More than the greatest code of a kind.
const KINDS: usize = 8;

impl Weights {
    /// Adds an entry; a loss counts once.
    #[inline(always)]
    pub fn add(&mut self, entry: &Entry) {
        let is_lost = entry.kind == EntryKind::Lost;
        let weight = if is_lost { 1 } else { entry.weight };
        self.0[entry.kind as usize % KINDS] += u64::from(weight);
    }

    /// The counts since the last time.
    pub fn take(&mut self) -> Bucket {
        let sums = std::mem::take(&mut self.0);
        let of = |kind: EntryKind| sums[kind as usize];
        Bucket {
            targets: of(EntryKind::Target),
            exceptions: of(EntryKind::Exception),
            events: of(EntryKind::Event),
            cycles: of(EntryKind::Cycles),
            losses: of(EntryKind::Lost),
        }
    }
}

/// Counts over time. Time never goes back: an earlier time counts as the latest time so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timeline {
    /// The unit of time.
    pub axis: Axis,
    /// The time at which the first bucket begins.
    pub origin: u64,
    /// How long a bucket is: a power of two.
    pub width: u64,
    /// Up to [`MAX_BUCKETS`] buckets, from the origin on; the last one is not empty.
    pub buckets: Vec<Bucket>,
    /// Time since the origin.
    elapsed: u64,
    /// The bucket of this time, and the elapsed time at which it ends.
    index: usize,
    end: u64,
}

impl Timeline {
    /// A timeline that begins at `origin`.
    pub fn new(axis: Axis, origin: u64) -> Timeline {
        Timeline {
            axis,
            origin,
            width: 1,
            buckets: Vec::new(),
            elapsed: 0,
            index: 0,
            end: 1,
        }
    }

    /// Sets the current time.
    pub fn advance(&mut self, time: u64) {
        self.elapsed = self.elapsed.max(time.saturating_sub(self.origin));
        if self.elapsed >= self.end {
            self.next_bucket();
        }
    }

    fn next_bucket(&mut self) {
        let index = |width: u64| usize::try_from(self.elapsed / width).unwrap_or(usize::MAX);
        let mut merges = 0;
        while index(self.width << merges) >= MAX_BUCKETS {
            merges += 1;
        }
        self.index = index(self.width << merges);
        (0..merges).for_each(|_| self.merge());
        self.end = (self.index as u64 + 1).saturating_mul(self.width);
    }

    /// Counts an event at the current time.
    pub fn add(&mut self, counts: Bucket) {
        if counts == Bucket::default() {
            return;
        }
        if self.buckets.len() <= self.index {
            self.buckets.resize(self.index + 1, Bucket::default());
        }
        self.buckets[self.index] += counts;
    }

    /// The time since the origin at which the current bucket ends.
    pub(super) fn end(&self) -> u64 {
        self.end
    }

    fn merge(&mut self) {
        self.width *= 2;
        let merge = |pair: &[Bucket]| {
            let mut sum = pair[0];
            pair[1..].iter().for_each(|&other| sum += other);
            sum
        };
        self.buckets = self.buckets.chunks(2).map(merge).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one() -> Bucket {
        Bucket {
            targets: 1,
            ..Bucket::default()
        }
    }

    #[test]
    fn buckets_are_merged_and_nothing_is_lost() {
        let mut timeline = Timeline::new(Axis::Record, 0);
        for time in 0..1000 {
            timeline.advance(time);
            timeline.add(one());
        }
        assert_eq!((timeline.width, timeline.buckets.len()), (4, 250));
        assert!(timeline.buckets.iter().all(|bucket| bucket.targets == 4));
    }

    #[test]
    fn time_leaps_and_never_goes_back() {
        let mut timeline = Timeline::new(Axis::Timestamp, 100);
        for time in [100, u64::MAX, 0, 100] {
            timeline.advance(time);
            timeline.add(one());
        }
        assert_eq!(timeline.buckets.len(), MAX_BUCKETS);
        assert_eq!(timeline.buckets[0].targets, 1);
        assert_eq!(timeline.buckets[MAX_BUCKETS - 1].targets, 3);
    }
}
