// SPDX-License-Identifier: MIT OR Apache-2.0
//! Worlds in which a session runs: as after reset, as others left it, and with faults.

use coretrace_coresight::map::common::AUTHSTATUS;
use coretrace_coresight::map::{ComponentKind, links, tpiu, trace_unit};
use coretrace_target::Topology;
use coretrace_target::plan::{Action, Plan, Step};
use coretrace_target::topology::Component;
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
        add(format!("nothing at {name}"), &|world| {
            world.move_by(index, 1 << 40);
            world.aborts_where_nothing_is = true;
        });
        add(format!("{name} forbidden"), &|world| {
            world.leave(index, AUTHSTATUS.offset, 0);
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
            ComponentKind::Stm => {
                add(format!("{name} on"), &|world| world.leave_enabled(index));
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
    // A source of nobody that is traced here already.
    let is_unit = |(_, component): &(usize, &Component)| component.kind == ComponentKind::Etm4;
    let mut units = topology.components.iter().enumerate().filter(is_unit);
    let other = units.find(|(unit, _)| plan.trace_ids.iter().all(|(source, _)| source != unit));
    if let Some((unit, _)) = other {
        add("another source on".into(), &|world| {
            world.leave(unit, trace_unit::TRCTRACEIDR.offset, 0x33);
            world.leave_enabled(unit);
            for link in topology.outputs(unit) {
                let (funnel, input) = link.to;
                world.leave(funnel, links::funnel::CTRL.offset, 0x300 | 1 << input);
            }
        });
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

/// The fault by which a step of a start does not work: what a check or a wait reads is wrong for ever, a write
/// is dropped.
pub fn broken(plan: &Plan, step: &Step) -> Fault {
    let before = plan.steps.iter().take_while(|other| *other != step);
    broken_behind(before, step)
}

/// The same of a step behind others.
pub fn broken_behind<'a>(before: impl Iterator<Item = &'a Step>, step: &Step) -> Fault {
    let address = step.address;
    let read = |mask: u32, value: u32| Fault::Read {
        address,
        mask,
        value,
    };
    match &step.action {
        Action::Check { mask, values } => read(*mask, !values[0]),
        Action::AtMost { mask, .. } => read(*mask, u32::MAX),
        Action::Wait { mask, value } | Action::Rest { mask, value } => read(*mask, !value),
        Action::Drain { .. } => panic!("a session reads no buffer"),
        Action::Write { .. } | Action::Copy { .. } => Fault::DropWrite {
            address,
            skip: before
                .filter(|other| other.is_write() && other.address == address)
                .count(),
        },
    }
}
