// SPDX-License-Identifier: MIT OR Apache-2.0
//! Steps of a stop that change places, are left out, or break a rule: some world shows it.

use std::collections::BTreeSet;

use coretrace_target::plan::{Action, Plan, Step, order};
use coretrace_target::{Ending, Journal, Topology, execute, undo_steps};
use coretrace_target_sim::{Lost, Ticks, Violation, World};

use crate::session::{arrived, juno, no_buffer, plan, stm_plan, zynqmp};
use crate::worlds::{broken_behind, worlds};

/// A wait that may come too early, because the wait for Ready or FtStopped behind it covers it. It is there because
/// Arm asks for both.
fn is_covered(step: &Step) -> bool {
    step.place.ends_with(".FFCR") && matches!(step.action, Action::Wait { .. })
}

/// What a stop did to a session that ran.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Verdict {
    is_done: bool,
    violations: BTreeSet<Violation>,
    aborted: BTreeSet<String>,
    /// Nothing after a failure, because how far it got does not matter.
    lost: BTreeSet<Lost>,
    /// Whether each sink has what each source sent; `false` after a failure.
    arrived: bool,
    /// After a failure only of the component that failed, because what it has not ended keeps its claim.
    at_rest: Vec<String>,
}

/// A world in which a session runs, the steps of its stop there, and what they do.
struct Started {
    name: String,
    world: World,
    steps: Vec<Step>,
    verdict: Verdict,
}

/// How another agent takes a component.
type Take = fn(&mut World, usize);

/// A session that runs.
struct Running {
    topology: Topology,
    plan: Plan,
    /// As it runs on a chip after reset, on chips that others left, and where others take a component.
    started: Vec<Started>,
}

impl Running {
    fn new(topology: Topology, plan: Plan) -> Running {
        let mut running = Running {
            topology,
            plan,
            started: Vec::new(),
        };
        for named in worlds(&running.topology, &running.plan) {
            running.start(named.name, named.world);
        }
        let taken: [(&str, Take); 3] = [
            ("claimed", World::claim),
            ("unclaimed", World::unclaim),
            ("locked", World::lock),
        ];
        for hop in running.plan.route.hops.clone() {
            for (what, take) in taken {
                let name = format!("{} {what}", running.topology.components[hop.component].name);
                let mut world = running.started[0].world.clone();
                take(&mut world, hop.component);
                running.add(name, world, running.steps().to_vec());
            }
        }
        running
    }

    /// Starts it in a world, if that can be.
    fn start(&mut self, name: String, mut world: World) {
        let (time, journal) = (&mut Ticks::default(), &mut Journal::default());
        if execute(&self.topology, &self.plan.steps, &mut world, time, journal) != Ending::Done {
            return;
        }
        world.run(40);
        let steps = undo_steps(&self.topology, journal);
        // Where others left a lock open, it is left open.
        if self.started.is_empty() || places(&steps) == places(self.steps()) {
            self.add(name, world, steps);
        }
    }

    fn add(&mut self, name: String, world: World, steps: Vec<Step>) {
        let verdict = self.stop(&steps, world.clone());
        self.started.push(Started {
            name,
            world,
            steps,
            verdict,
        });
    }

    /// The steps of a stop on a chip after reset.
    fn steps(&self) -> &[Step] {
        &self.started[0].steps
    }

    fn stop(&self, steps: &[Step], mut world: World) -> Verdict {
        let (time, journal) = (&mut Ticks::default(), &mut Journal::default());
        let ending = execute(&self.topology, steps, &mut world, time, journal);
        let is_done = ending == Ending::Done;
        let failed = ending
            .failure()
            .and_then(|failure| failure.step.place.split('.').next());
        let is_of = |line: &String| failed.is_none_or(|name| line.split(' ').next() == Some(name));
        let at_rest = world.at_rest().into_iter().filter(is_of);
        let lost = world.findings.lost.keys().filter(|_| is_done);
        Verdict {
            is_done,
            violations: world.findings.violations.clone(),
            aborted: world.findings.aborted.clone(),
            lost: lost.cloned().collect(),
            arrived: is_done && arrived(&self.topology, &self.plan, &world),
            at_rest: at_rest.collect(),
        }
    }

    /// The world in which the steps with these numbers give another verdict: one in which it runs, or one in which
    /// a suspect or a write of its component does not work.
    fn differing(&self, numbers: &[usize], suspects: &[usize]) -> Option<String> {
        let arranged = |steps: &[Step]| -> Vec<Step> {
            numbers
                .iter()
                .map(|&number| steps[number].clone())
                .collect()
        };
        let differs =
            |of: &&Started| self.stop(&arranged(&of.steps), of.world.clone()) != of.verdict;
        if let Some(found) = self.started.iter().find(differs) {
            return Some(found.name.clone());
        }
        let is_suspect = |number: usize| {
            let step = &self.steps()[number];
            let is_part = |suspect: &usize| self.steps()[*suspect].part == step.part;
            suspects.contains(&number) || step.is_write() && suspects.iter().any(is_part)
        };
        let with_other_steps = self.started[1..]
            .iter()
            .filter(|of| of.steps != self.steps());
        for Started { world, steps, .. } in self.started[..1].iter().chain(with_other_steps) {
            for number in (0..steps.len()).filter(|number| is_suspect(*number)) {
                let mut world = world.clone();
                let past = self.plan.steps.iter().chain(&steps[..number]);
                world.faults.push(broken_behind(past, &steps[number]));
                if self.stop(&arranged(steps), world.clone()) != self.stop(steps, world) {
                    return Some(format!("{} broken", steps[number].place));
                }
            }
        }
        None
    }

