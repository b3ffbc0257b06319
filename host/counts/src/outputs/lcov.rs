// SPDX-License-Identifier: MIT OR Apache-2.0
//! Coverage as `lcov` and `genhtml` read it: how often lines and functions were executed, of all that
//! the debug information has.
//!
//! The count of a line is that of its instruction that was executed most often. A line that has
//! addresses and no count was not executed; one without addresses is not listed.

use std::collections::BTreeMap;
use std::fmt::Write;

use coretrace_program::{FileSymbols, demangle};

use crate::coverage::lines;
use crate::heat::Heat;
use crate::linked::FileCounts;

/// What is known of a source file.
#[derive(Default)]
struct SourceFile {
    lines: BTreeMap<u32, u64>,
    /// The line where a function begins, and how often it was entered.
    functions: BTreeMap<String, (u32, u64)>,
}

/// Appends the coverage of a file.
pub fn write(out: &mut String, counts: &FileCounts, symbols: &FileSymbols<'_>) {
    let heat = Heat::of(counts.ranges.iter());
    let mut files: BTreeMap<String, SourceFile> = BTreeMap::new();
    for function in symbols.functions() {
        if !function.is_function {
            continue;
        }
        let found = symbols.lines(function.start, function.end);
        if let Some(first) = found.iter().find(|line| line.line > 0) {
            let file = files.entry(first.file.to_owned()).or_default();
            let entry = file.functions.entry(demangle(function.name));
            let entered = heat.at(function.start);
            let (_, sum) = entry.or_insert((first.line, 0));
            *sum = sum.saturating_add(entered);
        }
        for (file, line, count) in lines(&found, &heat) {
            let file = files.entry(file.to_owned()).or_default();
            let most = file.lines.entry(line).or_default();
            *most = count.max(*most);
        }
    }
    // Writing to a string never fails.
    for (name, file) in files {
        let _ = writeln!(out, "TN:\nSF:{}", one_line(&name));
        for (function, (line, _)) in &file.functions {
            let _ = writeln!(out, "FN:{line},{}", one_line(function));
        }
        for (function, (_, count)) in &file.functions {
            let _ = writeln!(out, "FNDA:{count},{}", one_line(function));
        }
        let ran = file.functions.values().filter(|(_, count)| *count > 0);
        let _ = writeln!(out, "FNF:{}\nFNH:{}", file.functions.len(), ran.count());
        for (line, count) in &file.lines {
            let _ = writeln!(out, "DA:{line},{count}");
        }
        let ran = file.lines.values().filter(|count| **count > 0);
        let _ = writeln!(
            out,
            "LF:{}\nLH:{}\nend_of_record",
            file.lines.len(),
            ran.count()
        );
    }
}

/// A name without control characters.
fn one_line(name: &str) -> String {
    name.escape_debug().to_string()
}
