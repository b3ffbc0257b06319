// SPDX-License-Identifier: MIT OR Apache-2.0
//! The call tree as lines for people.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fmt::Write;

use crate::event::Callee;
use crate::names::Names;
use crate::tree::{CallTree, NodeKind};

/// Appends the tree: with all that was called, and of its own, instructions, cycles and time, then
/// calls; the most expensive paths first. Paths with less than `least` percent of the instructions
/// are left out.
pub fn write_tree(out: &mut String, tree: &CallTree, names: &impl Names, least: f64) {
    let nodes = tree.nodes();
    let totals = tree.totals();
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    let mut roots = Vec::new();
    for (index, node) in nodes.iter().enumerate() {
        match node.parent {
            Some(parent) => children[parent as usize].push(index),
            None => roots.push(index),
        }
    }
    let all: u64 = roots.iter().map(|&root| totals[root].instructions).sum();
    let limit = all as f64 * least / 100.0;
    let mut known: HashMap<Callee, String> = HashMap::new();
    // Writing to a string never fails.
    let _ = writeln!(
        out,
        "{:>14} {:>14} {:>14} {:>14} {:>14} {:>14} {:>12}  path",
        "instructions", "own", "cycles", "own", "time", "own", "calls"
    );
    let by_total = |list: &mut Vec<usize>| {
        list.sort_by_key(|&node| (totals[node].instructions, Reverse(node)));
    };
    by_total(&mut roots);
    let mut open: Vec<(usize, usize)> = roots.into_iter().map(|root| (root, 0)).collect();
    let mut left_out = 0_u64;
    while let Some((index, depth)) = open.pop() {
        let (node, total) = (&nodes[index], &totals[index]);
        if (total.instructions as f64) < limit {
            left_out += 1;
            continue;
        }
        let name = match node.kind {
            NodeKind::Thread(thread) => names.thread(&thread),
            NodeKind::Frame(callee) => known
                .entry(callee)
                .or_insert_with(|| names.name(callee).escape_debug().to_string())
                .clone(),
        };
        let own = &node.own;
        let _ = writeln!(
            out,
            "{:>14} {:>14} {:>14} {:>14} {:>14} {:>14} {:>12}  {:indent$}{name}",
            total.instructions,
            own.instructions,
            total.cycles,
            own.cycles,
            total.time,
            own.time,
            node.calls,
            "",
            indent = 2 * depth.min(100),
        );
        let below = &mut children[index];
        by_total(below);
        open.extend(below.iter().map(|&node| (node, depth + 1)));
    }
    if left_out > 0 {
        let _ = writeln!(
            out,
            "{left_out} paths with less than {least} % of the instructions are left out, and what they call"
        );
    }
}
