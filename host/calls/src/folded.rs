// SPDX-License-Identifier: MIT OR Apache-2.0
//! Folded stacks: a line for each path of calls, `a;b;c N`, as flame graph tools read them.

use std::collections::HashMap;
use std::fmt::Write;

use crate::event::Callee;
use crate::names::Names;
use crate::tree::{CallTree, Costs, NodeKind};

/// Appends the paths of a tree with what each cost itself, where that is not 0. With more than one
/// thread a path begins with its thread.
pub fn folded(out: &mut String, tree: &CallTree, names: &impl Names, cost: impl Fn(&Costs) -> u64) {
    let nodes = tree.nodes();
    let threads = nodes.iter().filter(|node| node.parent.is_none()).count();
    let mut known: HashMap<Callee, String> = HashMap::new();
    let mut path = Vec::new();
    for node in nodes {
        let count = cost(&node.own);
        if count == 0 {
            continue;
        }
        path.clear();
        let mut at = Some(node);
        while let Some(node) = at {
            path.push(node.kind);
            at = node.parent.map(|parent| &nodes[parent as usize]);
        }
        if threads == 1 {
            path.pop();
        }
        for (index, kind) in path.iter().rev().enumerate() {
            if index > 0 {
                out.push(';');
            }
            match kind {
                NodeKind::Thread(thread) => out.push_str(&one_word(&names.thread(thread))),
                NodeKind::Frame(callee) => {
                    let name = known
                        .entry(*callee)
                        .or_insert_with(|| one_word(&names.name(*callee)));
                    out.push_str(name);
                }
            }
        }
        // Writing to a string never fails.
        let _ = writeln!(out, " {count}");
    }
}

/// A name without what separates names and lines.
fn one_word(name: &str) -> String {
    let keep = |c: char| match c {
        ';' => ':',
        c if c.is_control() => ' ',
        c => c,
    };
    name.chars().map(keep).collect()
}
