// SPDX-License-Identifier: MIT OR Apache-2.0
//! Steps that change places, are left out, or break a rule: some world shows it.

use crate::session::{Verdict, full_plan, juno, no_buffer, plan, run, stm_plan, zynqmp};
use crate::worlds::{Named, broken, worlds};
use coretrace_target::Topology;
use coretrace_target::plan::{Plan, Role, Step, order};
use coretrace_target_sim::World;

/// A wait that may come too early, because the wait for FtStopped behind it covers it. It is there because Arm
/// asks for both.
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
    /// Core 0 to the trace port.
    fn new() -> Known {
        Known::to(zynqmp(), &[0], "tpiu")
    }

    /// Cores to a sink.
    fn to(topology: Topology, cpus: &[u32], sink: &str) -> Known {
        let plan = plan(&topology, cpus, &[sink]);
        Known::of(topology, plan)
    }

    fn of(topology: Topology, plan: Plan) -> Known {
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
        // A check is there for the write before it: one of its register, and those of its component that
        // others rely on.
        let is_relied_on = |step: &&Step| {
            let is_its = |suspect: &&Step| {
                let is_part = suspect.part == step.part && step.role != Role::Configure;
                is_part || suspect.address == step.address
            };
            step.is_write() && suspects.iter().any(is_its)
        };
        let suspects = self
            .plan
            .steps
            .iter()
            .filter(|step| suspects.contains(step) || is_relied_on(step));
        let mut broken = suspects.flat_map(|step| self.with_broken(step));
        let found = broken.find(|named| {
            let world = named.world.clone();
            let verdict = run(&self.topology, &self.plan, &self.plan.steps, world);
            differs(named, &verdict)
        });
        found.map(|named| named.name)
    }

    /// Worlds in which a step does not work.
    fn with_broken(&self, step: &Step) -> [Named; 2] {
        let cold = World::cold(&self.topology);
        let mut dirty = cold.clone();
        dirty.make_dirty();
        [("cold", cold), ("dirty", dirty)].map(|(name, mut world)| {
            world.faults.push(broken(&self.plan, step));
            Named {
                name: format!("{name}, {} broken", step.place),
                world,
            }
        })
    }
}

#[test]
fn a_swap_of_neighbours_is_seen_exactly_if_a_rule_orders_them() {
    check_swaps(&Known::new(), 1);
}

#[test]
fn a_swap_on_the_way_to_a_buffer_is_seen_exactly_if_a_rule_orders_it() {
    check_swaps(&Known::to(zynqmp(), &[0], "etr"), 0);
    check_swaps(&Known::to(zynqmp(), &[0], "etf2"), 0);
    check_swaps(&Known::to(no_buffer(), &[0], "etb"), 0);
}

#[test]
fn a_swap_on_a_juno_is_seen_exactly_if_a_rule_orders_it() {
    check_swaps(&Known::to(juno(), &[0, 2], "tpiu"), 1);
    check_swaps(&Known::to(juno(), &[1], "etr"), 0);
}

#[test]
fn a_swap_in_a_session_of_an_stm_is_seen_exactly_if_a_rule_orders_it() {
    check_swaps(&of_an_stm(), 0);
}

/// An STM and a core.
fn of_an_stm() -> Known {
    let topology = zynqmp();
    let plan = stm_plan(&topology);
    Known::of(topology, plan)
}

