// SPDX-License-Identifier: MIT OR Apache-2.0
//! The counts of one program file, by the addresses where it is linked to be.

use std::collections::BTreeMap;

use coretrace_program::Symbols;

use crate::counts::{Counts, Range, Sums};
use crate::exit::Exit;

/// Ranges and branches of a file, by file addresses, whoever executed them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileCounts {
    /// Ranges that are in the file.
    pub ranges: BTreeMap<Range, Sums>,
    /// Branches from the file or to it.
    pub edges: BTreeMap<FileEdge, u64>,
}

/// A branch from a file or to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileEdge {
    /// The address of the branch; `None` in another file, or if it is not known.
    pub from: Option<u64>,
    /// Its target; `None` in another file, or if the trace does not have it.
    pub to: Option<u64>,
    /// Which branch it is; [`Exit::Other`] if that is not known.
    pub exit: Exit,
}

/// The instructions executed in each file, by its number, most first.
pub fn files_by_instructions(counts: &Counts, symbols: &Symbols<'_>) -> Vec<(usize, u64)> {
    let mut files = vec![0_u64; symbols.files().len()];
    for (_, range, sums) in counts.ranges() {
        let file = symbols.link(range.start).map(|linked| linked.file);
        if let Some(sum) = file.and_then(|file| files.get_mut(file)) {
            *sum = sum.saturating_add(sums.instructions);
        }
    }
    let mut files: Vec<(usize, u64)> = files.into_iter().enumerate().collect();
    files.sort_by_key(|&(file, sum)| (std::cmp::Reverse(sum), file));
    files
}

impl FileCounts {
    /// Adds what counts have of a file. A taken branch whose target is not known is a branch to
    /// another file, so that the branches of a range are as many as its visits.
    pub fn add(&mut self, counts: &Counts, symbols: &Symbols<'_>, file: usize) {
        let linked = |address: u64| {
            let linked = symbols.link(address).filter(|linked| linked.file == file)?;
            Some((linked.address, linked.rest))
        };
        let mut unknown: BTreeMap<(u64, Exit), u64> = BTreeMap::new();
        for (_, range, sums) in counts.ranges() {
            let len = range.end.wrapping_sub(range.start);
            let Some((start, _)) = linked(range.start).filter(|(_, rest)| len <= *rest) else {
                continue;
            };
            let end = start.wrapping_add(len);
            let range = Range {
                start,
                end,
                ..*range
            };
            self.ranges.entry(range).or_default().merge(sums);
            if range.exit.is_taken() {
                let visits = unknown.entry((range.last(), range.exit)).or_default();
                *visits = visits.saturating_add(sums.visits);
            }
        }
        for (_, edge, count) in counts.edges() {
            let from = linked(edge.from).map(|(address, _)| address);
            let to = linked(edge.to).map(|(address, _)| address);
            if let Some(visits) = from.and_then(|from| unknown.get_mut(&(from, edge.exit))) {
                *visits = visits.saturating_sub(count);
            }
            if from.is_some() || to.is_some() {
                let exit = edge.exit;
                self.add_edge(FileEdge { from, to, exit }, count);
            }
        }
        let arrivals = counts.groups.values().flat_map(|group| &group.arrivals);
        for (function, count) in arrivals {
            if let Some((to, _)) = linked(*function) {
                let edge = FileEdge {
                    from: None,
                    to: Some(to),
                    exit: Exit::Other,
                };
                self.add_edge(edge, *count);
            }
        }
        for ((from, exit), count) in unknown {
            if count > 0 {
                let from = Some(from);
                self.add_edge(
                    FileEdge {
                        from,
                        to: None,
                        exit,
                    },
                    count,
                );
            }
        }
    }

    fn add_edge(&mut self, edge: FileEdge, count: u64) {
        let sum = self.edges.entry(edge).or_default();
        *sum = sum.saturating_add(count);
    }
}
