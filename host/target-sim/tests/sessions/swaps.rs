// SPDX-License-Identifier: MIT OR Apache-2.0
//! Steps that change places, are left out, or break a rule: some world shows it.

use crate::session::{Verdict, plan, run, zynqmp};
use crate::worlds::{Named, broken, worlds};
use coretrace_target::Topology;
use coretrace_target::plan::{Plan, Role, Step, order};

/// A wait that may come too early, because the wait for FtStopped behind it covers it.
fn is_covered(step: &Step) -> bool {
    step.place == "tpiu.FFCR" && step.role == Role::Halted
}

/// A session whose verdicts in some worlds are known.
struct Known {
    topology: Topology,
    plan: Plan,
    worlds: Vec<(Named, Verdict)>,
}

impl Known {
    fn new() -> Known {
        let topology = zynqmp();
        let plan = plan(&topology, &[0], &["tpiu"]);
        let judged = |named: Named| {
            let verdict = run(&topology, &plan, &plan.steps, named.world.clone());
            (named, verdict)
        };
        let worlds = worlds(&topology, &plan).into_iter().map(judged).collect();
        Known {
            topology,
            plan,
            worlds,
        }
    }

    /// The worlds in which other steps give another verdict: the common ones, then those in which one of
    /// some steps does not work.
    fn differing(&self, steps: &[Step], suspects: &[&Step]) -> Option<String> {
        let differs = |named: &Named, verdict: &Verdict| {
            run(&self.topology, &self.plan, steps, named.world.clone()) != *verdict
        };
        let found = self
            .worlds
            .iter()
            .find(|(named, verdict)| differs(named, verdict));
        if let Some((named, _)) = found {
            return Some(named.name.clone());
        }
        // A check is there for the write before it: those of its component that others rely on.
        let is_relied_on = |step: &&Step| {
            let is_part = suspects.iter().any(|suspect| suspect.part == step.part);
            is_part && step.is_write() && step.role != Role::Configure
        };
        let suspects = self
            .plan
            .steps
            .iter()
            .filter(|step| suspects.contains(step) || is_relied_on(step));
        let mut broken = suspects.flat_map(|step| broken(&self.topology, &self.plan, step));
        let found = broken.find(|named| {
            let world = named.world.clone();
            let verdict = run(&self.topology, &self.plan, &self.plan.steps, world);
            differs(named, &verdict)
        });
        found.map(|named| named.name)
    }
}

#[test]
fn a_swap_of_neighbours_is_seen_exactly_if_a_rule_orders_them() {
    let known = Known::new();
    let (mut ordered, mut wrong) = (0, Vec::new());
    for first in 0..known.plan.steps.len() - 1 {
        let mut steps = known.plan.steps.clone();
        let pair = [&known.plan.steps[first], &known.plan.steps[first + 1]];
        let rule = order(&known.topology, &known.plan.route, pair[0], pair[1]);
        steps.swap(first, first + 1);
        let seen = known.differing(&steps, &pair);
        ordered += usize::from(rule.is_some());
        if pair.into_iter().any(is_covered) {
            continue;
        }
        if rule.is_some() != seen.is_some() {
            let [a, b] = pair.map(|step| format!("{} {:?}", step.place, step.role));
            wrong.push(format!("{a}, {b}: {rule:?}, but {seen:?}"));
        }
    }
    assert!(ordered > 50, "only {ordered} neighbours are ordered");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_step_that_is_left_out_is_seen_in_some_world() {
    let known = Known::new();
    let mut unseen = Vec::new();
    for (number, step) in known.plan.steps.iter().enumerate() {
        let mut steps = known.plan.steps.clone();
        steps.remove(number);
        if known.differing(&steps, &[step]).is_none() {
            unseen.push((step.place.as_str(), step.role));
        }
    }
    assert!(unseen.is_empty(), "{unseen:?}");
}

/// Turns round the rules between pairs of steps that `choose` takes.
fn turn_round(choose: impl Fn(usize, &Step, &Step) -> bool) {
    let known = Known::new();
    let steps = &known.plan.steps;
    let (mut turned, mut unseen) = (0, Vec::new());
    for (b, then) in steps.iter().enumerate() {
        for (a, first) in steps[..b].iter().enumerate() {
            let rule = order(&known.topology, &known.plan.route, first, then);
            if rule.is_none()
                || is_covered(first)
                || is_covered(then)
                || !choose(turned, first, then)
            {
                turned += usize::from(rule.is_some());
                continue;
            }
            turned += 1;
            let mut steps = steps.clone();
            let moved = steps.remove(b);
            steps.insert(a, moved);
            if known.differing(&steps, &[first, then]).is_none() {
                unseen.push(format!("{} before {}: {rule:?}", then.place, first.place));
            }
        }
    }
    assert!(turned > 1000, "only {turned} rules");
    assert!(unseen.is_empty(), "{}", unseen.join("\n"));
}

#[test]
fn a_rule_that_is_turned_round_is_seen() {
    turn_round(|number, first, then| {
        let is_bulk = first.role == Role::Configure || then.role == Role::Configure;
        let is_refusal = matches!(
            first.role,
            Role::Class | Role::Ident | Role::Owner | Role::Clock
        );
        number % 41 == 0 || !(is_bulk || is_refusal)
    });
}

#[test]
#[ignore = "every rule between every two steps"]
fn every_rule_that_is_turned_round_is_seen() {
    turn_round(|_, _, _| true);
}
