// SPDX-License-Identifier: MIT OR Apache-2.0
//! Loops: what a program repeats.
//!
//! A taken branch that is no call and no return, and goes backwards or to itself within a function,
//! closes a loop: its target is the header. All such branches to one header make one loop, from the
//! header up to the last of them. In code that compilers lay out in order that is the natural loop of
//! the header; blocks of the loop that are elsewhere, such as unlikely ones, are not in it, and a
//! `continue` to a header that is behind the body closes no loop of its own.

use std::collections::{BTreeMap, HashMap};

use coretrace_program::Symbols;

use crate::counts::{Counts, Sums};
use crate::exit::Exit;
use crate::key::Key;
use crate::names::Names;
use crate::pieces::Shares;

/// A loop that was executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// Function, line and file addresses.
    pub key: Key,
    /// How often a branch went back to the header.
    pub iterations: u64,
    /// How often the program went into the loop: by a jump from in front of the header, which may be to
    /// any place of the loop, by a call, or by going on at the header.
    pub entries: u64,
    /// What was executed in the loop, without what it calls.
    pub sums: Sums,
}

impl Loop {
    /// Adds the same loop of another process or trace.
    pub fn merge(&mut self, other: &Loop) {
        self.iterations = self.iterations.saturating_add(other.iterations);
        self.entries = self.entries.saturating_add(other.entries);
        self.sums.merge(&other.sums);
    }
}

/// The loops of a trace, by the addresses of their headers in memory.
pub fn loops(counts: &Counts, symbols: &Symbols<'_>) -> Vec<Loop> {
    let names = Names::new(symbols, counts);
    let ends: HashMap<u64, u64> = counts
        .ranges()
        .map(|(_, range, _)| (range.last(), range.end))
        .collect();
    // By the address of the header: the end of the loop, and how often it was closed.
    let mut found: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
    for (_, edge, count) in counts.edges() {
        let is_jump = matches!(edge.exit, Exit::Jump | Exit::IndirectJump);
        if is_jump && edge.to <= edge.from && names.is_same_function(edge.from, edge.to) {
            let (end, iterations) = found.entry(edge.to).or_default();
            *end = ends.get(&edge.from).copied().unwrap_or(edge.from).max(*end);
            *iterations = iterations.saturating_add(count);
        }
    }
    let mut all: BTreeMap<(u64, u64), Sums> = BTreeMap::new();
    for (_, range, sums) in counts.ranges() {
        let sum = all.entry((range.start, range.end)).or_default();
        sum.merge(sums);
    }
    let longest = all.keys().map(|(start, end)| end.saturating_sub(*start));
    let longest = longest.max().unwrap_or(0);
    let ways = Ways::new(counts, &names);
    let of = |(&header, &(end, iterations)): (&u64, &(u64, u64))| {
        let (mut sums, mut visits, mut entries) = (Sums::default(), 0_u64, 0_u64);
        let near = all.range((header.saturating_sub(longest), 0)..(end, 0));
        for (&(start, stop), range) in near.filter(|((_, stop), _)| *stop > header) {
            let mut shares = Shares::new(range, stop - start);
            shares.next(header.saturating_sub(start));
            let inside = shares.next(stop.min(end).saturating_sub(start.max(header)));
            sums.merge(&inside);
            if start <= header {
                visits = visits.saturating_add(range.visits);
            }
            if start < header {
                entries = entries.saturating_add(range.visits);
            }
        }
        sums.visits = visits;
        entries = entries.saturating_add(ways.entries(header, end));
        Loop {
            key: names.block(header, end),
            iterations,
            entries,
            sums,
        }
    };
    found.iter().map(of).collect()
}

/// The ways into places that do not begin inside a range.
struct Ways<'n, 's, 'a> {
    names: &'n Names<'s, 'a>,
    /// Branches by their targets, and how often they were taken.
    branches: BTreeMap<(u64, u64), (Exit, u64)>,
    /// How often ranges that end here went on here.
    passed: HashMap<u64, u64>,
}

impl Ways<'_, '_, '_> {
    fn new<'n, 's, 'a>(counts: &Counts, names: &'n Names<'s, 'a>) -> Ways<'n, 's, 'a> {
        let mut branches = BTreeMap::new();
        for (_, edge, count) in counts.edges() {
            let (_, sum) = branches
                .entry((edge.to, edge.from))
                .or_insert((edge.exit, 0_u64));
            *sum = sum.saturating_add(count);
        }
        let mut passed: HashMap<u64, u64> = HashMap::new();
        for (_, range, sums) in counts.ranges() {
            if range.exit == Exit::NotTaken {
                let sum = passed.entry(range.end).or_default();
                *sum = sum.saturating_add(sums.visits);
            }
        }
        Ways {
            names,
            branches,
            passed,
        }
    }

    /// How often the program went into a loop.
    fn entries(&self, header: u64, end: u64) -> u64 {
        let near = self.branches.range((header, 0)..(end, 0));
        let outside = near.filter(|((_, from), _)| !(header..end).contains(from));
        let entries = outside.filter(|&(&(to, from), (exit, _))| match exit {
            Exit::Jump | Exit::IndirectJump => {
                from < header || !self.names.is_same_function(from, header)
            }
            Exit::Call | Exit::IndirectCall => true,
            // Of a call in front of the header; those inside the loop return behind it.
            Exit::Return => to == header,
            Exit::Other | Exit::NotTaken | Exit::ExceptionReturn => false,
        });
        let entries = entries.map(|(_, (_, count))| *count);
        let passed = self.passed.get(&header).copied().unwrap_or(0);
        entries.fold(passed, u64::saturating_add)
    }
}
