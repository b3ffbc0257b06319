// SPDX-License-Identifier: MIT OR Apache-2.0
//! The hottest functions with the lines of their sources.

use std::collections::{BTreeMap, HashMap};

use coretrace_isa::Isa;
use coretrace_program::LoadedFunction;

use crate::event::{Callee, Entry};
use crate::sums::{FunctionSum, function_sums};

use super::Report;

/// Functions that are listed.
const MAX_FUNCTIONS: usize = 100;
/// Lines of a function that are listed.
const MAX_LINES: usize = 40;

/// A function of the list.
pub struct HotFunction {
    /// Its sums.
    pub sum: FunctionSum,
    /// Where it begins in its sources.
    pub place: Option<(String, u32)>,
    /// Its hottest lines in the order of their files: file, line, instructions.
    pub lines: Vec<(String, u32, u64)>,
    /// Lines that were executed and are not listed.
    pub left_out: usize,
}

/// The hottest functions, and how many there are.
pub fn hot(report: &Report<'_>) -> (Vec<HotFunction>, usize) {
    let sums = function_sums(&report.collected.tree);
    let count = sums.len();
    let listed: Vec<FunctionSum> = sums.into_iter().take(MAX_FUNCTIONS).collect();
    let mut lines = lines(report, &listed);
    let functions = listed.into_iter().map(|sum| {
        let mut lines: Vec<(String, u32, u64)> = match sum.callee {
            Callee::Function(entry) => lines
                .remove(&entry)
                .unwrap_or_default()
                .into_iter()
                .map(|((file, line), count)| (file, line, count))
                .collect(),
            _ => Vec::new(),
        };
        let left_out = lines.len().saturating_sub(MAX_LINES);
        lines.sort_by_key(|(_, _, count)| std::cmp::Reverse(*count));
        lines.truncate(MAX_LINES);
        lines.sort();
        let place = match sum.callee {
            Callee::Function(Entry { process, start }) => {
                let symbols = report.symbols.of(process);
                let place = symbols.line(start);
                place.map(|(file, line)| (file.to_owned(), line))
            }
            _ => None,
        };
        HotFunction {
            sum,
            place,
            lines,
            left_out,
        }
    });
    (functions.collect(), count)
}

/// Instructions by file and line.
type Lines = BTreeMap<(String, u32), u64>;

/// The lines of the functions, by where these begin.
fn lines(report: &Report<'_>, listed: &[FunctionSum]) -> HashMap<Entry, Lines> {
    let mut found: HashMap<Entry, Lines> = HashMap::new();
    for sum in listed {
        if let Callee::Function(entry) = sum.callee {
            found.insert(entry, Lines::new());
        }
    }
    for (&(process, start, end, isa), &count) in &report.blocks.blocks {
        let symbols = report.symbols.of(process);
        let step = if isa == Isa::T32 { 2 } else { 4 };
        let mut address = start;
        while address < end {
            let lines = symbols.function(address).and_then(|function| {
                let LoadedFunction { process, start, .. } = function;
                found.get_mut(&Entry { process, start })
            });
            if let (Some(lines), Some((file, line))) = (lines, symbols.line(address)) {
                *lines.entry((file.to_owned(), line)).or_default() += count;
            }
            let Some(next) = address.checked_add(step) else {
                break;
            };
            address = next;
        }
    }
    found
}
