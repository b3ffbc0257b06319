// SPDX-License-Identifier: MIT OR Apache-2.0
//! Worlds in which a session runs: as after reset, as others left it, and with faults.

use coretrace_coresight::map::{ComponentKind, links, tpiu};
use coretrace_target::Topology;
use coretrace_target::plan::{Action, Plan, Step};
use coretrace_target_sim::{Fault, World};

/// A world with its name.
#[derive(Clone)]
pub struct Named {
    /// The name.
    pub name: String,
    /// The world.
    pub world: World,
}

/// Worlds without a fault.
pub fn worlds(topology: &Topology, plan: &Plan) -> Vec<Named> {
    let mut all = Vec::new();
    let mut add = |name: String, change: &dyn Fn(&mut World)| {
        let mut world = World::cold(topology);
        change(&mut world);
        all.push(Named { name, world });
    };
    add("cold".into(), &|_| {});
    add("dirty".into(), &World::make_dirty);
    for hop in &plan.route.hops {
        let (index, component) = (hop.component, &topology.components[hop.component]);
        let name = &component.name;
        add(format!("{name} claimed"), &|world| world.claim(index));
        add(format!("zeros at {name}"), &|world| {
            world.move_by(index, 1 << 40)
        });
        match component.kind {
            ComponentKind::Etm4 => {
                add(format!("{name} on"), &|world| world.leave_enabled(index));
                add(format!("{name} without power"), &|world| {
                    world.slow_power(index, 30)
                });
                add(format!("{name} with PU"), &|world| {
                    world.leave(index, 0x310, 8)
                });
            }
            ComponentKind::Tpiu => add(format!("{name} on"), &|world| {
                world.leave(index, tpiu::FFCR.offset, 3);
            }),
            ComponentKind::Replicator => add(format!("{name} closed"), &|world| {
                for output in 0..2 {
                    world.leave(index, links::replicator::IDFILTER.at(output), 0xFF);
                }
            }),
            kind if kind.is_memory() => {
                add(format!("{name} draining"), &|world| {
                    world.drain(index, 1000)
                });
            }
            _ => {}
        }
    }
    for clock in 0..topology.clocks.len() {
        add(format!("clock {clock} off"), &|world| {
            world.stop_clock(clock)
        });
        add(format!("clock {clock} off, dead"), &|world| {
            world.stop_clock(clock);
            world.aborts_without_clock = false;
        });
    }
    all
}

/// Worlds in which a step does not work: what a check or a wait reads is wrong for ever, a write is
/// dropped.
pub fn broken(topology: &Topology, plan: &Plan, step: &Step) -> Vec<Named> {
    let mut dirty = World::cold(topology);
    dirty.make_dirty();
    let before = plan.steps.iter().take_while(|other| *other != step);
    let address = step.address;
    let fault = match &step.action {
        Action::Check { mask, values } => Fault::Read {
            address,
            mask: *mask,
            value: !values[0],
        },
        Action::Wait { mask, value } => Fault::Read {
            address,
            mask: *mask,
            value: !value,
        },
        Action::Drain { .. } => panic!("a start reads no buffer"),
        Action::Write { .. } | Action::Copy { .. } => Fault::DropWrite {
            address: step.address,
            skip: before
                .filter(|other| other.is_write() && other.address == step.address)
                .count(),
        },
    };
    let worlds = [("cold", World::cold(topology)), ("dirty", dirty)];
    let broken = worlds.into_iter().map(|(name, mut world)| {
        world.faults.push(fault);
        Named {
            name: format!("{name}, {} broken", step.place),
            world,
        }
    });
    broken.collect()
}
