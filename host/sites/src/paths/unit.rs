// SPDX-License-Identifier: MIT OR Apache-2.0
//! Follows a program by paths, and walks along those that are not known.

use coretrace_etm::SourceConfig;

use super::{MOST_PACKETS, Path, PathCache};
use crate::commit::CommitQueue;
use crate::counts::SiteCounts;
use crate::item::FlowItem;
use crate::merge::{Merge, Token};
use crate::table::FlowTable;
use crate::unit::FlowUnit;
use crate::walk::Walk;

/// What a program did by paths: its sums are those of a [`FlowUnit`].
#[derive(Clone, Debug)]
pub struct PathUnit {
    queue: CommitQueue,
    follower: Follower,
}

/// What is behind the commit queue.
#[derive(Clone, Debug)]
struct Follower {
    merge: Merge,
    walk: Walk,
    cache: PathCache,
    /// Packets of a path, at most.
    most: usize,
    /// Atoms that have not been followed; its site is not known yet.
    waiting: Path,
    /// Paths that were looked for, and those that were known.
    looks: (u64, u64),
}

impl PathUnit {
    /// Of a source, with paths of at most `packets` packets.
    ///
    /// # Panics
    /// If these are 0 or more than [`MOST_PACKETS`].
    pub fn new(source: &SourceConfig, cache: PathCache, packets: usize) -> PathUnit {
        assert!((1..=MOST_PACKETS).contains(&packets), "{packets} packets");
        let (queue, merge, walk) = FlowUnit::new(source).parts();
        PathUnit {
            queue,
            follower: Follower {
                merge,
                walk,
                cache,
                most: packets,
                waiting: Path::new(0),
                looks: (0, 0),
            },
        }
    }

    /// Takes an item. Branches of paths that are known are counted later.
    pub fn item(&mut self, item: FlowItem, table: &FlowTable, counts: &mut SiteCounts) {
        let PathUnit { queue, follower } = self;
        queue.item(item, &mut |item| follower.item(item, table, counts));
    }

    /// Counts all branches so far.
    pub fn count(&mut self, table: &FlowTable, counts: &mut SiteCounts) {
        self.follower.end_path(table, counts);
        self.follower.count(table, counts);
    }

    /// Paths that were looked for, and those of them that were known.
    pub fn looks(&self) -> (u64, u64) {
        self.follower.looks
    }

    /// Atoms that were walked, and that were skipped.
    pub fn atoms(&self) -> (u64, u64) {
        self.follower.walk.atoms()
    }
}

impl Follower {
    fn item(&mut self, item: FlowItem, table: &FlowTable, counts: &mut SiteCounts) {
        if let FlowItem::Atoms { bits, count } = item
            && self.walk.has_paths()
        {
            if count > 0 {
                self.waiting.push(bits, count);
            }
            if self.waiting.packets() == self.most {
                self.end_path(table, counts);
            }
            return;
        }
        self.end_path(table, counts);
        if item == FlowItem::ReadOut {
            self.count(table, counts);
        }
        let Follower { merge, walk, .. } = self;
        merge.item(item, table, &mut |token| {
            walk.token(&token, table, &mut |event| counts.add(&event));
        });
    }

    /// Follows the atoms that wait.
    fn end_path(&mut self, table: &FlowTable, counts: &mut SiteCounts) {
        let atoms = std::mem::replace(&mut self.waiting, Path::new(0));
        if atoms.packets() == 0 {
            return;
        }
        let Follower {
            merge,
            walk,
            cache,
            looks,
            ..
        } = self;
        let mut token = |walk: &mut Walk, token: &Token| {
            walk.token(token, table, &mut |event| counts.add(&event));
        };
        merge.begin_path(&mut |it| token(walk, &it));
        let path = walk.begin_path(table).map(|site| atoms.from(site));
        if let Some(path) = &path {
            looks.0 += 1;
            if let Some(end) = cache.find(path) {
                looks.1 += 1;
                let atoms = path.atoms().map(|(_, count)| u64::from(count)).sum();
                walk.follow(&end, atoms, &mut |event| counts.add(&event));
                return;
            }
        }
        for (bits, count) in atoms.atoms() {
            let item = FlowItem::Atoms { bits, count };
            merge.item(item, table, &mut |it| token(walk, &it));
        }
        // A walk that is lost on the way is no path.
        if let Some(path) = path
            && let Some(end) = path.walk(table, |_| ())
        {
            merge.begin_path(&mut |it| token(walk, &it));
            if let Some((path, hits)) = cache.insert(path, end) {
                count_path(&path, hits, table, counts);
            }
        }
    }

    fn count(&mut self, table: &FlowTable, counts: &mut SiteCounts) {
        for (path, hits) in self.cache.take_hits() {
            count_path(&path, hits, table, counts);
        }
    }
}

/// Counts the branches of a path as often as it was found.
fn count_path(path: &Path, hits: u64, table: &FlowTable, counts: &mut SiteCounts) {
    path.walk(table, |site| counts.taken[site as usize] += hits);
}
