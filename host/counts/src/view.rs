// SPDX-License-Identifier: MIT OR Apache-2.0
//! Counts by function, line, block, and whatever else people ask for.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use coretrace_program::Symbols;

use crate::counts::{Counts, Sums};
use crate::key::Key;
use crate::names::Names;
use crate::pieces::{Shares, pieces};
use crate::who::Who;

/// What rows are about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum By {
    /// Functions of the program, as linked.
    #[default]
    Function,
    /// Functions, with those that were inlined into them as functions of their own.
    Inlined,
    /// Source lines.
    Line,
    /// Ranges of instructions.
    Block,
    /// Taken branches.
    Edge,
    /// Processes; where their names are not known, VMID and context ID.
    Process,
    /// Threads; where their names are not known, VMID and context ID.
    Thread,
    /// CPUs, or trace IDs where the CPU is not known.
    Cpu,
    /// Exception levels and security states.
    ExceptionLevel,
    /// Program files.
    File,
}

impl By {
    /// All of them.
    pub const ALL: [By; 10] = [
        By::Function,
        By::Inlined,
        By::Line,
        By::Block,
        By::Edge,
        By::Process,
        By::Thread,
        By::Cpu,
        By::ExceptionLevel,
        By::File,
    ];

    /// What its rows are about, for people.
    pub fn about(self) -> &'static str {
        match self {
            By::Function => "Functions",
            By::Inlined => "Functions, with those that were inlined as their own",
            By::Line => "Source lines",
            By::Block => "Ranges of instructions",
            By::Edge => "Taken branches",
            By::Process => "Processes of a perf.data; of other traces VMIDs and context IDs",
            By::Thread => "Threads of a perf.data; of other traces the same as process",
            By::Cpu => "CPUs, or trace IDs where the CPU is not known",
            By::ExceptionLevel => "Exception levels and security states",
            By::File => "Program files",
        }
    }

    /// Its name in results: the type of the rows.
    pub fn name(self) -> &'static str {
        match self {
            By::Function => "function",
            By::Inlined => "inlined",
            By::Line => "line",
            By::Block => "block",
            By::Edge => "edge",
            By::Process => "process",
            By::Thread => "thread",
            By::Cpu => "cpu",
            By::ExceptionLevel => "el",
            By::File => "file",
        }
    }
}

/// Sums of what a row is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowSums {
    /// Instructions, cycles, ticks; visits of a block, or how often a branch was taken.
    pub sums: Sums,
    /// How often a function was called: branches with link to it, and branches to its first
    /// instruction from another function or from nobody knows where.
    pub calls: u64,
}

/// Counts by what rows are about.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// The rows in the order of their keys.
    pub rows: BTreeMap<Key, RowSums>,
}

impl View {
    /// Adds the counts of a trace.
    pub fn add(&mut self, by: By, counts: &Counts, symbols: &Symbols<'_>) {
        let names = Names::new(symbols, counts);
        match by {
            By::Function => self.add_functions(&names, counts),
            By::Inlined | By::Line => self.add_lines(by, &names, counts),
            By::Block => {
                for (_, range, sums) in counts.ranges() {
                    let key = names.block(range.start, range.end);
                    self.row(key).sums.merge(sums);
                }
            }
            By::Edge => {
                for (_, edge, count) in counts.edges() {
                    let row = self.row(names.edge(edge));
                    row.sums.visits = row.sums.visits.saturating_add(count);
                }
            }
            By::Process | By::Thread | By::Cpu | By::ExceptionLevel => {
                self.add_named(by, counts, |_| None);
            }
            By::File => {
                for (_, range, sums) in counts.ranges() {
                    self.row(names.program(range.start)).sums.merge(sums);
                }
            }
        }
    }

    /// Adds the counts of a trace by who executed. `key` says what a row is about, where it knows better
    /// than the numbers of the trace.
    pub fn add_named(&mut self, by: By, counts: &Counts, key: impl Fn(&Who) -> Option<Key>) {
        let groups = counts.groups.iter();
        for (who, group) in groups.filter(|(_, group)| !group.ranges.is_empty()) {
            let key = key(who).unwrap_or_else(|| Key {
                name: name_of(by, who),
                ..Key::default()
            });
            let row = self.row(key);
            for sums in group.ranges.values() {
                row.sums.merge(sums);
            }
        }
    }

