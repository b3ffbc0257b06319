// SPDX-License-Identifier: MIT OR Apache-2.0
//! The order of the steps that end a session: what the rules ask for. The undo makes one such order.

use std::collections::BTreeSet;

use coretrace_coresight::map::ComponentKind::{Funnel, Replicator};

use super::step::{Part, Step};
use crate::role::Role;
use crate::rules::RuleId;
use crate::topology::{Index, Route, Topology};

/// Whether a step is one of the end of a session.
pub fn is_of_end(step: &Step) -> bool {
    matches!(step.role, Role::Regain | Role::Stop | Role::Stopped)
}

/// The rule by which one step of an end must be before another.
pub fn order(topology: &Topology, route: &Route, first: &Step, then: &Step) -> Option<RuleId> {
    match (first.part, then.part) {
        (a, b) if a == b => in_part(first, then),
        (Part::Component(a), Part::Clock(clock)) => {
            let needs = topology.components[a].clocks.contains(&clock);
            (needs && then.is_write()).then_some(RuleId::Clock)
        }
        (Part::Component(a), Part::Receiver(core)) => {
            let port = topology.receivers[core].port;
            let feeds = a == port || below(route, a, &|_| true).contains(&port);
            (feeds && passes_trace(first)).then_some(RuleId::Core)
        }
        (Part::Component(a), Part::Component(b)) => {
            let is_ordered = passes_trace(first) && passes_trace(then);
            (is_ordered && ends_before(topology, route, a, b)).then_some(RuleId::Flush)
        }
        _ => None,
    }
}

/// Each step of a component relies on those before it: it is regained, stopped, and given back. Two reads change
/// nothing, and one output of a replicator may be written before another.
fn in_part(first: &Step, then: &Step) -> Option<RuleId> {
    let is_made_so = first.place_in_fragment < then.place_in_fragment;
    let are_reads = !first.is_write() && !then.is_write();
    let is_route = |step: &Step| step.is_write() && step.rules[0] == RuleId::Filter;
    let are_routes = is_route(first) && is_route(then);
    (is_made_so && !are_reads && !are_routes).then(|| then.rules[0])
}

/// Whether a step changes or reads whether its component passes trace.
fn passes_trace(step: &Step) -> bool {
    use RuleId::{Busy, Filter, Flush, Idle, Sink};
    step.role != Role::Regain && matches!(step.rules[0], Busy | Filter | Flush | Idle | Sink)
}

/// Whether a component stops before another one does: a source or a buffer before what is below it, and before the
/// funnels that feed it, because a funnel holds bytes until a flush. A replicator holds none, but those of a funnel
/// above it go through it.
fn ends_before(topology: &Topology, route: &Route, a: Index, b: Index) -> bool {
    let is = |of: Index, kind| topology.components[of].kind == kind;
    let is_link = |of: Index| is(of, Funnel) || is(of, Replicator);
    let feeds = || below(route, b, &is_link).contains(&a);
    let hands_on = |from: Index| is(from, Funnel) && below(route, from, &is_link).contains(&b);
    let is_below = || below(route, a, &|_| true).contains(&b);
    !is_link(a)
        && match topology.components[b].kind {
            Funnel => feeds(),
            Replicator if (0..topology.components.len()).any(hands_on) => feeds(),
            _ => is_below(),
        }
}

/// What is below a component, by ways through some components.
fn below(route: &Route, of: Index, leads_on: &dyn Fn(Index) -> bool) -> BTreeSet<Index> {
    let (mut found, mut open) = (BTreeSet::new(), vec![of]);
    while let Some(at) = open.pop() {
        for link in route.links.iter().filter(|link| link.from.0 == at) {
            if found.insert(link.to.0) && leads_on(link.to.0) {
                open.push(link.to.0);
            }
        }
    }
    found
}
