// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ways that part and meet again many times: the simulator meets every component once.

use coretrace_coresight::map::common::{LAR, UNLOCK_KEY};
use coretrace_coresight::map::links::{funnel, replicator};
use coretrace_coresight::map::{Register, tpiu};
use coretrace_target::{Bus, Topology};
use coretrace_target_sim::World;

/// How often they part.
const DIAMONDS: usize = 60;

/// A trace unit, replicators whose outputs meet in a funnel, and a port.
fn diamonds() -> Topology {
    let mut text = "name = \"diamonds\"\nstatus = \"not run\"\n".to_owned();
    let mut base = 0;
    let mut add = |name: String, kind: &str| {
        base += 0x1000;
        format!(
            "[[component]]\nname = \"{name}\"\nkind = \"{kind}\"\nbase = {base}\nmark = \"I\"\n"
        )
    };
    text += &add("etm".to_owned(), "etm4");
    text += &add("tpiu".to_owned(), "tpiu");
    for number in 0..DIAMONDS {
        text += &add(format!("r{number}"), "replicator");
        text += &add(format!("f{number}"), "funnel");
    }
    let link = |from: String, to: String| format!("[[link]]\nfrom = \"{from}\"\nto = \"{to}\"\n");
    let mut above = "etm:0".to_owned();
    for number in 0..DIAMONDS {
        text += &link(above, format!("r{number}:0"));
        for port in 0..2 {
            text += &link(format!("r{number}:{port}"), format!("f{number}:{port}"));
        }
        above = format!("f{number}:0");
    }
    text += &link(above, "tpiu:0".to_owned());
    Topology::parse(&text).expect("a topology")
}

/// Writes a register of a component that was unlocked.
fn write(topology: &Topology, world: &mut World, name: &str, register: &Register, value: u32) {
    let component = topology.find(name).expect("a component");
    let base = topology.components[component].base;
    world
        .write32(base + u64::from(LAR.offset), UNLOCK_KEY)
        .expect("written");
    world
        .write32(base + u64::from(register.offset), value)
        .expect("written");
}

#[test]
fn ways_that_part_and_meet_sixty_times_are_judged_at_once() {
    let topology = diamonds();
    let mut world = World::cold(&topology);
    write(&topology, &mut world, "tpiu", &tpiu::FFCR, 3);
    for number in (0..DIAMONDS).rev() {
        write(
            &topology,
            &mut world,
            &format!("f{number}"),
            &funnel::CTRL,
            3,
        );
        for value in [replicator::BLOCK_ALL, 0] {
            write(
                &topology,
                &mut world,
                &format!("r{number}"),
                &replicator::IDFILTER,
                value,
            );
        }
    }
    let broken = |world: &World, rule: &str| {
        let found = world.findings.violations.iter();
        found.filter(|violation| violation.rule == rule).count()
    };
    assert_eq!(broken(&world, "FLUSH"), 0);
    // The port at the end of all ways still takes what a funnel holds.
    write(&topology, &mut world, "f0", &funnel::CTRL, 0);
    assert_eq!(broken(&world, "FLUSH"), 1);
}

#[test]
fn a_byte_that_goes_too_many_ways_is_lost_and_said_to_be() {
    let topology = diamonds();
    let mut world = World::cold(&topology);
    for number in 0..DIAMONDS {
        write(
            &topology,
            &mut world,
            &format!("f{number}"),
            &funnel::CTRL,
            3,
        );
    }
    let unit = topology.find("etm").expect("a trace unit");
    world.leave_enabled(unit);
    world.run(400);
    let lost = world.findings.lost.keys();
    let why: Vec<&str> = lost.map(|lost| lost.why).collect();
    assert!(why.contains(&"it goes too many ways"), "{why:?}");
}
