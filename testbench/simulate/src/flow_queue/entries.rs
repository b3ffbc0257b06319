// SPDX-License-Identifier: MIT OR Apache-2.0
//! The entries that `Merge` makes of items: how many E atoms they have, and whether an address begins them.

use super::QueueItem;

/// N atoms that go out without an E.
const MOST_NOT_TAKEN: u32 = 28;

/// What the serializer must know of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    pub has_address: bool,
    pub taken: u32,
    /// There is nothing but cycles.
    pub only_counts: bool,
}

/// What waits for the next entry.
#[derive(Clone, Copy, Debug, Default)]
pub struct Entries {
    has_address: bool,
    not_taken: u32,
    /// The return stack is forgotten in front of it.
    forgets: bool,
    /// The next address is that of an exception, and it is a target too.
    is_excepted: bool,
    is_target: bool,
}

impl Entries {
    /// Takes an item.
    pub fn item(&mut self, item: QueueItem) -> Option<Entry> {
        let waits = self.has_address || self.not_taken > 0;
        let is_excepted = std::mem::take(&mut self.is_excepted);
        let is_target = std::mem::take(&mut self.is_target);
        match item {
            QueueItem::Atoms { taken, tail, .. } => {
                let (taken, tail) = (u32::from(taken), u32::from(tail));
                if taken == 0 && self.not_taken + tail < MOST_NOT_TAKEN {
                    self.not_taken += tail;
                    return None;
                }
                let entry = self.entry(taken);
                self.not_taken = tail;
                Some(entry)
            }
            QueueItem::Address if is_excepted => {
                self.has_address |= is_target;
                Some(self.entry(0))
            }
            QueueItem::Address => {
                let entry = waits.then(|| self.entry(0));
                self.has_address = true;
                entry
            }
            QueueItem::Exception { is_target } => {
                (self.is_excepted, self.is_target) = (true, is_target);
                waits.then(|| self.entry(0))
            }
            QueueItem::TraceInfo => {
                let entry = waits.then(|| self.entry(0));
                self.forgets = true;
                entry
            }
            QueueItem::Q | QueueItem::Gap => Some(self.entry(0)),
            QueueItem::Cycles => {
                let only_counts = !(waits || is_excepted || self.forgets);
                let entry = self.entry(0);
                Some(Entry {
                    only_counts,
                    ..entry
                })
            }
            QueueItem::Jump => None,
        }
    }

    /// What waits goes out with so many E atoms.
    fn entry(&mut self, taken: u32) -> Entry {
        self.not_taken = 0;
        self.forgets = false;
        Entry {
            has_address: std::mem::take(&mut self.has_address),
            taken,
            only_counts: false,
        }
    }
}
