// SPDX-License-Identifier: MIT OR Apache-2.0
//! The call tree: what was executed, by the path of calls to it.

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::event::{At, Begin, CallSink, Callee, Event, Thread, What};

/// Nodes that are kept, at most. What is called beyond counts for its caller.
const MAX_NODES: usize = 1 << 18;

/// Sums of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Costs {
    /// Instructions.
    pub instructions: u64,
    /// Cycles.
    pub cycles: u64,
    /// Time, in units of the axis.
    pub time: u64,
}

impl Costs {
    /// What passed between two places.
    pub fn between(from: &At, to: &At) -> Costs {
        Costs {
            instructions: to.instructions.saturating_sub(from.instructions),
            cycles: to.cycles.saturating_sub(from.cycles),
            time: to.time.saturating_sub(from.time),
        }
    }

    /// Adds costs.
    pub fn add(&mut self, other: &Costs) {
        self.instructions = self.instructions.saturating_add(other.instructions);
        self.cycles = self.cycles.saturating_add(other.cycles);
        self.time = self.time.saturating_add(other.time);
    }
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NodeKind {
    /// A thread: a root.
    Thread(Thread),
    /// A frame.
    Frame(Callee),
}

/// The number of a node; a caller has a smaller one than what it calls.
pub type NodeId = u32;

/// A path of calls.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// The path to the caller; none for a thread.
    pub parent: Option<NodeId>,
    /// What it is.
    pub kind: NodeKind,
    /// How often it was called.
    pub calls: u64,
    /// What it cost itself.
    pub own: Costs,
}

/// Where a source is.
#[derive(Clone, Copy, Debug, Default)]
struct Cursor {
    thread: Thread,
    at: At,
}

/// The frames of a thread that have not ended.
#[derive(Clone, Debug)]
struct Open {
    node: NodeId,
    /// Frames without a node above it.
    beyond: u64,
}

/// A stretch of a source in which one node ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// Trace ID of the source.
    pub source: u8,
    /// The node; none where nothing is known to have run.
    pub node: Option<NodeId>,
    /// The beginning.
    pub from: At,
    /// The end.
    pub to: At,
}

/// The call tree of all sources of a trace.
#[derive(Clone, Debug, Default)]
pub struct CallTree {
    nodes: Vec<Node>,
    children: HashMap<(Option<NodeId>, NodeKind), NodeId>,
    open: HashMap<Thread, Open>,
    cursors: HashMap<u8, Cursor>,
    /// Frames that have no node of their own.
    pub cut: u64,
}

impl CallTree {
    /// The nodes, callers before what they call.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The costs of each node with all that it calls.
    pub fn totals(&self) -> Vec<Costs> {
        let mut totals: Vec<Costs> = self.nodes.iter().map(|node| node.own).collect();
        for (index, node) in self.nodes.iter().enumerate().rev() {
            if let Some(parent) = node.parent {
                let total = totals[index];
                totals[parent as usize].add(&total);
            }
        }
        totals
    }

    /// The nodes with the number of their callers, each in front of what it calls; those with most
    /// instructions first. `totals` are those of the tree.
    pub fn ordered(&self, totals: &[Costs]) -> Vec<(NodeId, usize)> {
        let mut children: Vec<Vec<NodeId>> = vec![Vec::new(); self.nodes.len()];
        let mut roots = Vec::new();
        for (node, number) in self.nodes.iter().zip(0..) {
            match node.parent {
                Some(parent) => children[parent as usize].push(number),
                None => roots.push(number),
            }
        }
        let by_total = |list: &mut Vec<NodeId>| {
            list.sort_by_key(|&node| (totals[node as usize].instructions, Reverse(node)));
        };
        by_total(&mut roots);
        let mut ordered = Vec::with_capacity(self.nodes.len());
        let mut open: Vec<(NodeId, usize)> = roots.into_iter().map(|root| (root, 0)).collect();
        while let Some((node, depth)) = open.pop() {
            ordered.push((node, depth));
            let below = &mut children[node as usize];
            by_total(below);
            open.extend(below.iter().map(|&node| (node, depth + 1)));
        }
        ordered
    }

    /// Takes the next event; returns what ran before it since the event before of that source.
    pub fn take(&mut self, event: &Event) -> Option<Stretch> {
        let stretch = self.charge(event);
        let thread = event.thread;
        match event.what {
            What::Enter(callee, _, begin) => self.enter(thread, callee, begin),
            What::Leave(..) => self.leave(thread),
            What::Cut(_) | What::End => self.open.retain(|open, _| open.id != thread.id),
            What::Switch | What::Ran { .. } | What::Arrival(_) => {}
        }
        stretch
    }

    fn charge(&mut self, event: &Event) -> Option<Stretch> {
        let cursor = self.cursors.entry(event.thread.id).or_insert(Cursor {
            thread: event.thread,
            at: event.at,
        });
        let ran = cursor.thread;
        let from = cursor.at;
        let costs = Costs::between(&from, &event.at);
        // A frame of another thread may end because the trace does.
        if !matches!(event.what, What::Leave(..)) {
            cursor.thread = event.thread;
        }
        if costs == Costs::default() {
            return None;
        }
        cursor.at = event.at;
        let node = self.open.get(&ran).map(|open| open.node);
        let is_frame = |node: &NodeId| self.nodes[*node as usize].parent.is_some();
        let node = node.filter(is_frame);
        if let Some(node) = node {
            self.nodes[node as usize].own.add(&costs);
        }
        Some(Stretch {
            source: event.thread.id,
            node,
            from,
            to: event.at,
        })
    }

    fn enter(&mut self, thread: Thread, callee: Callee, begin: Begin) {
        let caller = match self.open.get(&thread) {
            Some(open) => Some((open.node, open.beyond)),
            None => self.node(None, NodeKind::Thread(thread)).map(|it| (it, 0)),
        };
        let Some((caller, beyond)) = caller else {
            self.cut += 1;
            return;
        };
        let node = if beyond == 0 {
            self.node(Some(caller), NodeKind::Frame(callee))
        } else {
            None
        };
        let open = match node {
            Some(node) => Open { node, beyond: 0 },
            None => Open {
                node: caller,
                beyond: beyond + 1,
            },
        };
        match node {
            Some(node) => self.nodes[node as usize].calls += u64::from(begin == Begin::Call),
            None => self.cut += 1,
        }
        self.open.insert(thread, open);
    }

    fn leave(&mut self, thread: Thread) {
        let Some(open) = self.open.get_mut(&thread) else {
            return;
        };
        if open.beyond > 0 {
            open.beyond -= 1;
            return;
        }
        if let Some(parent) = self.nodes[open.node as usize].parent {
            open.node = parent;
        }
    }

    /// The node of a callee, which is made if there is room.
    fn node(&mut self, parent: Option<NodeId>, kind: NodeKind) -> Option<NodeId> {
        if let Some(&node) = self.children.get(&(parent, kind)) {
            return Some(node);
        }
        if self.nodes.len() >= MAX_NODES {
            return None;
        }
        let node = self.nodes.len() as NodeId;
        self.nodes.push(Node {
            parent,
            kind,
            calls: 0,
            own: Costs::default(),
        });
        self.children.insert((parent, kind), node);
        Some(node)
    }
}

impl CallSink for CallTree {
    fn event(&mut self, event: &Event) {
        self.take(event);
    }
}
