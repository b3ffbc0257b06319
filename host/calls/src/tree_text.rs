// SPDX-License-Identifier: MIT OR Apache-2.0
//! The call tree as lines for people.

use std::cmp::Reverse;
use std::fmt::Write;

use crate::names::{KnownNames, Names};
use crate::tree::{CallTree, Costs};

/// The paths that are written.
#[derive(Clone, Copy, Debug)]
pub enum Shown {
    /// Those with at least so many percent of the instructions.
    Percent(f64),
    /// So many, those with most instructions.
    Top(usize),
}

/// Appends the tree: with all that was called, and of its own, instructions, cycles and time, then
/// calls; the most expensive paths first, and callers in front of what they call.
pub fn write_tree(out: &mut String, tree: &CallTree, names: &impl Names, shown: Shown) {
    let nodes = tree.nodes();
    let totals = tree.totals();
    let is_shown = shown.of(tree, &totals);
    let mut names = KnownNames::new(names);
    // Writing to a string never fails.
    let _ = writeln!(
        out,
        "{:>14} {:>14} {:>14} {:>14} {:>14} {:>14} {:>12}  path",
        "instructions", "own", "cycles", "own", "time", "own", "calls"
    );
    for (number, depth) in tree.ordered(&totals) {
        let number = number as usize;
        if !is_shown[number] {
            continue;
        }
        let (node, total, own) = (&nodes[number], &totals[number], &nodes[number].own);
        let _ = writeln!(
            out,
            "{:>14} {:>14} {:>14} {:>14} {:>14} {:>14} {:>12}  {:indent$}{}",
            total.instructions,
            own.instructions,
            total.cycles,
            own.cycles,
            total.time,
            own.time,
            node.calls,
            "",
            names.of(node.kind).escape_debug(),
            indent = 2 * depth.min(100),
        );
    }
    let hidden = is_shown.iter().filter(|is_shown| !**is_shown).count();
    let _ = match shown {
        _ if hidden == 0 => Ok(()),
        Shown::Percent(least) => writeln!(
            out,
            "{hidden} paths with less than {least} % of the instructions are left out"
        ),
        Shown::Top(_) => writeln!(out, "{hidden} more: --top {} shows them all", nodes.len()),
    };
}

impl Shown {
    /// Whether each node is shown; a caller is if anything is that it calls.
    fn of(self, tree: &CallTree, totals: &[Costs]) -> Vec<bool> {
        match self {
            Shown::Percent(least) => {
                let own = tree.nodes().iter().map(|node| node.own.instructions);
                let limit = own.sum::<u64>() as f64 * least / 100.0;
                let is_shown = |total: &Costs| total.instructions as f64 >= limit;
                totals.iter().map(is_shown).collect()
            }
            Shown::Top(top) => {
                let mut ranks: Vec<usize> = (0..totals.len()).collect();
                // Of equal ones the caller is first, because its number is smaller.
                ranks.sort_by_key(|&node| Reverse(totals[node].instructions));
                let mut is_shown = vec![false; totals.len()];
                for node in ranks.into_iter().take(top) {
                    is_shown[node] = true;
                }
                is_shown
            }
        }
    }
}