/// Swaps neighbours; so many unseen swaps are covered ones.
fn check_swaps(known: &Known, unseen: usize) {
    let (mut ordered, mut detected) = (0, 0);
    let (mut covered, mut wrong) = (Vec::new(), Vec::new());
    for first in 0..known.plan.steps.len() - 1 {
        let mut steps = known.plan.steps.clone();
        let pair = [&known.plan.steps[first], &known.plan.steps[first + 1]];
        let rule = order(&known.topology, &known.plan.route, pair[0], pair[1]);
        steps.swap(first, first + 1);
        let seen = known.differing(&steps, &pair);
        ordered += usize::from(rule.is_some());
        detected += usize::from(seen.is_some());
        if rule.is_some() != seen.is_some() {
            let [a, b] = pair.map(|step| format!("{} {:?}", step.place, step.role));
            let unseen = match pair.into_iter().any(is_covered) && seen.is_none() {
                true => &mut covered,
                false => &mut wrong,
            };
            unseen.push(format!("{a}, {b}: {rule:?}, but {seen:?}"));
        }
    }
    let neighbours = known.plan.steps.len() - 1;
    println!(
        "judged: {neighbours} swaps of neighbours: {detected} detected, {} free, {} covered",
        neighbours - ordered,
        covered.len()
    );
    assert!(ordered > 30, "only {ordered} neighbours are ordered");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(covered.len(), unseen, "{}", covered.join("\n"));
}

#[test]
fn a_step_that_is_left_out_is_seen_in_some_world() {
    check_omissions(&Known::new());
}

#[test]
fn a_step_that_is_left_out_of_a_session_with_all_options_is_seen() {
    let topology = zynqmp();
    let plan = full_plan(&topology);
    check_omissions(&Known::of(topology, plan));
}

#[test]
fn a_step_that_is_left_out_of_a_session_of_an_stm_is_seen() {
    check_omissions(&of_an_stm());
}

fn check_omissions(known: &Known) {
    let mut unseen = Vec::new();
    for (number, step) in known.plan.steps.iter().enumerate() {
        let mut steps = known.plan.steps.clone();
        steps.remove(number);
        if known.differing(&steps, &[step]).is_none() {
            unseen.push((step.place.as_str(), step.role));
        }
    }
    println!(
        "judged: {} steps left out: {} not seen",
        known.plan.steps.len(),
        unseen.len()
    );
    assert!(unseen.is_empty(), "{unseen:?}");
}

/// Turns round the rules between pairs of steps that `choose` takes.
fn turn_round(known: &Known, choose: impl Fn(usize, &Step, &Step) -> bool) {
    let steps = &known.plan.steps;
    let (mut turned, mut tried, mut unseen) = (0, 0, Vec::new());
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
            (turned, tried) = (turned + 1, tried + 1);
            let mut steps = steps.clone();
            let moved = steps.remove(b);
            steps.insert(a, moved);
            if known.differing(&steps, &[first, then]).is_none() {
                unseen.push(format!("{} before {}: {rule:?}", then.place, first.place));
            }
        }
    }
    println!(
        "judged: {tried} of {turned} rules turned round: {} not seen",
        unseen.len()
    );
    assert!(turned > 1000, "only {turned} rules");
    assert!(unseen.is_empty(), "{}", unseen.join("\n"));
}

/// Whether a pair is tried where not every one is: it is no bulk of configuration and no refusal, or one of 41.
fn is_special(number: usize, first: &Step, then: &Step) -> bool {
    let is_bulk = first.role == Role::Configure || then.role == Role::Configure;
    let is_refusal = matches!(
        first.role,
        Role::Class | Role::Ident | Role::Owner | Role::Clock
    );
    number.is_multiple_of(41) || !(is_bulk || is_refusal)
}

#[test]
fn a_rule_that_is_turned_round_is_seen() {
    turn_round(&Known::new(), is_special);
}

#[test]
fn a_rule_on_the_way_to_a_buffer_that_is_turned_round_is_seen() {
    turn_round(&Known::to(zynqmp(), &[0], "etr"), is_special);
    turn_round(&Known::to(zynqmp(), &[0], "etf2"), is_special);
    turn_round(&Known::to(no_buffer(), &[0], "etb"), is_special);
    turn_round(&of_an_stm(), is_special);
}

#[test]
#[ignore = "every rule between every two steps"]
fn every_rule_that_is_turned_round_is_seen() {
    turn_round(&Known::new(), |_, _, _| true);
    turn_round(&Known::to(juno(), &[1], "etr"), |_, _, _| true);
}
