// SPDX-License-Identifier: MIT OR Apache-2.0
//! Faults at every step: a session ends undone or says what is left, and names the component.

use coretrace_coresight::map::{ComponentKind, tmc, trace_unit};
use coretrace_target::plan::{Action, Inverse, Part, Plan, Role, Step};
use coretrace_target::topology::{Index, Topology};
use coretrace_target::wrappers::{DryRun, Guarded, Recorded, Replay};
use coretrace_target::{Bus, Ending, Failure, Journal, execute, not_taken, undo, undo_steps};
use coretrace_target_sim::{Fault, Ticks, World};

use crate::killed::Killed;
use crate::session::{full_plan, plan, stm_plan, zynqmp};
use crate::worlds::{broken, broken_behind};

/// Sessions, each with the world in which it runs: of core 0 to the port, with all options, and of an STM.
fn sessions(topology: &Topology) -> [(Plan, World); 3] {
    let mut off = World::cold(topology);
    off.stop_clock(1);
    [
        (plan(topology, &[0], &["tpiu"]), World::cold(topology)),
        (full_plan(topology), off),
        (stm_plan(topology), World::cold(topology)),
    ]
}

fn start(topology: &Topology, plan: &Plan, bus: &mut dyn Bus, journal: &mut Journal) -> Ending {
    execute(topology, &plan.steps, bus, &mut Ticks::default(), journal)
}

/// A stop by another process.
fn end(topology: &Topology, journal: &mut Journal, world: &mut World) -> Vec<Failure> {
    world.forget();
    let mut bus = Guarded::new(topology, world);
    undo(topology, journal, &mut bus, &mut Ticks::default())
}

/// The component, the core or the clock of a place.
fn owner(place: &str) -> &str {
    place.split(['.', ':']).next().expect("a place")
}

#[test]
fn a_session_that_is_killed_at_any_access_is_undone_from_its_journal() {
    let topology = zynqmp();
    for (plan, cold) in sessions(&topology) {
        let before = cold.at_rest();
        let mut killed = 0;
        for left in 0.. {
            let (mut world, mut journal) = (cold.clone(), Journal::default());
            let mut bus = Killed {
                world: &mut world,
                left,
            };
            if start(&topology, &plan, &mut bus, &mut journal) == Ending::Done {
                break;
            }
            killed += 1;
            let failures = end(&topology, &mut journal, &mut world);
            assert!(failures.is_empty(), "{left}: {failures:?}");
            assert_eq!(world.findings.violations.len(), 0, "{left}");
            assert_eq!(world.at_rest(), before, "{left}");
        }
        println!("judged: {killed} kills of a start");
        assert!(killed > 200, "only {killed} accesses");
    }
}

#[test]
fn a_step_that_does_not_work_is_named_and_everything_is_undone() {
    let topology = zynqmp();
    for (plan, cold) in sessions(&topology) {
        // Where a wrong read says that a lock was open or what a route was, that is what is restored.
        let is_restored = |step: &Step| {
            let of =
                |other: &Step| other.address == step.address && other.inverse == Inverse::Restore;
            matches!(step.role, Role::Unlocked | Role::OsUnlocked) || plan.steps.iter().any(of)
        };
        let mut faults = 0;
        for step in plan
            .steps
            .iter()
            .filter(|step| step.is_write() || !is_restored(step))
        {
            let mut dirty = cold.clone();
            dirty.make_dirty();
            for healthy in [cold.clone(), dirty] {
                check_fault(&topology, &plan, step, healthy, broken(&plan, step));
                faults += 1;
            }
        }
        let steps = plan.steps.len();
        println!("judged: {faults} faults of steps, in a plan of {steps}");
    }
}

/// A step that does not work in a world.
fn check_fault(topology: &Topology, plan: &Plan, step: &Step, mut healthy: World, fault: Fault) {
    let name = &step.place;
    let (mut world, mut journal) = (healthy.clone(), Journal::default());
    let before = world.at_rest();
    world.faults.push(fault);
    let ending = start(topology, plan, &mut world, &mut journal);
    if let Some(failure) = ending.failure() {
        assert_eq!(owner(&failure.step.place), owner(name), "{failure}");
    }
    match ending {
        Ending::Refused(_) => assert_eq!(world.findings.writes, 0, "{name}"),
        Ending::Undone(_) => assert_eq!(world.at_rest(), before, "{name}"),
        // A write is dropped once, and wrong reads of what is restored are not tried: all can be undone.
        Ending::Left(_, left) => panic!("{name}: {left:?}"),
        // What was to be written was so before, a wrong read led nowhere, or TRCSYNCPR is fixed, which is said.
        Ending::Done => {
            let left_out = not_taken(&journal);
            let ending = start(topology, plan, &mut healthy, &mut Journal::default());
            assert_eq!(ending, Ending::Done);
            let is_same =
                world.registers() == healthy.registers() && world.at_rest() == healthy.at_rest();
            let is_said = left_out.iter().any(|of| of.place == *name);
            assert!(is_same || is_said, "{name}");
        }
    }
}

