// SPDX-License-Identifier: MIT OR Apache-2.0
//! Other agents that take what a session has claimed: it notices that, and leaves alone what is theirs.

use coretrace_coresight::map::common::{CLAIMCLR, claimset};
use coretrace_target::plan::{Plan, Role};
use coretrace_target::wrappers::{Access, Guarded, Recorded};
use coretrace_target::{
    Bus, Ending, Failure, Intrusion, Journal, Options, Topology, Wanted, execute, intrusions, undo,
};
use coretrace_target_sim::{Fault, Ticks, World};

use crate::killed::Killed;
use crate::session::{plan, zynqmp};

/// A session that runs, with its journal.
fn started(topology: &Topology, plan: &Plan, mut world: World) -> (World, Journal) {
    let mut journal = Journal::default();
    let mut time = Ticks::default();
    let ending = execute(topology, &plan.steps, &mut world, &mut time, &mut journal);
    assert_eq!(ending, Ending::Done);
    // What ends it is another process.
    world.forget();
    (world, journal)
}

fn end(topology: &Topology, journal: &mut Journal, bus: &mut dyn Bus) -> Vec<Failure> {
    undo(topology, journal, bus, &mut Ticks::default())
}

fn places(failures: &[Failure]) -> Vec<&str> {
    let places = failures.iter().map(|failure| &failure.step.place[..]);
    places.collect()
}

/// What lasts of all but one component.
fn others(world: &World, name: &str) -> Vec<String> {
    let own = format!("{name} ");
    let mut lines = world.at_rest();
    lines.retain(|line| !line.starts_with(&own));
    lines
}

#[test]
fn what_another_agent_took_is_left_alone_until_it_is_given_back() {
    let topology = zynqmp();
    let plan = plan(&topology, &[0, 2], &["tpiu"]);
    let before = World::cold(&topology);
    for hop in &plan.route.hops {
        let (mut world, mut journal) = started(&topology, &plan, before.clone());
        let (index, component) = (hop.component, &topology.components[hop.component]);
        assert_eq!(
            intrusions(&topology, &mut journal, &mut world, &mut Ticks::default()),
            []
        );
        world.claim(index);
        let found = intrusions(&topology, &mut journal, &mut world, &mut Ticks::default());
        assert_eq!(found, [(index, Intrusion::Claimed(3))]);
        let place = format!("{}.CLAIMCLR", component.name);
        for _ in 0..2 {
            let mut bus = Recorded::new(&mut world);
            let failures = end(&topology, &mut journal, &mut bus);
            let is_here = |access: &&Access| matches!(access, Access::Write(at, _) if topology.at(*at).is_some_and(|(at, _)| at == index));
            assert_eq!(bus.log.iter().find(is_here), None, "{place}");
            assert_eq!(places(&failures), [&place[..]]);
            assert!(failures[0].advice.contains("end the other agent"));
            assert_eq!(
                others(&world, &component.name),
                others(&before, &component.name)
            );
        }
        let address = component.base + u64::from(CLAIMCLR.offset);
        let tag = claimset::EXTERNAL.mask();
        assert_eq!(world.write32(address, tag), Ok(()));
        assert!(
            end(&topology, &mut journal, &mut world).is_empty(),
            "{place}"
        );
        assert_eq!(world.at_rest(), before.at_rest(), "{place}");
    }
}

#[test]
fn a_claim_that_was_cleared_or_a_lock_that_was_closed_is_no_obstacle() {
    let topology = zynqmp();
    let plan = plan(&topology, &[0, 2], &["tpiu"]);
    let before = World::cold(&topology).at_rest();
    for hop in &plan.route.hops {
        let index = hop.component;
        for intrusion in [Intrusion::Unclaimed, Intrusion::Locked] {
            let (mut world, mut journal) = started(&topology, &plan, World::cold(&topology));
            match intrusion {
                Intrusion::Locked => world.lock(index),
                _ => world.unclaim(index),
            }
            let found = intrusions(&topology, &mut journal, &mut world, &mut Ticks::default());
            assert_eq!(found, [(index, intrusion)]);
            assert!(end(&topology, &mut journal, &mut world).is_empty());
            assert_eq!(world.at_rest(), before, "{index} {intrusion}");
            assert_eq!(world.findings.violations.len(), 0, "{index} {intrusion}");
        }
    }
}

