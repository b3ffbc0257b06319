// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the Linux of a chip has that keeps a session from being begun: drivers, cores that are offline, no
//! bitstream.

use std::path::Path;

use coretrace_target::Plan;
use coretrace_target_buses::linux::{driver_of, is_online, is_programmed};

use crate::error::Outcome;
use crate::target::bus::Name;
use crate::target::chip::Chip;
use crate::target::report;

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