#[test]
fn faults_in_the_middle_of_a_start_end_undone_or_say_what_is_left() {
    let topology = zynqmp();
    let mut endings = [0; 6];
    for (plan, cold) in sessions(&topology) {
        let components = plan.route.hops.iter().map(|hop| hop.component);
        let is_unit = |index: &Index| topology.components[*index].kind == ComponentKind::Etm4;
        let units: Vec<Index> = components.clone().filter(is_unit).collect();
        let mut length = cold.clone();
        start(&topology, &plan, &mut length, &mut Journal::default());
        for after in 1..=length.accesses() {
            let stolen = components
                .clone()
                .map(|component| Fault::Stolen { component, after });
            let unpowered = units
                .iter()
                .map(|&component| Fault::PowerLost { component, after });
            let clocks = 0..topology.clocks.len();
            let unclocked = clocks.map(|clock| Fault::ClockLost { clock, after });
            for fault in stolen.chain(unpowered).chain(unclocked) {
                endings[check_sudden_fault(&topology, &plan, &cold, fault)] += 1;
            }
        }
    }
    let sum: usize = endings.iter().sum();
    let [done, .., refused, undone, left] = endings;
    println!(
        "judged: {sum} faults in the middle of a start: {done} change nothing, {refused} refused, {undone} undone, \
         {left} left and named"
    );
    assert!(endings[3..].iter().all(|&count| count > 0), "{endings:?}");
}

/// A fault that comes suddenly; the exit code.
fn check_sudden_fault(topology: &Topology, plan: &Plan, cold: &World, fault: Fault) -> usize {
    let (mut world, mut journal) = (cold.clone(), Journal::default());
    world.faults.push(fault);
    let ending = start(topology, plan, &mut world, &mut journal);
    let mut expected = cold.clone();
    let is_victim = |place: &str| {
        let component = topology.find(owner(place));
        match fault {
            Fault::ClockLost { clock, .. } => {
                let needs = |of: Index| topology.components[of].clocks.contains(&clock);
                place == topology.clocks[clock].register || component.is_some_and(needs)
            }
            Fault::Stolen { component: of, .. } | Fault::PowerLost { component: of, .. } => {
                component == Some(of)
            }
            _ => panic!("{fault:?}"),
        }
    };
    if let Fault::Stolen { component, .. } = fault {
        expected.claim(component);
    }
    let at_rest = |world: &World| {
        let mut lines = world.at_rest();
        if let Fault::ClockLost { .. } = fault {
            // A clock that is lost while the start turns it on is as the start has found it.
            lines.truncate(lines.len() - topology.clocks.len());
        }
        // The locks of what was stolen stay open for the one who has it now.
        let is_stolen = |line: &str| {
            let name = line.split(' ').next().expect("a name");
            matches!(fault, Fault::Stolen { .. }) && is_victim(name)
        };
        for line in lines.iter_mut().filter(|line| is_stolen(line)) {
            *line = line
                .replace("lock true", "lock false")
                .replace("locked true", "locked false");
        }
        lines
    };
    let has_named = |failures: &[Failure]| {
        let mut places = failures.iter().map(|failure| &failure.step.place[..]);
        assert!(places.any(is_victim), "{fault:?}: {failures:?}");
    };
    match &ending {
        Ending::Refused(_) => assert_eq!(world.findings.writes, 0, "{fault:?}"),
        Ending::Undone(failure) => {
            has_named(std::slice::from_ref(failure));
            assert_eq!(at_rest(&world), at_rest(&expected), "{fault:?}");
        }
        Ending::Left(_, failures) => has_named(failures),
        // It came too late for the start, and the stop finds it; or the start has turned the clock on.
        Ending::Done => match &end(topology, &mut journal, &mut world)[..] {
            [] => assert_eq!(at_rest(&world), at_rest(&expected), "{fault:?}"),
            failures => has_named(failures),
        },
    }
    ending.exit_code().into()
}

