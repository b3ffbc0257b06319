// SPDX-License-Identifier: MIT OR Apache-2.0
//! Strongly connected components: the loops of a netlist.

/// Number of the strongly connected component of every node, by Tarjan's method without recursion.
pub fn components(edges: &[Vec<usize>]) -> Vec<usize> {
    const NEW: usize = usize::MAX;
    let mut order = vec![NEW; edges.len()];
    let mut low = vec![NEW; edges.len()];
    let mut component = vec![NEW; edges.len()];
    let (mut visited, mut found) = (0, 0);
    let mut open = Vec::new();
    for root in 0..edges.len() {
        if order[root] != NEW {
            continue;
        }
        let mut calls = vec![(root, 0)];
        while let Some((node, next)) = calls.pop() {
            if next == 0 {
                (order[node], low[node]) = (visited, visited);
                visited += 1;
                open.push(node);
            } else {
                low[node] = low[node].min(low[edges[node][next - 1]]);
            }
            // The first edge from `next` on that leads to a new node is followed now.
            let mut step = next;
            while step < edges[node].len() && order[edges[node][step]] != NEW {
                let target = edges[node][step];
                if component[target] == NEW {
                    low[node] = low[node].min(order[target]);
                }
                step += 1;
            }
            if step < edges[node].len() {
                calls.push((node, step + 1));
                calls.push((edges[node][step], 0));
            } else if low[node] == order[node] {
                while let Some(member) = open.pop() {
                    component[member] = found;
                    if member == node {
                        break;
                    }
                }
                found += 1;
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::components;

    #[test]
    fn nodes_share_a_component_if_and_only_if_each_reaches_the_other() {
        // Two loops, 0-1-2 and 3-4, a bridge from the first to the second, and a tail 5.
        let edges = [vec![1], vec![2], vec![0, 3], vec![4], vec![3, 5], vec![]];
        let of = components(&edges);
        assert_eq!(of[0], of[1]);
        assert_eq!(of[0], of[2]);
        assert_eq!(of[3], of[4]);
        assert_ne!(of[0], of[3]);
        assert_ne!(of[3], of[5]);
    }
}
