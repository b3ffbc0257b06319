// SPDX-License-Identifier: MIT OR Apache-2.0
//! Branches and fall-throughs for `perf2bolt -pa`: BOLT's pre-aggregated profile.
//!
//! `B FROM TO COUNT 0` is a taken branch, without mispredictions, which a trace does not have.
//! `F FIRST LAST COUNT` says that the code from FIRST up to LAST was executed without a taken branch.
//! BOLT makes counts of the edges of its control flow graph of it, so that the ranges of a trace add
//! up: one that ends with a branch that was not taken goes on to the instruction behind it. All are file
//! addresses in hexadecimal; 0 is another file.

use std::collections::BTreeMap;
use std::fmt::Write;

use coretrace_program::FileSymbols;

use crate::exit::Exit;
use crate::linked::FileCounts;

/// Appends the profile of a file.
pub fn write(out: &mut String, counts: &FileCounts, symbols: &FileSymbols<'_>) {
    let mut branches: BTreeMap<(u64, u64), u64> = BTreeMap::new();
    for (edge, count) in &counts.edges {
        let branch = (edge.from.unwrap_or(0), edge.to.unwrap_or(0));
        let sum = branches.entry(branch).or_default();
        *sum = sum.saturating_add(*count);
    }
    // Writing to a string never fails.
    for ((from, to), count) in branches {
        let _ = writeln!(out, "B {from:x} {to:x} {count} 0");
    }
    let function = |address| symbols.function_at(address).map(|(function, _)| function);
    let mut passed: BTreeMap<(u64, u64), u64> = BTreeMap::new();
    for (range, sums) in &counts.ranges {
        let goes_on = range.exit == Exit::NotTaken && function(range.start) == function(range.end);
        let last = if goes_on { range.end } else { range.last() };
        let sum = passed.entry((range.start, last)).or_default();
        *sum = sum.saturating_add(sums.visits);
    }
    for ((first, last), count) in passed {
        let _ = writeln!(out, "F {first:x} {last:x} {count}");
    }
}