#[test]
fn a_step_of_a_stop_that_does_not_work_is_named_until_it_works() {
    let topology = zynqmp();
    for (plan, cold) in sessions(&topology) {
        let before = cold.at_rest();
        let started = || {
            let (mut world, mut journal) = (cold.clone(), Journal::default());
            assert_eq!(
                start(&topology, &plan, &mut world, &mut journal),
                Ending::Done
            );
            (world, journal)
        };
        let steps = undo_steps(&topology, &started().1);
        let mut named = 0;
        for (number, step) in steps.iter().enumerate() {
            let (mut world, mut journal) = started();
            let past = plan.steps.iter().chain(&steps[..number]);
            world.faults.push(broken_behind(past, step));
            let failures = end(&topology, &mut journal, &mut world);
            let places = failures.iter().map(|failure| owner(&failure.step.place));
            // A clock is wanted by what could not be given back, and without it nothing is accessed.
            let is_clock = matches!(step.part, Part::Clock(_));
            let is_named =
                |place: &str| is_clock || place == owner(&step.place) || place == "CRF_APB";
            assert!(places.clone().all(is_named), "{}: {failures:?}", step.place);
            if failures.is_empty() {
                assert_eq!(world.at_rest(), before, "{number}: {}", step.place);
                continue;
            }
            named += 1;
            // The component works again.
            world.faults.clear();
            let failures = end(&topology, &mut journal, &mut world);
            assert!(failures.is_empty(), "{}: {failures:?}", step.place);
            assert_eq!(world.at_rest(), before, "{number}: {}", step.place);
        }
        assert!(named > 40, "only {named} of {} steps", steps.len());
    }
}

#[test]
fn a_flush_that_never_ends_is_reported_and_the_rest_is_undone() {
    let topology = zynqmp();
    let plan = plan(&topology, &[0], &["tpiu"]);
    let etf = topology.find("etf1").expect("a component");
    let (mut world, mut journal) = (World::cold(&topology), Journal::default());
    let ending = execute(
        &topology,
        &plan.steps,
        &mut world,
        &mut Ticks::default(),
        &mut journal,
    );
    assert_eq!(ending, Ending::Done);
    let address = topology.components[etf].base + u64::from(tmc::FFCR.offset);
    world.faults.push(Fault::Read {
        address,
        mask: tmc::ffcr::FLUSH_MAN.mask(),
        value: u32::MAX,
    });
    let failures = undo(&topology, &mut journal, &mut world, &mut Ticks::default());
    let places: Vec<&str> = failures
        .iter()
        .map(|failure| failure.step.place.as_str())
        .collect();
    assert_eq!(places, ["etf1.FFCR"]);
    assert_eq!(world.at_rest(), World::cold(&topology).at_rest());
}

#[test]
fn a_log_is_a_bus_that_gives_the_same_session_and_no_other() {
    let topology = zynqmp();
    let steps = plan(&topology, &[1], &["etr"]).steps;
    let mut recorded = Recorded::new(World::cold(&topology));
    let run = |bus: &mut dyn Bus| {
        execute(
            &topology,
            &steps,
            bus,
            &mut Ticks::default(),
            &mut Journal::default(),
        )
    };
    assert_eq!(run(&mut recorded), Ending::Done);
    assert_eq!(run(&mut Replay(&recorded.log)), Ending::Done);
    let short = &recorded.log[..recorded.log.len() - 1];
    assert_eq!(run(&mut Replay(short)).exit_code(), 5);
}

#[test]
fn the_guard_lets_a_plan_through_and_refuses_what_it_must_not_do() {
    let topology = zynqmp();
    let steps = plan(&topology, &[0, 1, 2, 3], &["tpiu", "etr"]).steps;
    let mut guarded = Guarded::new(&topology, World::cold(&topology));
    let mut run = |steps: &[_]| {
        let mut journal = Journal::default();
        execute(
            &topology,
            steps,
            &mut guarded,
            &mut Ticks::default(),
            &mut journal,
        )
    };
    // Without the checks nothing is accessed.
    let is_check = |action: &Action| matches!(action, Action::Check { .. });
    let writes: Vec<_> = steps
        .iter()
        .filter(|step| !is_check(&step.action))
        .cloned()
        .collect();
    let ending = run(&writes);
    assert!(
        ending
            .failure()
            .expect("refused")
            .to_string()
            .contains("CLOCK"),
        "{ending:?}"
    );
    assert_eq!(run(&steps), Ending::Done);
    let unit = topology.trace_unit(0).expect("a core");
    let address = topology.components[unit].base + u64::from(trace_unit::TRCPRGCTLR.offset);
    let mut fresh = Guarded::new(&topology, World::cold(&topology));
    assert!(fresh.read32(address).is_err());
    assert!(fresh.write32(0x8000_0000, 0).is_err());
}

#[test]
fn a_dry_run_reads_and_never_writes() {
    let topology = zynqmp();
    let steps = plan(&topology, &[0], &["tpiu"]).steps;
    let mut world = World::cold(&topology);
    let mut dry = DryRun(&mut world);
    let ending = execute(
        &topology,
        &steps,
        &mut dry,
        &mut Ticks::default(),
        &mut Journal::default(),
    );
    assert_eq!(ending.exit_code(), 5);
    assert_eq!(world.findings.writes, 0);
    assert_eq!(world.at_rest(), World::cold(&topology).at_rest());
}
