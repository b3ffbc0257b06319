// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which functions, lines and instructions of a program ran, of those that exist.

use std::collections::BTreeMap;

use coretrace_program::{FileSymbols, LineRange, demangle};

use crate::heat::Heat;
use crate::linked::FileCounts;

/// What ran of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionCoverage {
    /// Its name, demangled.
    pub name: String,
    /// Its first file address.
    pub start: u64,
    /// The source file and line where it begins.
    pub place: Option<(String, u32)>,
    /// How often its first instruction was executed.
    pub entered: u64,
    /// Bytes of instructions that ran, and that exist. Constants between instructions exist too.
    pub bytes: (u64, u64),
    /// Lines that ran, and that exist.
    pub lines: (u64, u64),
    /// Blocks that ran: beginnings of ranges.
    pub blocks: u64,
}

/// The coverage of each function of a file, by addresses.
pub fn coverage(counts: &FileCounts, symbols: &FileSymbols<'_>) -> Vec<FunctionCoverage> {
    let heat = Heat::of(counts.ranges.iter());
    let mut starts: Vec<u64> = counts.ranges.keys().map(|range| range.start).collect();
    starts.dedup();
    let functions = symbols.functions();
    let functions = functions.iter().filter(|function| function.is_function);
    functions
        .map(|function| {
            let (start, end) = (function.start, function.end);
            let found = symbols.lines(start, end);
            let first = found.iter().find(|line| line.line > 0);
            let mut by_line: BTreeMap<(&str, u32), u64> = BTreeMap::new();
            for (file, line, count) in lines(&found, &heat) {
                let most = by_line.entry((file, line)).or_default();
                *most = count.max(*most);
            }
            let ran = by_line.values().filter(|count| **count > 0).count();
            let bytes = heat.within(start, end).map(|it| it.end - it.start).sum();
            let before = |address| starts.partition_point(|it| *it < address);
            FunctionCoverage {
                name: demangle(function.name),
                start,
                place: first.map(|line| (line.file.to_owned(), line.line)),
                entered: heat.at(start),
                bytes: (bytes, end - start),
                lines: (ran as u64, by_line.len() as u64),
                blocks: (before(end) - before(start)) as u64,
            }
        })
        .collect()
}

/// File, line and count of line ranges; a line may come several times.
pub fn lines<'s>(
    found: &'s [LineRange<'s>],
    heat: &'s Heat,
) -> impl Iterator<Item = (&'s str, u32, u64)> {
    let with_line = found.iter().filter(|line| line.line > 0);
    with_line.map(|line| (line.file, line.line, heat.most(line.start, line.end)))
}
