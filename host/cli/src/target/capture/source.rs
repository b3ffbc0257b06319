// SPDX-License-Identifier: MIT OR Apache-2.0
//! The trace units of a session, as captures describe them.

use coretrace_capture::SourceDescription;
use coretrace_target::{Journal, Plan, Topology, noted};

/// Each source with the registers that the session read from it.
pub fn sources(topology: &Topology, plan: &Plan, journal: &Journal) -> Vec<SourceDescription> {
    let source = |(unit, id): &(usize, u8)| SourceDescription {
        name: topology.components[*unit].name.clone(),
        protocol: "ETM4".to_owned(),
        trace_id: Some(*id),
        core: None,
        registers: noted(topology, journal, *unit)
            .map(|(name, value)| (name.to_owned(), value))
            .collect(),
    };
    plan.trace_ids.iter().map(source).collect()
}
