// SPDX-License-Identifier: MIT OR Apache-2.0
//! The stop of a core behind the trace port: steps that change places or are left out are seen, or are free.

use std::collections::BTreeSet;

use coretrace_etm::Record;
use coretrace_target::plan::{Part, Plan, Role, Step, order};
use coretrace_target::ring::Reader;
use coretrace_target::{Ending, Journal, Topology, execute, undo_steps};
use coretrace_target_sim::{Fault, Ticks, Violation, World};

use crate::receivers::{DMA, plan, read, ring};
use crate::session::zynqmp;
use crate::worlds::broken_behind;

/// For how many accesses no buffer is free when the stop begins: the host is in time, or so late that packets wait when
/// the core stops, or even when the first wait for an empty core is over.
const LATE: [usize; 5] = [0, 100, 150, 200, 250];

/// What a stop did.
#[derive(Debug, PartialEq)]
struct Verdict {
    ending: u8,
    violations: BTreeSet<Violation>,
    /// None after a failure, because how far it got does not matter.
    records: Vec<Record>,
    losses: usize,
    at_rest: Vec<String>,
}

/// A session that runs, and the steps of its stop.
struct Running {
    topology: Topology,
    plan: Plan,
    steps: Vec<Step>,
}

impl Running {
    fn new() -> Running {
        let topology = zynqmp();
        let plan = plan(&topology);
        let mut running = Running {
            topology,
            plan,
            steps: Vec::new(),
        };
        let (_, journal, _) = running.started();
        running.steps = undo_steps(&running.topology, &journal);
        running
    }

    /// The world in which it runs, its journal, and the host.
    fn started(&self) -> (World, Journal, Reader) {
        let (mut world, mut journal) = (World::cold(&self.topology), Journal::default());
        ring().post(&mut world).expect("memory");
        let (steps, mut time) = (&self.plan.steps, Ticks::default());
        let ending = execute(&self.topology, steps, &mut world, &mut time, &mut journal);
        assert_eq!(ending, Ending::Done);
        world.run(100);
        (world, journal, Reader::new(ring(), DMA))
    }

    fn stop(&self, steps: &[Step], late: usize, fault: Option<Fault>) -> Verdict {
        let (mut world, _, reader) = self.started();
        let condition = format!("ring-full=core@{late}");
        world.impose(&self.topology, &condition).expect("a core");
        world.faults.extend(fault);
        let (time, journal) = (&mut Ticks::default(), &mut Journal::default());
        let ending = execute(&self.topology, steps, &mut world, time, journal);
        let mut words = Vec::new();
        let finished = reader.finish(&mut world, |packet| words.extend(packet));
        finished.expect("packets");
        let mut got = read(&words);
        if ending != Ending::Done {
            got.records.clear();
        }
        Verdict {
            ending: ending.exit_code(),
            violations: world.findings.violations.clone(),
            records: got.records,
            losses: got.losses,
            at_rest: world.at_rest(),
        }
    }

    /// Whether other steps give another verdict where the host is late, or where a write of the core has no effect.
    fn is_seen(&self, steps: &[Step]) -> bool {
        let numbers = 0..self.steps.len();
        let writes =
            numbers.filter(|&number| is_core(&self.steps[number]) && self.steps[number].is_write());
        let broken = writes.map(|number| {
            let past = self.plan.steps.iter().chain(&self.steps[..number]);
            Some(broken_behind(past, &self.steps[number]))
        });
        let faults: Vec<Option<Fault>> = [None].into_iter().chain(broken).collect();
        LATE.iter().any(|&late| {
            let differs = |fault: &Option<Fault>| {
                self.stop(steps, late, *fault) != self.stop(&self.steps, late, *fault)
            };
            faults.iter().any(differs)
        })
    }

    fn is_ordered(&self, first: &Step, then: &Step) -> bool {
        order(&self.topology, &self.plan.route, first, then).is_some()
    }
}

/// The wait for an empty core before it is disabled. What gives the port back takes longer than the model of a core
/// needs to be empty; the real one needs 64 cycles.
fn is_covered(step: &Step) -> bool {
    step.place == "core.STATUS" && step.role == Role::Stop
}

fn is_core(step: &Step) -> bool {
    matches!(step.part, Part::Receiver(_))
}

#[test]
fn a_stop_gives_the_host_every_record_however_late_it_is() {
    let running = Running::new();
    let verdicts = LATE.map(|late| running.stop(&running.steps, late, None));
    for verdict in &verdicts {
        assert_eq!((verdict.ending, verdict.losses), (0, 0));
        assert!(verdict.violations.is_empty(), "{:?}", verdict.violations);
        assert!(verdict.records.len() > 100, "{}", verdict.records.len());
        assert_eq!(verdict.at_rest, verdicts[0].at_rest);
    }
}

#[test]
fn a_swap_in_the_stop_of_a_core_is_seen_exactly_if_a_rule_orders_it() {
    let running = Running::new();
    let (mut ordered, mut covered, mut wrong) = (0, 0, Vec::new());
    for first in 0..running.steps.len() - 1 {
        let [a, b] = [&running.steps[first], &running.steps[first + 1]];
        if !is_core(a) && !is_core(b) {
            continue;
        }
        let mut steps = running.steps.clone();
        steps.swap(first, first + 1);
        let (rule, seen) = (running.is_ordered(a, b), running.is_seen(&steps));
        ordered += usize::from(rule);
        if rule && !seen && is_covered(a) {
            covered += 1;
        } else if rule != seen {
            wrong.push(format!(
                "{} {:?}, {} {:?}: {rule}, but {seen}",
                a.place, a.role, b.place, b.role
            ));
        }
    }
    println!(
        "judged: {ordered} swaps in the stop of a core: {} detected, {covered} covered",
        ordered - covered
    );
    assert_eq!(covered, 1);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(ordered > 3, "only {ordered}");
}

#[test]
fn a_core_that_stops_before_what_feeds_it_is_seen_exactly_if_a_rule_says() {
    let running = Running::new();
    let parts: Vec<&[Step]> = running.steps.chunk_by(|a, b| a.part == b.part).collect();
    let core = parts
        .iter()
        .position(|part| is_core(&part[0]))
        .expect("a core");
    let (mut ordered, mut wrong) = (0, Vec::new());
    for place in 0..core {
        let mut moved = parts.clone();
        let part = moved.remove(core);
        moved.insert(place, part);
        let passed = parts[place..core].iter().copied().flatten();
        let mut pairs = passed.flat_map(|first| part.iter().map(move |then| (first, then)));
        let rule = pairs.any(|(first, then)| running.is_ordered(first, then));
        let seen = running.is_seen(&moved.concat());
        ordered += usize::from(rule);
        if rule != seen {
            wrong.push(format!(
                "before {}: {rule}, but {seen}",
                parts[place][0].place
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(ordered > 4, "only {ordered}");
}

#[test]
fn a_step_that_is_left_out_of_the_stop_of_a_core_is_seen() {
    let running = Running::new();
    let (mut left_out, mut unseen) = (0, Vec::new());
    for (number, step) in running
        .steps
        .iter()
        .enumerate()
        .filter(|(_, step)| is_core(step))
    {
        let mut steps = running.steps.clone();
        steps.remove(number);
        left_out += 1;
        if !running.is_seen(&steps) {
            unseen.push(format!("{} {:?}", step.place, step.role));
        }
    }
    println!("judged: {left_out} steps left out of the stop of a core, all detected");
    assert!(unseen.is_empty(), "{}", unseen.join("\n"));
    assert!(left_out > 5, "only {left_out}");
}
