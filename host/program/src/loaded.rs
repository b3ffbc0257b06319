// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which file is where in memory.

use std::collections::BTreeMap;

/// Parts of files in memory.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    /// By the first address.
    parts: BTreeMap<u64, Part>,
}

/// A part of a file in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The address behind its last byte.
    pub end: u64,
    /// What an address has more than the file address, modulo 2^64.
    pub bias: u64,
    /// The number of the file.
    pub file: usize,
    /// The process that it is of; `None` if every process has it.
    pub process: Option<u32>,
}

impl Loaded {
    /// The parts by the address of their first byte.
    pub fn parts(&self) -> impl Iterator<Item = (u64, Part)> {
        self.parts.iter().map(|(&start, &part)| (start, part))
    }

    /// Adds a part; what was there before is not any more.
    pub fn add(&mut self, start: u64, part: Part) {
        if start >= part.end {
            return;
        }
        let before = self.parts.range(..start).next_back();
        if let Some((&first, &old)) = before.filter(|(_, old)| old.end > start) {
            self.parts.insert(first, Part { end: start, ..old });
            self.keep_behind(part.end, old);
        }
        let inside: Vec<u64> = self
            .parts
            .range(start..part.end)
            .map(|(&at, _)| at)
            .collect();
        for first in inside {
            if let Some(old) = self.parts.remove(&first) {
                self.keep_behind(part.end, old);
            }
        }
        self.parts.insert(start, part);
    }

    fn keep_behind(&mut self, end: u64, old: Part) {
        if old.end > end {
            self.parts.insert(end, old);
        }
    }

    /// The part at an address.
    pub fn at(&self, address: u64) -> Option<Part> {
        let (_, part) = self.parts.range(..=address).next_back()?;
        (address < part.end).then_some(*part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_newest_part_at_an_address_counts(
            parts in prop::collection::vec((0_u64..40, 0_u64..12), 1..20),
        ) {
            let mut loaded = Loaded::default();
            for (file, &(start, len)) in parts.iter().enumerate() {
                loaded.add(start, Part { end: start + len, bias: 0, file, process: None });
            }
            for address in 0..60 {
                let holds = |&(start, len): &(u64, u64)| (start..start + len).contains(&address);
                let want = parts.iter().rposition(holds);
                prop_assert_eq!(loaded.at(address).map(|part| part.file), want, "{}", address);
            }
        }
    }
}
