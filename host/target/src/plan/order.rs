// SPDX-License-Identifier: MIT OR Apache-2.0
//! The order of steps: what the rules ask for, and otherwise as they were made.

use coretrace_coresight::map::ComponentKind::Tpiu;

use super::end_order;
use super::step::{Action, Part, Step};
use crate::role::Role::{self, Allowed, Class, Enable, Enabled, Ident, Owner};
use crate::rules::{RULES, Rule, RuleId};
use crate::topology::{Route, Topology};

/// Steps so that every rule holds; of those that may come next, the one that was made first.
///
/// # Panics
/// If two rules contradict each other, and names the steps: that is a fault of the rules.
pub fn sorted(topology: &Topology, route: &Route, steps: Vec<Step>) -> Vec<Step> {
    let mut waits = vec![0usize; steps.len()];
    let mut frees: Vec<Vec<usize>> = vec![Vec::new(); steps.len()];
    for (a, first) in steps.iter().enumerate() {
        for (b, then) in steps.iter().enumerate() {
            if a != b && order(topology, route, first, then).is_some() {
                waits[b] += 1;
                frees[a].push(b);
            }
        }
    }
    let mut ready: std::collections::BTreeSet<usize> =
        (0..steps.len()).filter(|&step| waits[step] == 0).collect();
    let mut sequence = Vec::new();
    while let Some(next) = ready.pop_first() {
        sequence.push(next);
        for &freed in &frees[next] {
            waits[freed] -= 1;
            if waits[freed] == 0 {
                ready.insert(freed);
            }
        }
    }
    let stuck = (0..steps.len()).find(|step| !sequence.contains(step));
    assert!(
        stuck.is_none(),
        "rules contradict each other at {:?}",
        stuck.map(|step| &steps[step])
    );
    let mut steps: Vec<Option<Step>> = steps.into_iter().map(Some).collect();
    sequence
        .into_iter()
        .filter_map(|step| steps[step].take())
        .collect()
}

/// The rule by which one step of a start or of an end must be before another.
pub fn order(topology: &Topology, route: &Route, first: &Step, then: &Step) -> Option<RuleId> {
    if end_order::is_of_end(first) && end_order::is_of_end(then) {
        return end_order::order(topology, route, first, then);
    }
    if first.address == then.address && (first.is_write() || then.is_write()) {
        // A write and what it changes are one fact; the later step says which.
        let is_made_so = first.place_in_fragment < then.place_in_fragment;
        return is_made_so.then(|| then.rules[0]);
    }
    if let Some(rule) = before_writes(topology, first, then) {
        return Some(rule);
    }
    let (a, b) = match (first.part, then.part) {
        (Part::Component(a), Part::Component(b)) => (a, b),
        _ => return with_receiver(topology, first, then),
    };
    if a == b {
        let kind = topology.components[a].kind;
        let orders = |rule: &&Rule| {
            let is_of = rule.kinds.is_empty() || rule.kinds.contains(&kind);
            let mut orders = rule.orders.iter();
            is_of && orders.any(|(from, to)| from.contains(&first.role) && to.contains(&then.role))
        };
        return RULES.iter().find(orders).map(|rule| rule.id);
    }
    let is_on = matches!(first.role, Enable | Enabled) && then.role == Enable;
    let is_below = match topology.components[a].kind {
        // A stopped trace port takes trace and drops it, so that only the source waits for it.
        Tpiu => topology.components[b].kind.is_source(),
        _ => route
            .links
            .iter()
            .any(|link| link.from.0 == b && link.to.0 == a),
    };
    (is_on && is_below).then_some(RuleId::Sink)
}

/// A core is set up in the order of its steps, from a trace unit that is configured, before its port.
fn with_receiver(topology: &Topology, first: &Step, then: &Step) -> Option<RuleId> {
    let holds = match (first.part, then.part) {
        (Part::Receiver(a), Part::Receiver(b)) => {
            a == b && first.place_in_fragment < then.place_in_fragment
        }
        (Part::Receiver(a), Part::Component(b)) => {
            topology.receivers[a].port == b && then.role == Enable
        }
        (Part::Component(a), Part::Receiver(_)) => {
            let is_its = |from| topology.at(from).is_some_and(|(unit, _)| unit == a);
            let is_copied = matches!(then.action, Action::Copy { from } if is_its(from));
            is_copied && !matches!(first.role, Enable | Enabled)
        }
        _ => false,
    };
    holds.then_some(RuleId::Core)
}

/// A session is refused before it has written anything, and a clock is read before what it drives.
fn before_writes(topology: &Topology, first: &Step, then: &Step) -> Option<RuleId> {
    let rule = match first.role {
        Role::Clock => RuleId::Clock,
        Class | Ident => RuleId::Ident,
        Owner => RuleId::Owner,
        Allowed => RuleId::Auth,
        _ => return None,
    };
    let drives = match (first.part, then.part) {
        (Part::Clock(clock), Part::Component(c)) => topology.components[c].clocks.contains(&clock),
        _ => false,
    };
    (drives || then.is_write() && then.role != Role::Clock).then_some(rule)
}
