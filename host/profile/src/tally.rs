// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sums of the source that is being read, before they are added to a profile.

use coretrace_abi::profile_stream::{Entry, EntryKind};
use hashbrown::HashMap;

use super::Profile;

/// Sums of a source. The profile has them in order of their keys, which costs more for each entry.
#[derive(Debug, Default)]
pub(super) struct Tally {
    trace_id: u8,
    /// By kind, from [`FIRST`] on.
    sums: [Sums; KINDS.len()],
}

/// The kinds with keys.
const KINDS: [EntryKind; 4] = [
    EntryKind::Target,
    EntryKind::Exception,
    EntryKind::Event,
    EntryKind::Cycles,
];
/// The first of them.
const FIRST: usize = EntryKind::Target as usize;

impl Tally {
    /// Adds an entry.
    #[inline(always)]
    pub(super) fn add(&mut self, entry: &Entry, profile: &mut Profile) {
        if entry.trace_id != self.trace_id {
            self.add_to(profile);
            self.trace_id = entry.trace_id;
        }
        match self.sums.get_mut((entry.kind as usize).wrapping_sub(FIRST)) {
            Some(sums) => sums.add(entry.key, entry.weight),
            None => profile.add(entry),
        }
    }

    /// Moves the sums to a profile.
    pub(super) fn add_to(&mut self, profile: &mut Profile) {
        for (kind, sums) in KINDS.into_iter().zip(&mut self.sums) {
            for (key, sum) in sums.take() {
                profile.add_sum(kind, self.trace_id, key, sum);
            }
        }
    }
}

/// Sums by key, in no order. Keys come again soon, so a small table is in front of the large one.
#[derive(Debug)]
struct Sums {
    /// A key and its sum, at the place of the key.
    recent: Box<[(u64, u64); PLACES]>,
    all: HashMap<u64, u64>,
}

/// Places of the small table.
const PLACES_W: u32 = 12;
const PLACES: usize = 1 << PLACES_W;

impl Default for Sums {
    fn default() -> Sums {
        Sums {
            recent: Box::new([(0, 0); PLACES]),
            all: HashMap::new(),
        }
    }
}

impl Sums {
    /// Keys of a small program have places of their own.
    #[inline(always)]
    fn add(&mut self, key: u64, weight: u32) {
        let place = (key ^ key >> PLACES_W) as usize % PLACES;
        let (recent, sum) = &mut self.recent[place];
        if *recent == key {
            *sum = sum.saturating_add(weight.into());
        } else {
            self.replace(place, key, weight);
        }
    }

    #[cold]
    fn replace(&mut self, place: usize, key: u64, weight: u32) {
        let (before, sum) = std::mem::replace(&mut self.recent[place], (key, weight.into()));
        move_to(&mut self.all, before, sum);
    }

    /// All sums.
    fn take(&mut self) -> HashMap<u64, u64> {
        for recent in self.recent.iter_mut() {
            let (key, sum) = std::mem::take(recent);
            move_to(&mut self.all, key, sum);
        }
        std::mem::take(&mut self.all)
    }
}

/// Adds a sum of the small table to the large one. Key 0 with sum 0 is also a place without a key:
/// an entry of weight 0 adds nothing.
fn move_to(all: &mut HashMap<u64, u64>, key: u64, sum: u64) {
    if (key, sum) != (0, 0) {
        let all = all.entry(key).or_default();
        *all = all.saturating_add(sum);
    }
}
