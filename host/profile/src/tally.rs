// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sums of the source that is being read, before they are added to a profile.

use coretrace_abi::profile_stream::{Entry, EntryKind};
use hashbrown::HashMap;

use super::Profile;

/// Sums by key, in no order.
type Sums = HashMap<u64, u64>;

/// Sums of a source. The profile has them in order of their keys, which costs more for each entry.
#[derive(Debug, Default)]
pub(super) struct Tally {
    trace_id: u8,
    targets: Sums,
    exceptions: Sums,
    events: Sums,
    cycles: Sums,
}

impl Tally {
    /// Adds an entry.
    pub(super) fn add(&mut self, entry: &Entry, profile: &mut Profile) {
        if entry.trace_id != self.trace_id {
            self.add_to(profile);
            self.trace_id = entry.trace_id;
        }
        let sums = match entry.kind {
            EntryKind::Start | EntryKind::Lost | EntryKind::Mark => return profile.add(entry),
            EntryKind::Target => &mut self.targets,
            EntryKind::Exception => &mut self.exceptions,
            EntryKind::Event => &mut self.events,
            EntryKind::Cycles => &mut self.cycles,
        };
        let sum = sums.entry(entry.key).or_default();
        *sum = sum.saturating_add(entry.weight.into());
    }

    /// Moves the sums to a profile.
    pub(super) fn add_to(&mut self, profile: &mut Profile) {
        for (kind, sums) in [
            (EntryKind::Target, &mut self.targets),
            (EntryKind::Exception, &mut self.exceptions),
            (EntryKind::Event, &mut self.events),
            (EntryKind::Cycles, &mut self.cycles),
        ] {
            for (key, sum) in sums.drain() {
                profile.add_sum(kind, self.trace_id, key, sum);
            }
        }
    }
}
