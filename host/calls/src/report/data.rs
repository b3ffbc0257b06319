// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the scripts of a page draw: the call tree and the timeline, thinned to a size.

use std::cmp::Reverse;
use std::collections::HashMap;

use serde::Serialize;

use crate::event::{Axis, Callee};
use crate::names::Names;
use crate::tree::{Costs, NodeKind};

use super::Report;
use super::number::{MAX_NAME, duration, grouped, shortened};

/// Nodes of the tree, at most.
const MAX_NODES: usize = 15_000;
/// Bytes of the data, at most. The rest of the page is shorter than what is left.
const MAX_DATA: usize = 5_000_000;

/// The data of a page.
#[derive(Serialize)]
struct Data {
    /// Names of nodes.
    names: Vec<String>,
    /// Which of them are exceptions.
    exceptions: Vec<usize>,
    /// By node: the node above it, or -1.
    parent: Vec<i64>,
    /// By node: its name.
    name: Vec<usize>,
    /// By node: calls.
    calls: Vec<u64>,
    /// What nodes cost themselves.
    metrics: Vec<Metric>,
    /// The timeline.
    lanes: Vec<Lane>,
    /// Below it, marks: for each piece its distance from the begin of the one before it, its length, and its name.
    marks: Vec<Lane>,
    /// The unit of the timeline.
    unit: &'static str,
    /// Ticks in a second, 0 if that is not known.
    hertz: f64,
    /// The length of the timeline.
    span: u64,
    /// Nodes of the first rows are threads.
    has_threads: bool,
}

#[derive(Serialize)]
struct Metric {
    label: &'static str,
    own: Vec<u64>,
}

#[derive(Serialize)]
struct Lane {
    label: String,
    /// For each piece: its distance from the end of the one before it, its length, and its node or -1.
    pieces: Vec<i64>,
}

/// The data as JSON for a script element, and what was left out, as sentences.
pub fn data(report: &Report<'_>) -> (String, Vec<String>) {
    let mut limit = MAX_NODES;
    loop {
        let (data, mut thinned) = thin(report, limit);
        // Nothing in it can end the element.
        let json = serde_json::to_string(&data).unwrap_or_default();
        let json = json.replace('<', "\\u003c");
        if json.len() <= MAX_DATA || limit < 100 {
            thinned.extend(of_timeline(report));
            thinned.extend(of_marks(report));
            return (json, thinned);
        }
        limit /= 2;
    }
}

fn of_timeline(report: &Report<'_>) -> Option<String> {
    let samples = &report.collected.samples;
    (samples.least() > 0).then(|| {
        format!(
            "The timeline has {} pieces for {} stretches between calls and returns: pieces shorter than \
             {} were put together, and show what ran longest in them.",
            grouped(samples.samples().len() as u64),
            grouped(samples.stretches),
            duration(samples.least(), report.axis(), report.frequency),
        )
    })
}

fn of_marks(report: &Report<'_>) -> Option<String> {
    let dropped = report.marks.dropped;
    (dropped > 0).then(|| {
        format!(
            "The timeline has the first marks of STM and ITM; {} more are left out.",
            grouped(dropped)
        )
    })
}

