// SPDX-License-Identifier: MIT OR Apache-2.0
//! What each function cost, over all paths to it.

use std::collections::HashMap;

use crate::event::Callee;
use crate::tree::{CallTree, Costs, NodeKind};

/// Sums of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionSum {
    /// The function.
    pub callee: Callee,
    /// How often it was called.
    pub calls: u64,
    /// What it cost itself.
    pub own: Costs,
    /// What it cost with all that it called; a function that calls itself counts once.
    pub total: Costs,
}

/// The functions of a tree, those with most instructions of their own first.
pub fn function_sums(tree: &CallTree) -> Vec<FunctionSum> {
    let nodes = tree.nodes();
    let totals = tree.totals();
    let mut numbers: HashMap<Callee, usize> = HashMap::new();
    let mut sums: Vec<FunctionSum> = Vec::new();
    for (node, total) in nodes.iter().zip(&totals) {
        let NodeKind::Frame(callee) = node.kind else {
            continue;
        };
        let number = *numbers.entry(callee).or_insert_with(|| {
            sums.push(FunctionSum {
                callee,
                calls: 0,
                own: Costs::default(),
                total: Costs::default(),
            });
            sums.len() - 1
        });
        let sum = &mut sums[number];
        sum.calls = sum.calls.saturating_add(node.calls);
        sum.own.add(&node.own);
        let mut above = node.parent;
        let is_inside_itself = loop {
            let Some(caller) = above.map(|node| &nodes[node as usize]) else {
                break false;
            };
            if caller.kind == node.kind {
                break true;
            }
            above = caller.parent;
        };
        if !is_inside_itself {
            sum.total.add(total);
        }
    }
    sums.sort_by_key(|sum| (std::cmp::Reverse(sum.own.instructions), sum.callee));
    sums
}
