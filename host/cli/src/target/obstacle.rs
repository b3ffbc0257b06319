// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the Linux of a chip has that keeps a session from being begun, or a part of one from being
//! undone: drivers, cores that are offline, no bitstream, memory that is its own.

use std::path::Path;

use coretrace_target::plan::Part;
use coretrace_target::topology::Component;
use coretrace_target::{Plan, Topology};
use coretrace_target_buses::linux::{driver_of, has_memory, is_online, is_programmed};

use crate::error::Outcome;
use crate::target::bus::Name;
use crate::target::chip::Chip;
use crate::target::report;
use crate::target::wish::Wish;

/// Says what is in the way of a wish, if anything is.
pub fn of_wish(bus: &Name, wish: &Wish) -> Option<Outcome> {
    let outcome = obstacle(bus, &wish.chip, &wish.plan, wish.receiver.is_some());
    if outcome.is_some() {
        return outcome;
    }
    let Name::Linux(root) = bus else { return None };
    let range = wish.memory.iter().find(|range| has_memory(root, range))?;
    Some(report::refused(
        &format!(
            "{:#X} to {:#X} is memory that Linux uses itself",
            range.start, range.end
        ),
        "reserve memory with `no-map` in the device tree, and give that",
    ))
}

/// Says what is in the way of a plan, if anything is.
pub fn obstacle(bus: &Name, chip: &Chip, plan: &Plan, has_core: bool) -> Option<Outcome> {
    let Name::Linux(root) = bus else { return None };
    let hops = plan.route.hops.iter();
    let mut components = hops.map(|hop| &chip.topology.components[hop.component]);
    let found = components.find_map(|component| of_component(root, component));
    match found {
        Some((what, advice)) => Some(report::refused(&what, &advice)),
        None => no_core(root, has_core),
    }
}

/// The parts of a session that must not be accessed now, and why.
pub fn barred(bus: &Name, topology: &Topology, parts: &[Part]) -> Vec<(Part, String)> {
    let Name::Linux(root) = bus else {
        return Vec::new();
    };
    let why = |part: &Part| match *part {
        Part::Clock(_) => None,
        Part::Component(index) => of_component(root, &topology.components[index]),
        Part::Receiver(_) => of_core(root),
    };
    let parts = parts.iter();
    parts
        .filter_map(|part| Some((*part, why(part)?.0)))
        .collect()
}

/// What is in the way of a component, and what to do.
fn of_component(root: &Path, component: &Component) -> Option<(String, String)> {
    let name = &component.name;
    if let Some(driver) = driver_of(root, component.base) {
        return Some((
            format!("the driver {driver} of Linux uses {name}"),
            format!("unbind it, by /sys/bus/amba/drivers/{driver}/unbind"),
        ));
    }
    let is_offline = component.cpu.is_some_and(|core| !is_online(root, core));
    is_offline.then(|| {
        (
            format!("the core of {name} is offline"),
            "its trace unit has no power: bring the core online".to_owned(),
        )
    })
}

/// What is in the way of a core behind a port, and what to do.
fn of_core(root: &Path) -> Option<(String, String)> {
    (!is_programmed(root)).then(|| {
        (
            "no bitstream is loaded, so that an access to the core would hang the machine"
                .to_owned(),
            "load one that has the core".to_owned(),
        )
    })
}

/// Says that no bitstream is loaded, if a core is wanted.
pub fn no_core(root: &Path, has_core: bool) -> Option<Outcome> {
    let (what, advice) = of_core(root).filter(|_| has_core)?;
    Some(report::refused(&what, &advice))
}