#[test]
fn the_clock_of_what_another_agent_took_goes_on() {
    let topology = zynqmp();
    let wanted = Wanted {
        sources: vec![topology.trace_unit(0).expect("a core")],
        sinks: vec![topology.find("tpiu").expect("a port")],
        via: vec![],
    };
    let options = Options {
        enable_clocks: true,
        ..Options::default()
    };
    let plan = Plan::start(&topology, &wanted, &options).expect("a plan");
    let mut world = World::cold(&topology);
    let clock = topology
        .clocks
        .iter()
        .position(|clock| clock.name == "trace");
    world.stop_clock(clock.expect("a clock"));
    let before = world.clone();
    let (mut world, mut journal) = started(&topology, &plan, world);
    world.claim(wanted.sinks[0]);
    let failures = end(&topology, &mut journal, &mut world);
    assert_eq!(
        places(&failures),
        ["tpiu.CLAIMCLR", "CRF_APB.DBG_TRACE_CTRL"]
    );
    assert!(failures[1].to_string().contains("tpiu needs it"));
    world.unclaim(wanted.sinks[0]);
    assert!(end(&topology, &mut journal, &mut world).is_empty());
    assert_eq!(world.at_rest(), before.at_rest());
}

#[test]
fn of_two_who_claim_at_the_same_time_the_session_goes_back() {
    let topology = zynqmp();
    let plan = plan(&topology, &[0], &["tpiu"]);
    let etf = topology.find("etf1").expect("a buffer");
    let before = World::cold(&topology);
    let mut met = 0;
    for after in 1..=plan.steps.len() {
        let (mut world, mut journal) = (before.clone(), Journal::default());
        world.faults.push(Fault::Stolen {
            component: etf,
            after,
        });
        let mut bus = Guarded::new(&topology, &mut world);
        let mut time = Ticks::default();
        let ending = execute(&topology, &plan.steps, &mut bus, &mut time, &mut journal);
        let at_claim = |failure: &Failure| {
            failure.step.place == "etf1.CLAIMCLR" && failure.step.role == Role::Claimed
        };
        if !ending.failure().is_some_and(at_claim) {
            continue;
        }
        met += 1;
        assert!(matches!(ending, Ending::Undone(_)), "{after}: {ending:?}");
        assert_eq!(others(&world, "etf1"), others(&before, "etf1"), "{after}");
        let line = world
            .at_rest()
            .into_iter()
            .find(|line| line.starts_with("etf1 "));
        // The lock stays open for the one who has it now.
        assert_eq!(line.as_deref(), Some("etf1 locked false claims 1 on false"));
    }
    assert!(met > 0, "no claim met the other");
}

#[test]
fn a_session_that_was_killed_takes_its_own_end_for_no_other_agent() {
    let topology = zynqmp();
    let plan = plan(&topology, &[0], &["tpiu"]);
    let before = World::cold(&topology).at_rest();
    for count in 0.. {
        let (mut world, mut journal) = started(&topology, &plan, World::cold(&topology));
        let mut bus = Killed {
            world: &mut world,
            left: count,
        };
        let is_whole = end(&topology, &mut journal, &mut bus).is_empty();
        let found = intrusions(&topology, &mut journal, &mut world, &mut Ticks::default());
        assert_eq!(found, [], "{count}");
        assert!(
            end(&topology, &mut journal, &mut world).is_empty(),
            "{count}"
        );
        assert_eq!(world.at_rest(), before, "{count}");
        if is_whole {
            assert!(count > 60, "only {count} accesses");
            break;
        }
    }
}
