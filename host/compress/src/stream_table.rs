// SPDX-License-Identifier: MIT OR Apache-2.0
//! Streams by index: sets of ways, of which the one that was used longest ago is replaced.

use coretrace_abi::compressed::stream_cache::{SETS, WAYS};

/// The address of a stream, or its lower bits, and its length.
pub type Key = (u64, u32);

/// An entry of the table.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    key: Option<Key>,
    /// When it was used last.
    used: u64,
}

/// The table. Index 0 is none.
#[derive(Clone, Debug)]
pub struct StreamTable {
    entries: Vec<Entry>,
    uses: u64,
}

impl StreamTable {
    /// An empty table.
    pub fn new() -> StreamTable {
        StreamTable {
            entries: vec![Entry::default(); SETS * WAYS],
            uses: 0,
        }
    }

    /// The indices of a set, which is the low bits of a number.
    fn places(number: u64) -> impl Iterator<Item = usize> {
        let set = number as usize % SETS;
        (set * WAYS..(set + 1) * WAYS).filter(|&index| index != 0)
    }

    /// The index of a stream.
    pub fn find(&self, number: u64, key: Key) -> Option<usize> {
        Self::places(number).find(|&index| self.entries[index].key == Some(key))
    }

    /// A stream was used.
    pub fn hit(&mut self, index: usize) {
        self.uses += 1;
        self.entries[index].used = self.uses;
    }

    /// Puts a stream where it is, into a free entry, or into the oldest one; the index.
    pub fn put(&mut self, number: u64, key: Key) -> usize {
        let age = |&index: &usize| {
            let entry = &self.entries[index];
            (entry.key.is_some(), entry.used)
        };
        let found = self.find(number, key);
        let index = found.or_else(|| Self::places(number).min_by_key(age));
        let index = index.unwrap_or_default();
        self.entries[index].key = Some(key);
        self.hit(index);
        index
    }
}
