// SPDX-License-Identifier: MIT OR Apache-2.0
//! One kernel into independent processes.
//!
//! A kernel is one list of statements, but one `always` block for all of them would make every
//! output depend on every input: simulators then see loops through sub-blocks that are not there.
//! Statements that assign the same signal stay together; a lone assignment becomes `assign`.

use std::collections::{BTreeMap, BTreeSet};

use super::place::Place;

/// An unconditional assignment.
pub(super) struct Write {
    pub target: Place,
    pub value: String,
}

/// A statement at the top level of a kernel.
pub(super) struct Step {
    /// rust-hdl's names of the signals and constants that are read.
    pub reads: BTreeSet<String>,
    /// rust-hdl's names of the signals that are assigned.
    pub writes: BTreeSet<String>,
    /// Verilog of the statement.
    pub lines: Vec<String>,
    /// Set if the statement is one unconditional assignment.
    pub write: Option<Write>,
}

/// Printed processes of a kernel.
#[derive(Default)]
pub(super) struct Processes {
    pub lines: Vec<String>,
    /// rust-hdl's names of the signals that `always` blocks assign: they are declared `reg`.
    pub regs: BTreeSet<String>,
    /// rust-hdl's names of signals whose process reads constants only but is not a plain
    /// assignment: `always @(*)` would never run.
    pub frozen: BTreeSet<String>,
}

/// Groups the statements of a kernel and prints each group.
pub(super) fn processes(steps: &[Step], is_constant: impl Fn(&str) -> bool) -> Processes {
    let mut out = Processes::default();
    for group in groups(steps) {
        let writes: BTreeSet<_> = group
            .iter()
            .flat_map(|step| &step.writes)
            .cloned()
            .collect();
        let reads: BTreeSet<_> = group.iter().flat_map(|step| &step.reads).collect();
        if let Some(lines) = plain(&group, &reads) {
            out.lines.extend(lines);
        } else {
            if reads
                .iter()
                .all(|name| is_constant(name) || writes.contains(*name))
            {
                out.frozen.extend(writes.iter().cloned());
            }
            out.regs.extend(writes);
            out.lines.push("always @(*) begin".to_string());
            let lines = group.iter().flat_map(|step| &step.lines);
            out.lines.extend(lines.map(|line| format!("  {line}")));
            out.lines.push("end".to_string());
        }
    }
    out
}

/// Statements that share a signal they assign, or of which one reads what a later one assigns.
fn groups(steps: &[Step]) -> Vec<Vec<&Step>> {
    let mut group_of: Vec<usize> = (0..steps.len()).collect();
    let mut merge = |a: usize, b: usize| {
        let (from, to) = (group_of[a].max(group_of[b]), group_of[a].min(group_of[b]));
        for group in &mut group_of {
            if *group == from {
                *group = to;
            }
        }
    };
    let mut writers: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (i, step) in steps.iter().enumerate() {
        for name in &step.writes {
            writers.entry(name).or_default().push(i);
        }
    }
    for (i, step) in steps.iter().enumerate() {
        for name in &step.writes {
            merge(i, writers[name.as_str()][0]);
        }
        for name in &step.reads {
            let writers = writers.get(name.as_str());
            // A value that is final can be read from outside.
            if let Some(last) = writers.and_then(|all| all.last())
                && *last > i
            {
                merge(i, *last);
            }
        }
    }
    let mut groups: BTreeMap<usize, Vec<&Step>> = BTreeMap::new();
    for (step, group) in steps.iter().zip(group_of) {
        groups.entry(group).or_default().push(step);
    }
    groups.into_values().collect()
}

/// A group as plain assignments, if it has no branches and reads nothing that it assigns.
///
/// The assignments are to disjoint parts, because a later one overrules an earlier one that it
/// covers; partly covered ones stay in an `always` block.
fn plain(group: &[&Step], reads: &BTreeSet<&String>) -> Option<Vec<String>> {
    let mut live: Vec<&Write> = vec![];
    for step in group {
        let write = step.write.as_ref()?;
        if reads.contains(&write.target.name) {
            return None;
        }
        let (low, high) = span(&write.target);
        live.retain(|old| {
            let (from, to) = span(&old.target);
            old.target.name != write.target.name || from < low || to > high
        });
        let overlaps = |old: &&Write| {
            let (from, to) = span(&old.target);
            old.target.name == write.target.name && from < high && low < to
        };
        if live.iter().any(overlaps) {
            return None;
        }
        live.push(write);
    }
    let line = |write: &&Write| format!("assign {} = {};", write.target.verilog(), write.value);
    Some(live.iter().map(line).collect())
}

fn span(place: &Place) -> (usize, usize) {
    (place.offset, place.offset + place.width)
}
