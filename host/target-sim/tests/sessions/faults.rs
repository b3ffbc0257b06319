// SPDX-License-Identifier: MIT OR Apache-2.0
//! Faults at every step: a session ends undone or says what is left, and names the component.

use coretrace_coresight::map::{ComponentKind, tmc, trace_unit};
use coretrace_target::plan::{Action, Inverse, Part, Role, Step};
use coretrace_target::wrappers::{DryRun, Guarded, Recorded, Replay};
use coretrace_target::{Bus, Ending, Journal, execute, undo};
use coretrace_target_sim::{Fault, Ticks, World};

use crate::killed::Killed;
use crate::session::{plan, zynqmp};
use crate::worlds::broken;

#[test]
fn a_session_that_is_killed_at_any_access_is_undone_from_its_journal() {
    let topology = zynqmp();
    let plan = plan(&topology, &[0, 2], &["tpiu"]);
    let before = World::cold(&topology).at_rest();
    let mut killed = 0;
    for left in 0.. {
        let (mut world, mut journal) = (World::cold(&topology), Journal::default());
        let mut bus = Killed {
            world: &mut world,
            left,
        };
        let ending = execute(
            &topology,
            &plan.steps,
            &mut bus,
            &mut Ticks::default(),
            &mut journal,
        );
        if ending == Ending::Done {
            break;
        }
        killed += 1;
        let failures = undo(&topology, &mut journal, &mut world, &mut Ticks::default());
        assert!(failures.is_empty(), "{left}: {failures:?}");
        assert_eq!(world.at_rest(), before, "{left}");
    }
    assert!(killed > 200, "only {killed} accesses");
}

#[test]
fn a_step_that_does_not_work_is_named_and_everything_is_undone() {
    let topology = zynqmp();
    let plan = plan(&topology, &[0], &["tpiu"]);
    // Where a wrong read says that a lock was open or what a route was, that is what is restored.
    let is_restored = |step: &Step| {
        let of = |other: &Step| other.address == step.address && other.inverse == Inverse::Restore;
        matches!(step.role, Role::Unlocked | Role::OsUnlocked) || plan.steps.iter().any(of)
    };
    for step in plan
        .steps
        .iter()
        .filter(|step| step.is_write() || !is_restored(step))
    {
        for named in broken(&topology, &plan, step) {
            let (mut world, mut journal) = (named.world, Journal::default());
            let mut healthy = world.clone();
            healthy.faults.clear();
            let before = world.at_rest();
            let ending = execute(
                &topology,
                &plan.steps,
                &mut world,
                &mut Ticks::default(),
                &mut journal,
            );
            if let Some(failure) = ending.failure() {
                let component = |place: &str| place.split('.').next().map(str::to_owned);
                let found = component(&failure.step.place);
                assert_eq!(found, component(&step.place), "{}: {failure}", named.name);
            }
            match ending {
                Ending::Refused(_) => assert_eq!(world.findings.writes, 0, "{}", named.name),
                Ending::Undone(_) => assert_eq!(world.at_rest(), before, "{}", named.name),
                // What undoes it is broken, too.
                Ending::Left(..) => {}
                // What was to be written was so before, and a wrong read led nowhere. Two steps are not read back:
                // there may be power without TRCPDCR, and TRCSYNCPR may be fixed (TRCIDR3.SYNCPR).
                Ending::Done => {
                    let ending = execute(
                        &topology,
                        &plan.steps,
                        &mut healthy,
                        &mut Ticks::default(),
                        &mut Journal::default(),
                    );
                    assert_eq!(ending, Ending::Done);
                    let is_same = world.registers() == healthy.registers()
                        && world.at_rest() == healthy.at_rest();
                    let is_fixed = step.place.ends_with(".TRCSYNCPR");
                    let is_any = is_fixed || step.role == Role::Power;
                    assert!(is_same || is_any, "{}", named.name);
                }
            }
        }
    }
}

#[test]
fn faults_in_the_middle_of_a_start_end_undone_or_say_what_is_left() {
    let topology = zynqmp();
    let plan = plan(&topology, &[0], &["tpiu"]);
    let mut endings = [0; 6];
    for after in 1..=plan.steps.len() {
        for hop in &plan.route.hops {
            let component = hop.component;
            let mut faults = vec![Fault::Stolen { component, after }];
            if topology.components[component].kind == ComponentKind::Etm4 {
                faults.push(Fault::PowerLost { component, after });
            }
            faults.push(Fault::ClockLost { clock: 0, after });
            for fault in faults {
                let (mut world, mut journal) = (World::cold(&topology), Journal::default());
                world.faults.push(fault);
                let ending = execute(
                    &topology,
                    &plan.steps,
                    &mut world,
                    &mut Ticks::default(),
                    &mut journal,
                );
                endings[usize::from(ending.exit_code())] += 1;
                if let Ending::Undone(failure) = &ending {
                    let Part::Component(index) = failure.step.part else {
                        panic!("{failure}")
                    };
                    assert!(
                        failure
                            .to_string()
                            .starts_with(&topology.components[index].name)
                    );
                    let on: Vec<String> = world
                        .at_rest()
                        .into_iter()
                        .filter(|part| part.contains("on true"))
                        .collect();
                    assert!(on.is_empty(), "{fault:?}: {on:?}");
                }
            }
        }
    }
    assert!(endings[3..].iter().all(|&count| count > 0), "{endings:?}");
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