    fn order(&self, first: &Step, then: &Step) -> Option<String> {
        let rule = order(&self.topology, &self.plan.route, first, then);
        rule.map(|rule| format!("{rule:?}"))
    }

    /// The numbers of the steps of each component, one behind the other.
    fn parts(&self) -> Vec<Vec<usize>> {
        let numbers: Vec<usize> = (0..self.steps().len()).collect();
        let parts = numbers.chunk_by(|a, b| self.steps()[*a].part == self.steps()[*b].part);
        parts.map(<[usize]>::to_vec).collect()
    }
}

fn places(steps: &[Step]) -> Vec<&str> {
    steps.iter().map(|step| &step.place[..]).collect()
}

/// Sessions to each kind of sink, and of several cores to two sinks.
fn all() -> Vec<Running> {
    let of = |topology: fn() -> Topology, cpus: &[u32], sinks: &[&str]| {
        let topology = topology();
        let plan = plan(&topology, cpus, sinks);
        Running::new(topology, plan)
    };
    let of_an_stm = Running::new(zynqmp(), stm_plan(&zynqmp()));
    vec![
        of_an_stm,
        of(zynqmp, &[0], &["tpiu"]),
        of(zynqmp, &[0], &["etr"]),
        of(zynqmp, &[0], &["etf2"]),
        of(zynqmp, &[1, 3], &["tpiu", "etr"]),
        of(juno, &[0, 2], &["tpiu"]),
        of(juno, &[1], &["etr"]),
        of(no_buffer, &[0], &["etb"]),
        of(no_buffer, &[0], &["tpiu"]),
    ]
}

/// Numbers with that at one place moved before another.
fn moved<T: Clone>(of: &[T], from: usize, to: usize) -> Vec<T> {
    let mut moved = of.to_vec();
    let one = moved.remove(from);
    moved.insert(to, one);
    moved
}

#[test]
fn a_swap_in_a_stop_is_seen_exactly_if_a_rule_orders_the_steps() {
    let (mut swaps, mut ordered, mut wrong) = (0, 0, Vec::new());
    for running in all() {
        let numbers: Vec<usize> = (0..running.steps().len()).collect();
        for (first, pair) in running.steps().windows(2).enumerate() {
            if pair.iter().any(is_covered) {
                continue;
            }
            let rule = running.order(&pair[0], &pair[1]);
            let seen = running.differing(&moved(&numbers, first + 1, first), &[first, first + 1]);
            (swaps, ordered) = (swaps + 1, ordered + usize::from(rule.is_some()));
            if rule.is_some() != seen.is_some() {
                let of = |step: &Step| format!("{} {:?}", step.place, step.role);
                let (a, b) = (of(&pair[0]), of(&pair[1]));
                wrong.push(format!("{a}, {b}: {rule:?}, but {seen:?}"));
            }
        }
    }
    println!("judged: {swaps} swaps in stops: {ordered} detected, the others free");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(ordered > 300, "only {ordered} neighbours are ordered");
}

#[test]
fn a_component_that_stops_too_early_is_seen_exactly_if_a_rule_says() {
    let (mut tried, mut ordered, mut wrong) = (0, 0, Vec::new());
    for running in all() {
        let (steps, parts) = (running.steps(), running.parts());
        let name = |part: &[usize]| steps[part[0]].place.clone();
        for b in 0..parts.len() {
            for a in 0..b {
                let passed = parts[a..b].iter().flatten();
                let mut pairs =
                    passed.flat_map(|first| parts[b].iter().map(move |then| (first, then)));
                let rule =
                    pairs.find_map(|(first, then)| running.order(&steps[*first], &steps[*then]));
                let seen = running.differing(&moved(&parts, b, a).concat(), &[]);
                (tried, ordered) = (tried + 1, ordered + usize::from(rule.is_some()));
                if rule.is_some() != seen.is_some() {
                    let (a, b) = (name(&parts[a]), name(&parts[b]));
                    wrong.push(format!("{b} before {a}: {rule:?}, but {seen:?}"));
                }
            }
        }
    }
    println!("judged: {tried} components that stop too early: {ordered} detected, the others free");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(ordered > 50, "only {ordered} of {tried}");
}

#[test]
fn a_rule_of_a_stop_that_is_turned_round_is_seen() {
    let (mut turned, mut unseen) = (0, Vec::new());
    for running in all() {
        let numbers: Vec<usize> = (0..running.steps().len()).collect();
        for (b, then) in running.steps().iter().enumerate() {
            for (a, first) in running.steps()[..b].iter().enumerate() {
                let is_one = first.part == then.part && !is_covered(first) && !is_covered(then);
                let Some(rule) = running.order(first, then).filter(|_| is_one) else {
                    continue;
                };
                turned += 1;
                if running.differing(&moved(&numbers, b, a), &[a, b]).is_none() {
                    unseen.push(format!("{} before {}: {rule}", then.place, first.place));
                }
            }
        }
    }
    println!("judged: {turned} rules of stops turned round, all detected");
    assert!(unseen.is_empty(), "{}", unseen.join("\n"));
    assert!(turned > 500, "only {turned} rules");
}

#[test]
fn a_step_that_is_left_out_of_a_stop_is_seen_in_some_world() {
    let (mut omitted, mut unseen) = (0, Vec::new());
    for running in all() {
        for (number, step) in running.steps().iter().enumerate() {
            let mut numbers: Vec<usize> = (0..running.steps().len()).collect();
            numbers.remove(number);
            omitted += 1;
            if running.differing(&numbers, &[number]).is_none() {
                unseen.push(format!("{} {:?}", step.place, step.role));
            }
        }
    }
    println!("judged: {omitted} steps left out of stops, all detected");
    assert!(unseen.is_empty(), "{}", unseen.join("\n"));
}