fn thin(report: &Report<'_>, limit: usize) -> (Data, Vec<String>) {
    let tree = &report.collected.tree;
    let nodes = tree.nodes();
    let totals = tree.totals();
    let mut order: Vec<usize> = (0..nodes.len()).collect();
    // A caller has a total that is not smaller, and a smaller number.
    order.sort_by_key(|&node| (Reverse(totals[node].instructions), node));
    order.truncate(limit);
    order.sort_unstable();
    let has_threads = nodes.iter().filter(|node| node.parent.is_none()).count() > 1;

    let mut names = Interned::default();
    let mut data = Data {
        names: Vec::new(),
        exceptions: Vec::new(),
        parent: Vec::new(),
        name: Vec::new(),
        calls: Vec::new(),
        metrics: Vec::new(),
        lanes: Vec::new(),
        marks: Vec::new(),
        unit: report.axis().unit(),
        hertz: report.frequency.unwrap_or(0.0),
        span: 0,
        has_threads,
    };
    let mut own: Vec<Costs> = Vec::new();
    // Where each node is in the data, and the one with the sums of what is left out below it.
    let mut kept: HashMap<usize, usize> = HashMap::new();
    let mut rest: HashMap<usize, usize> = HashMap::new();
    for &index in &order {
        let node = &nodes[index];
        let parent = node
            .parent
            .and_then(|parent| kept.get(&(parent as usize)).copied());
        let name = match node.kind {
            NodeKind::Thread(thread) => report.symbols.thread(&thread),
            NodeKind::Frame(callee) => report.symbols.name(callee),
        };
        let is_exception = matches!(node.kind, NodeKind::Frame(Callee::Exception(_)));
        kept.insert(index, data.parent.len());
        data.parent.push(parent.map_or(-1, |parent| parent as i64));
        data.name.push(names.number(&name, is_exception));
        data.calls.push(node.calls);
        own.push(node.own);
    }
    let mut left_out = 0_u64;
    let mut left_costs = Costs::default();
    let mut place: Vec<usize> = Vec::with_capacity(nodes.len());
    for (index, node) in nodes.iter().enumerate() {
        if let Some(&at) = kept.get(&index) {
            place.push(at);
            continue;
        }
        let above = node
            .parent
            .map(|parent| place[parent as usize])
            .unwrap_or_default();
        let at = if above >= order.len() {
            above
        } else {
            *rest.entry(above).or_insert_with(|| {
                data.parent.push(above as i64);
                data.name.push(names.number("(smaller calls)", false));
                data.calls.push(0);
                own.push(Costs::default());
                own.len() - 1
            })
        };
        place.push(at);
        data.calls[at] = data.calls[at].saturating_add(node.calls);
        own[at].add(&node.own);
        left_out += 1;
        left_costs.add(&node.own);
    }
    marks(&mut data, report, &mut names);
    data.exceptions = std::mem::take(&mut names.exceptions);
    data.names = names.names;
    metrics(&mut data, report, &own);
    lanes(&mut data, report, &place);
    let mut thinned = Vec::new();
    if left_out > 0 {
        thinned.push(format!(
            "The flame graph has {} of {} paths of calls: the others, with {} of {} instructions, are \
             summed up as “smaller calls”.",
            grouped(order.len() as u64),
            grouped(nodes.len() as u64),
            grouped(left_costs.instructions),
            grouped(report.counts().instructions),
        ));
    }
    if tree.cut > 0 {
        thinned.push(format!(
            "{} calls have no path of their own, because there are too many: they count for their callers.",
            grouped(tree.cut)
        ));
    }
    (data, thinned)
}

/// Names by number.
#[derive(Default)]
struct Interned {
    names: Vec<String>,
    numbers: HashMap<String, usize>,
    exceptions: Vec<usize>,
}

impl Interned {
    fn number(&mut self, name: &str, is_exception: bool) -> usize {
        let name = shortened(name, MAX_NAME);
        if let Some(&number) = self.numbers.get(&name) {
            return number;
        }
        let number = self.names.len();
        if is_exception {
            self.exceptions.push(number);
        }
        self.names.push(name.clone());
        self.numbers.insert(name, number);
        number
    }
}

fn metrics(data: &mut Data, report: &Report<'_>, own: &[Costs]) {
    let mut add = |label, of: fn(&Costs) -> u64| {
        data.metrics.push(Metric {
            label,
            own: own.iter().map(of).collect(),
        });
    };
    add("instructions", |costs| costs.instructions);
    if own.iter().any(|costs| costs.cycles > 0) {
        add("cycles", |costs| costs.cycles);
    }
    if report.axis() == Axis::Ticks && own.iter().any(|costs| costs.time > 0) {
        add("time", |costs| costs.time);
    }
}

fn lanes(data: &mut Data, report: &Report<'_>, place: &[usize]) {
    let (begin, end) = report.span().unwrap_or_default();
    data.span = end - begin;
    for source in &report.sources {
        let samples = report.collected.samples.samples().iter();
        let mut samples: Vec<_> = samples
            .filter(|sample| sample.source == source.id)
            .collect();
        samples.sort_by_key(|sample| sample.from);
        let mut at = begin;
        let mut pieces = Vec::with_capacity(3 * samples.len());
        for sample in samples {
            let from = sample.from.max(at);
            let to = sample.to.max(from);
            let node = sample.node.map_or(-1, |node| place[node as usize] as i64);
            pieces.extend([(from - at) as i64, (to - from) as i64, node]);
            at = to;
        }
        data.lanes.push(Lane {
            label: format!("ID {:02x}", source.id),
            pieces,
        });
    }
}

/// Marks, as far as they are at a time at which something ran.
fn marks(data: &mut Data, report: &Report<'_>, names: &mut Interned) {
    let (begin, end) = report.span().unwrap_or_default();
    for (label, marks) in report.marks.rows() {
        let mut at = begin;
        let mut pieces = Vec::with_capacity(3 * marks.len());
        for mark in marks {
            let to = mark.to.unwrap_or(end).min(end);
            let from = mark.from.max(begin);
            if from > to {
                continue;
            }
            let name = names.number(&mark.name, false);
            pieces.extend([(from - at) as i64, (to - from) as i64, name as i64]);
            at = from;
        }
        if !pieces.is_empty() {
            data.marks.push(Lane {
                label: label.to_owned(),
                pieces,
            });
        }
    }
}