    /// The rows with most instructions first; of those without any, the most visited first.
    pub fn sorted(&self) -> Vec<(&Key, &RowSums)> {
        let mut rows: Vec<(&Key, &RowSums)> = self.rows.iter().collect();
        rows.sort_by_key(|(_, row)| Reverse((row.sums.instructions, row.sums.visits)));
        rows
    }

    fn row(&mut self, key: Key) -> &mut RowSums {
        self.rows.entry(key).or_default()
    }

    fn add_functions(&mut self, names: &Names<'_, '_>, counts: &Counts) {
        for (_, range, sums) in counts.ranges() {
            let mut shares = Shares::new(sums, range.end.saturating_sub(range.start));
            for piece in pieces(names.symbols, range.start, range.end) {
                let share = shares.next(piece.len);
                self.row(names.function(piece.start)).sums.merge(&share);
            }
        }
        self.add_calls(names, counts);
    }

    fn add_calls(&mut self, names: &Names<'_, '_>, counts: &Counts) {
        for (_, edge, count) in counts.edges() {
            if names.is_entry(edge.to)
                && edge.exit.may_call()
                && (edge.exit.is_call() || !names.is_same_function(edge.from, edge.to))
                && let Some(row) = self.rows.get_mut(&names.function(edge.to))
            {
                row.calls = row.calls.saturating_add(count);
            }
        }
        self.add_arrivals(names, counts);
    }

    fn add_arrivals(&mut self, names: &Names<'_, '_>, counts: &Counts) {
        let arrivals = counts.groups.values().flat_map(|group| &group.arrivals);
        for (function, count) in arrivals {
            if let Some(row) = self.rows.get_mut(&names.function(*function)) {
                row.calls = row.calls.saturating_add(*count);
            }
        }
    }

    fn add_lines(&mut self, by: By, names: &Names<'_, '_>, counts: &Counts) {
        for (_, range, sums) in counts.ranges() {
            let mut shares = Shares::new(sums, range.end.saturating_sub(range.start));
            for piece in pieces(names.symbols, range.start, range.end) {
                let mut at = 0;
                if let Some((file, linked)) = piece.place {
                    let start = linked.address;
                    for line in file.lines(start, start.saturating_add(piece.len)) {
                        // Damaged lines may overlap.
                        let from = (line.start - start).max(at);
                        let to = (line.end - start).min(piece.len);
                        if from >= to {
                            continue;
                        }
                        if from > at {
                            let share = shares.next(from - at);
                            self.row(names.function(piece.start)).sums.merge(&share);
                        }
                        let share = shares.next(to - from);
                        let key = match by {
                            By::Inlined => names.inlined(piece.start, file, start + from),
                            _ => names.line(line.file, line.line),
                        };
                        self.row(key).sums.merge(&share);
                        at = to;
                    }
                }
                if at < piece.len {
                    let share = shares.next(piece.len - at);
                    self.row(names.function(piece.start)).sums.merge(&share);
                }
            }
        }
        if by == By::Inlined {
            self.add_calls(names, counts);
        }
    }
}

/// The name of a row that is about who executed.
fn name_of(by: By, who: &Who) -> String {
    let context = &who.context;
    match by {
        By::Cpu => match who.source.cpu {
            Some(cpu) => format!("CPU {cpu}"),
            None => format!("trace ID {:02x}", who.source.id),
        },
        By::ExceptionLevel => context.to_string(),
        _ => match (context.cid, context.vmid) {
            (Some(cid), None) => format!("context ID {cid:#x}"),
            (Some(cid), Some(vmid)) => format!("VMID {vmid:#x} context ID {cid:#x}"),
            (None, Some(vmid)) => format!("VMID {vmid:#x}"),
            (None, None) => "no context ID".to_owned(),
        },
    }
}
