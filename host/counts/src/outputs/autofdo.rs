// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ranges and branches for `llvm-profgen --unsymbolized-profile`, which makes a profile for
//! `clang -fprofile-sample-use` of them.
//!
//! The number of ranges, a line for each, `FIRST-LAST:COUNT`, then the number of branches, and a line
//! for each, `FROM->TO:COUNT`. LAST is the address of the last instruction. All are file addresses in
//! hexadecimal; a target in another file, or one that the trace does not have, is 0, and so is where a
//! function was entered from if nobody knows. The branch list of
//! Android's simpleperf has the same lines, with a list of addresses between both.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::exit::Exit;
use crate::linked::FileCounts;

/// Appends the profile of a file.
pub fn write(out: &mut String, counts: &FileCounts) {
    let mut ranges: BTreeMap<(u64, u64), u64> = BTreeMap::new();
    for (range, sums) in &counts.ranges {
        let sum = ranges.entry((range.start, range.last())).or_default();
        *sum = sum.saturating_add(sums.visits);
    }
    let mut branches: BTreeMap<(u64, u64), u64> = BTreeMap::new();
    for (edge, count) in &counts.edges {
        let arrives = edge.exit == Exit::Other;
        if let Some(from) = edge.from.or(arrives.then_some(0)) {
            let sum = branches.entry((from, edge.to.unwrap_or(0))).or_default();
            *sum = sum.saturating_add(*count);
        }
    }
    // Writing to a string never fails.
    let _ = writeln!(out, "{}", ranges.len());
    for ((first, last), count) in ranges {
        let _ = writeln!(out, "{first:x}-{last:x}:{count}");
    }
    let _ = writeln!(out, "{}", branches.len());
    for ((from, to), count) in branches {
        let _ = writeln!(out, "{from:x}->{to:x}:{count}");
    }
}
