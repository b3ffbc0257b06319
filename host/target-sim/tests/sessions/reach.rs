// SPDX-License-Identifier: MIT OR Apache-2.0
//! A stop by another process examines each part before it accesses it: what cannot be is left as it is.

use coretrace_target::wrappers::{Access, Recorded};
use coretrace_target::{Ending, Failure, Journal, execute, undo};
use coretrace_target::{Plan, Topology};
use coretrace_target_sim::{Ticks, World};

use crate::session::{plan, zynqmp};

/// A session to a port and to memory that runs, before another process stops it.
fn started() -> (Topology, Plan, World, Journal) {
    let topology = zynqmp();
    let plan = plan(&topology, &[0, 2], &["tpiu", "etr"]);
    let (mut world, mut journal) = (World::cold(&topology), Journal::default());
    let mut time = Ticks::default();
    let ending = execute(&topology, &plan.steps, &mut world, &mut time, &mut journal);
    assert_eq!(ending, Ending::Done);
    world.forget();
    (topology, plan, world, journal)
}

/// The names before the first `:` or `.` of the places that failed.
fn names(failures: &[Failure]) -> Vec<&str> {
    let names = failures
        .iter()
        .filter_map(|failure| failure.step.place.split([':', '.']).next());
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names
}

#[test]
fn what_has_no_clock_is_not_accessed_by_a_stop_and_the_rest_is_undone() {
    let before = World::cold(&zynqmp());
    for clock in 0..zynqmp().clocks.len() {
        let (topology, plan, mut world, mut journal) = started();
        world.stop_clock(clock);
        let failures = undo(&topology, &mut journal, &mut world, &mut Ticks::default());
        assert!(world.findings.aborted.is_empty(), "{clock}");
        assert!(world.findings.violations.is_empty(), "{clock}");
        let hops = plan.route.hops.iter();
        let components = hops.map(|hop| &topology.components[hop.component]);
        let users = components.filter(|component| component.clocks.contains(&clock));
        let mut users: Vec<&str> = users.map(|component| &component.name[..]).collect();
        users.sort_unstable();
        assert_eq!(names(&failures), users, "{clock}");
        let others = |world: &World| {
            let mut lines = world.at_rest();
            lines.truncate(lines.len() - topology.clocks.len());
            lines.retain(|line| {
                !users
                    .iter()
                    .any(|name| line.starts_with(&format!("{name} ")))
            });
            lines
        };
        assert_eq!(others(&world), others(&before), "{clock}");
        world.forget();
        world.start_clock(clock);
        assert!(undo(&topology, &mut journal, &mut world, &mut Ticks::default()).is_empty());
        assert_eq!(world.at_rest(), before.at_rest(), "{clock}");
    }
}

#[test]
fn a_component_that_is_another_one_now_is_not_written_by_a_stop() {
    let (topology, plan, ..) = started();
    for hop in &plan.route.hops {
        let (_, _, mut world, mut journal) = started();
        let component = &topology.components[hop.component];
        world.move_by(hop.component, 0x1000_0000);
        let mut bus = Recorded::new(&mut world);
        let failures = undo(&topology, &mut journal, &mut bus, &mut Ticks::default());
        let here = component.base..component.base + 0x1000;
        let is_write =
            |access: &Access| matches!(access, Access::Write(at, _) if here.contains(at));
        assert!(!bus.log.iter().any(is_write), "{}", component.name);
        assert_eq!(names(&failures), [&component.name[..]]);
        assert!(failures[0].to_string().contains("IDENT"), "{}", failures[0]);
        let mut violations = world.findings.violations.iter();
        assert!(!violations.any(|violation| violation.rule == "IDENT"));
        world.forget();
        world.move_by(hop.component, 0x1000_0000_u64.wrapping_neg());
        assert!(undo(&topology, &mut journal, &mut world, &mut Ticks::default()).is_empty());
        assert_eq!(world.at_rest(), World::cold(&topology).at_rest());
    }
}
