// SPDX-License-Identifier: MIT OR Apache-2.0
//! The cache of paths: sets of a few places each.

use super::Path;
use crate::walk::PathEnd;

/// Which path of a set makes room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Replacement {
    /// The one that was not found for the longest time.
    LeastRecent,
    /// Any.
    #[default]
    Random,
}

/// A path in the cache.
#[derive(Clone, Copy, Debug)]
struct Known {
    path: Path,
    end: PathEnd,
    /// How often it was found since it was counted.
    hits: u64,
    /// When it was found, or came.
    newest: u64,
}

/// Paths that are known.
#[derive(Clone, Debug)]
pub struct PathCache {
    ways: usize,
    replacement: Replacement,
    /// By set and way.
    places: Vec<Option<Known>>,
    /// Looks so far.
    looks: u64,
    random: u64,
}

impl PathCache {
    /// An empty cache of 2^`set_bits` sets with so many places each.
    ///
    /// # Panics
    /// If there is no place.
    pub fn new(set_bits: u32, ways: usize, replacement: Replacement) -> PathCache {
        assert!(ways > 0, "a cache has places");
        PathCache {
            ways,
            replacement,
            places: vec![None; ways << set_bits],
            looks: 0,
            random: 1,
        }
    }

    fn set(&mut self, path: &Path) -> &mut [Option<Known>] {
        let sets = self.places.len() / self.ways;
        let set = path.hash() as usize & (sets - 1);
        &mut self.places[set * self.ways..][..self.ways]
    }

    /// Where a path leads, if it is known. It is counted once more later.
    pub fn find(&mut self, path: &Path) -> Option<PathEnd> {
        self.looks += 1;
        let looks = self.looks;
        let mut known = self.set(path).iter_mut().flatten();
        let known = known.find(|known| known.path == *path)?;
        known.hits += 1;
        known.newest = looks;
        Some(known.end)
    }

    /// Takes a path that was not found. Returns the one that made room, with how often it must be
    /// counted.
    pub fn insert(&mut self, path: Path, end: PathEnd) -> Option<(Path, u64)> {
        // A shift register.
        self.random = self.random >> 1 ^ (self.random & 1).wrapping_neg() & 0xD800_0000_0000_0000;
        let (looks, replacement) = (self.looks, self.replacement);
        let random = (self.random % self.ways as u64) as usize;
        let set = self.set(&path);
        if set.iter().flatten().any(|known| known.path == path) {
            return None;
        }
        let free = set.iter().position(Option::is_none);
        let age = |place: &&mut Option<Known>| place.map_or(0, |known| known.newest);
        let place = match (free, replacement) {
            (Some(free), _) => &mut set[free],
            (None, Replacement::Random) => &mut set[random],
            (None, Replacement::LeastRecent) => set.iter_mut().min_by_key(age)?,
        };
        let known = Known {
            path,
            end,
            hits: 0,
            newest: looks,
        };
        let before = place.replace(known)?;
        (before.hits > 0).then_some((before.path, before.hits))
    }

    /// The paths that were found, with how often they must be counted. They stay.
    pub fn take_hits(&mut self) -> impl Iterator<Item = (Path, u64)> {
        let found = self.places.iter_mut().flatten();
        found.filter_map(|known| {
            let hits = std::mem::take(&mut known.hits);
            (hits > 0).then_some((known.path, hits))
        })
    }
}
