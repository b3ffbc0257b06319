// SPDX-License-Identifier: MIT OR Apache-2.0
//! Branches by symbol for `llvm-bolt -data`: what perf2bolt makes of a profile.
//!
//! `1 SYMBOL OFFSET 1 SYMBOL OFFSET 0 COUNT` is a branch, or a step from one block to that behind it:
//! from the last instruction of the one to the first of the other. Blocks begin at targets of branches.
//! What is in no symbol of the file is `0 [unknown] 0`. A local symbol has the number that BOLT gives
//! it: the how many-th local symbol of its name it is, by addresses.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;

use coretrace_isa::Isa;
use coretrace_program::FileSymbols;

use crate::exit::Exit;
use crate::linked::FileCounts;

/// Appends the profile of a file.
pub fn write(out: &mut String, counts: &FileCounts, symbols: &FileSymbols<'_>) {
    let mut branches: BTreeMap<(Option<u64>, Option<u64>), u64> = BTreeMap::new();
    let mut add = |from, to, count: u64| {
        let sum = branches.entry((from, to)).or_default();
        *sum = sum.saturating_add(count);
    };
    for (edge, count) in &counts.edges {
        // BOLT takes what is behind a call from the counts of the call.
        if edge.exit != Exit::Return {
            add(edge.from, edge.to, *count);
        }
    }
    let targets = counts.edges.keys().filter_map(|edge| edge.to);
    let starts = counts.ranges.keys().map(|range| range.start);
    let leaders: BTreeSet<u64> = targets.chain(starts).collect();
    for (range, sums) in &counts.ranges {
        let inside = range.start.saturating_add(1)..range.end.max(range.start.saturating_add(1));
        // In T32 it is not known where the instruction in front of an address begins.
        if range.isa != Isa::T32 {
            for &leader in leaders.range(inside) {
                add(Some(leader - 4), Some(leader), sums.visits);
            }
        }
        if range.exit == Exit::NotTaken {
            add(Some(range.last()), Some(range.end), sums.visits);
        }
    }
    let names = Names::new(symbols);
    for ((from, to), count) in branches {
        let (from, to) = (names.place(from), names.place(to));
        // Writing to a string never fails.
        let _ = writeln!(out, "{from} {to} 0 {count}");
    }
}

/// The names that BOLT gives symbols.
struct Names<'s, 'a> {
    symbols: &'s FileSymbols<'a>,
    /// The numbers of local symbols by their addresses.
    locals: HashMap<u64, u32>,
}

impl<'s, 'a> Names<'s, 'a> {
    fn new(symbols: &'s FileSymbols<'a>) -> Names<'s, 'a> {
        let mut seen: HashMap<&str, u32> = HashMap::new();
        let mut locals = HashMap::new();
        let functions = symbols.functions();
        for function in functions.iter().filter(|function| function.is_local) {
            let number = seen.entry(function.name).or_default();
            *number += 1;
            locals.insert(function.start, *number);
        }
        Names { symbols, locals }
    }

    fn place(&self, address: Option<u64>) -> String {
        let found =
            address.and_then(|address| Some((address, self.symbols.function_at(address)?.0)));
        let Some((address, function)) = found else {
            return "0 [unknown] 0".to_owned();
        };
        let name = escaped(function.name);
        let offset = address - function.start;
        match self.locals.get(&function.start) {
            Some(number) if function.is_local => format!("1 {name}/{number} {offset:x}"),
            _ => format!("1 {name} {offset:x}"),
        }
    }
}

/// Spaces and backslashes separate and escape.
fn escaped(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            '\n' | '\r' | '\t' => out.push('?'),
            ' ' | '\\' => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out
}
