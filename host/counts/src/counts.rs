// SPDX-License-Identifier: MIT OR Apache-2.0
//! Counts of ranges and branches.

use std::collections::BTreeMap;

use coretrace_flow::{Processes, Range as Executed};
use coretrace_isa::Isa;
use serde::{Deserialize, Serialize};

use crate::exit::Exit;
use crate::totals::Totals;
use crate::who::{Source, Who};

/// What was executed how often, by who executed it. Sums saturate.
///
/// Equal counts have equal fields, and [`Counts::merge`] is associative and commutative: the counts
/// of parts do not depend on how they were made or in which order they come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Ranges and branches of each source in each context.
    pub groups: BTreeMap<Who, Group>,
    /// How complete each source is.
    pub sources: BTreeMap<Source, Totals>,
}

/// The names of instruction sets.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Isa")]
enum IsaName {
    A64,
    A32,
    T32,
}

/// Ranges and branches of one source in one context.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// Ranges of instructions.
    pub ranges: BTreeMap<Range, Sums>,
    /// How often a branch went to a target.
    pub edges: BTreeMap<Edge, u64>,
    /// How often the program reached the beginning of a function, where it is not known from which branch.
    /// A trace says it; counts of a core do not.
    pub arrivals: BTreeMap<u64, u64>,
}

/// Instructions that are executed one after the other, and how they are left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Range {
    /// Address of the first one.
    pub start: u64,
    /// Address behind the last one.
    pub end: u64,
    /// Their instruction set.
    #[serde(with = "IsaName")]
    pub isa: Isa,
    /// How the range is left.
    pub exit: Exit,
    /// Bytes of the last instruction.
    pub last_size: u8,
}

impl From<&Executed> for Range {
    fn from(executed: &Executed) -> Range {
        Range {
            start: executed.start,
            end: executed.end,
            isa: executed.isa,
            exit: Exit::of(executed),
            last_size: executed.last.size,
        }
    }
}

impl Range {
    /// Address of the last instruction.
    pub fn last(&self) -> u64 {
        self.end.wrapping_sub(self.last_size.into())
    }
}

/// Sums of a range, over all visits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sums {
    /// How often it was executed.
    pub visits: u64,
    /// Instructions executed.
    pub instructions: u64,
    /// Cycles, where the trace counts them.
    pub cycles: u64,
    /// Ticks between timestamps, where the trace has them.
    pub ticks: u64,
}

impl Sums {
    /// Adds others.
    pub fn merge(&mut self, other: &Sums) {
        self.visits = self.visits.saturating_add(other.visits);
        self.instructions = self.instructions.saturating_add(other.instructions);
        self.cycles = self.cycles.saturating_add(other.cycles);
        self.ticks = self.ticks.saturating_add(other.ticks);
    }
}

/// A taken branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge {
    /// The address of the branch.
    pub from: u64,
    /// Its target.
    pub to: u64,
    /// Which branch it is.
    pub exit: Exit,
}

impl Counts {
    /// Adds that a range was executed so often: what something else counted, such as a core.
    pub fn add_range(&mut self, who: Who, executed: &Executed, visits: u64) {
        let group = self.groups.entry(who).or_default();
        let sums = group.ranges.entry(executed.into()).or_default();
        sums.merge(&Sums {
            visits,
            instructions: visits.saturating_mul(executed.count.into()),
            ..Sums::default()
        });
    }

    /// Adds cycles to a range: what something else counted.
    pub fn add_cycles(&mut self, who: Who, executed: &Executed, cycles: u64) {
        let group = self.groups.entry(who).or_default();
        let sums = group.ranges.entry(executed.into()).or_default();
        sums.cycles = sums.cycles.saturating_add(cycles);
    }

    /// Adds that the branch at the end of a range went so often to a target.
    pub fn add_branch(&mut self, who: Who, executed: &Executed, to: u64, count: u64) {
        let range = Range::from(executed);
        let edge = Edge {
            from: range.last(),
            to,
            exit: range.exit,
        };
        let group = self.groups.entry(who).or_default();
        let sum = group.edges.entry(edge).or_default();
        *sum = sum.saturating_add(count);
    }

    /// Adds that the program reached the beginning of a function so often, nobody knows from which branch.
    pub fn add_arrivals(&mut self, who: Who, function: u64, count: u64) {
        let group = self.groups.entry(who).or_default();
        let sum = group.arrivals.entry(function).or_default();
        *sum = sum.saturating_add(count);
    }

    /// Adds the counts of another part, source or trace.
    pub fn merge(&mut self, other: &Counts) {
        for (who, group) in &other.groups {
            self.groups.entry(*who).or_default().merge(group);
        }
        for (source, totals) in &other.sources {
            self.sources.entry(*source).or_default().merge(totals);
        }
    }

    /// The counts of each process, and of what is of none. How complete sources are is in the latter.
    pub fn by_process(self, processes: &Processes) -> BTreeMap<Option<u32>, Counts> {
        let sources = self.sources;
        let groups = BTreeMap::new();
        let mut split = BTreeMap::from([(None, Counts { groups, sources })]);
        for (who, group) in self.groups {
            let process = processes.of(who.context.vmid, who.context.cid);
            let counts: &mut Counts = split.entry(process).or_default();
            counts.groups.insert(who, group);
        }
        split
    }

    /// The sums of all sources.
    pub fn total(&self) -> Totals {
        let mut total = Totals::default();
        for source in self.sources.values() {
            total.merge(source);
        }
        total
    }

    /// Every range of every group.
    pub fn ranges(&self) -> impl Iterator<Item = (&Who, &Range, &Sums)> {
        let groups = self.groups.iter();
        groups.flat_map(|(who, group)| {
            group
                .ranges
                .iter()
                .map(move |(range, sums)| (who, range, sums))
        })
    }

    /// Every branch of every group.
    pub fn edges(&self) -> impl Iterator<Item = (&Who, &Edge, u64)> {
        let groups = self.groups.iter();
        groups.flat_map(|(who, group)| {
            group
                .edges
                .iter()
                .map(move |(edge, count)| (who, edge, *count))
        })
    }
}

impl Group {
    /// Adds those of another group.
    pub fn merge(&mut self, other: &Group) {
        for (range, sums) in &other.ranges {
            self.ranges.entry(*range).or_default().merge(sums);
        }
        for (edge, count) in &other.edges {
            let sum = self.edges.entry(*edge).or_default();
            *sum = sum.saturating_add(*count);
        }
        for (function, count) in &other.arrivals {
            let sum = self.arrivals.entry(*function).or_default();
            *sum = sum.saturating_add(*count);
        }
    }
}
