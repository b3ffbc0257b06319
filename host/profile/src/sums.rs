// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sums of entries.

use std::collections::BTreeMap;

use coretrace_abi::profile_stream::{Entry, EntryKind};

/// A sum for each key. Sums saturate at 2^64 - 1, which takes more than 64 GB of entries.
pub type Counts = BTreeMap<u64, u64>;

/// The sums of every source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// By trace ID.
    pub sources: BTreeMap<u8, Sums>,
}

/// The sums of one source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// How often the source was enabled.
    pub starts: u64,
    /// How often words of the trace port were lost.
    pub losses: u64,
    /// How many words were lost; more if the core's counter was full.
    pub lost_words: u64,
    /// Address packets by address, IS1 in bit 0.
    pub targets: Counts,
    /// Exception packets by the exception's number.
    pub exceptions: Counts,
    /// Event packets by their four event bits.
    pub events: Counts,
    /// Cycles of known cycle counts by the newest address before them, IS1 in bit 0.
    pub cycles: Counts,
    /// The core's counter of lost words, in the stream that is being read.
    lost_counter: u32,
}

impl Profile {
    /// Starts another stream: its counters of lost words belong to another core or run.
    pub fn begin_stream(&mut self) {
        for sums in self.sources.values_mut() {
            sums.lost_counter = 0;
        }
    }

    /// Adds an entry. A mark adds nothing, and may come before any source.
    pub fn add(&mut self, entry: &Entry) {
        match entry.kind {
            EntryKind::Start => self.of(entry.trace_id).starts += 1,
            EntryKind::Lost => self.of(entry.trace_id).lose(entry.weight),
            kind => self.add_sum(kind, entry.trace_id, entry.key, entry.weight.into()),
        }
    }

    /// Adds to the sum of a key.
    pub(super) fn add_sum(&mut self, kind: EntryKind, trace_id: u8, key: u64, weight: u64) {
        let counts = match kind {
            EntryKind::Mark | EntryKind::Start | EntryKind::Lost => return,
            EntryKind::Target => &mut self.of(trace_id).targets,
            EntryKind::Exception => &mut self.of(trace_id).exceptions,
            EntryKind::Event => &mut self.of(trace_id).events,
            EntryKind::Cycles => &mut self.of(trace_id).cycles,
        };
        let sum = counts.entry(key).or_default();
        *sum = sum.saturating_add(weight);
    }

    /// The sums of a source.
    fn of(&mut self, trace_id: u8) -> &mut Sums {
        self.sources.entry(trace_id).or_default()
    }
}

impl Sums {
    /// The number of words lost since the core's reset; a smaller number than before means another
    /// reset.
    fn lose(&mut self, counter: u32) {
        let new = counter.checked_sub(self.lost_counter).unwrap_or(counter);
        self.losses += 1;
        self.lost_words += u64::from(new);
        self.lost_counter = counter;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost(profile: &mut Profile, counter: u32) {
        profile.add(&Entry {
            kind: EntryKind::Lost,
            trace_id: 1,
            weight: counter,
            key: 0,
        });
    }

    #[test]
    fn lost_words_are_counted_once_and_again_after_a_reset() {
        let mut profile = Profile::default();
        for counter in [5, 8, 8, 2] {
            lost(&mut profile, counter);
        }
        assert_eq!(profile.sources[&1].lost_words, 8 + 2);
        profile.begin_stream();
        lost(&mut profile, 7);
        assert_eq!(profile.sources[&1].lost_words, 8 + 2 + 7);
        assert_eq!(profile.sources[&1].losses, 5);
    }

    #[test]
    fn sums_pass_32_bits_and_stop_at_64() {
        let mut profile = Profile::default();
        let entry = Entry {
            kind: EntryKind::Cycles,
            trace_id: 1,
            weight: u32::MAX,
            key: u64::MAX,
        };
        profile.add(&entry);
        profile.add(&entry);
        let cycles = &mut profile.sources.get_mut(&1).expect("sums").cycles;
        assert_eq!(cycles[&u64::MAX], 2 * u64::from(u32::MAX));
        cycles.insert(u64::MAX, u64::MAX - 1);
        profile.add(&entry);
        assert_eq!(profile.sources[&1].cycles[&u64::MAX], u64::MAX);
    }
}
