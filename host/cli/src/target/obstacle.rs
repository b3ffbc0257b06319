// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the Linux of a chip has that keeps a session from being begun: drivers, cores that are offline, no
//! bitstream, memory that is its own.

use std::path::Path;

use coretrace_target::Plan;
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
    let components = plan
        .route
        .hops
        .iter()
        .map(|hop| &chip.topology.components[hop.component]);
    for component in components {
        let name = &component.name;
        if let Some(driver) = driver_of(root, component.base) {
            return Some(report::refused(
                &format!("the driver {driver} of Linux uses {name}"),
                &format!("unbind it, by /sys/bus/amba/drivers/{driver}/unbind"),
            ));
        }
        if component.cpu.is_some_and(|core| !is_online(root, core)) {
            return Some(report::refused(
                &format!("the core of {name} is offline"),
                "its trace unit has no power: bring the core online",
            ));
        }
    }
    no_core(root, has_core)
}

/// Says that no bitstream is loaded, if a core is wanted: an access would hang the machine.
pub fn no_core(root: &Path, has_core: bool) -> Option<Outcome> {
    let is_absent = has_core && !is_programmed(root);
    is_absent.then(|| {
        report::refused(
            "no bitstream is loaded, so that an access to the core would hang the machine",
            "load one that has the core",
        )
    })
}
