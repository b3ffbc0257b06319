// SPDX-License-Identifier: MIT OR Apache-2.0
//! The sources of a session, as captures describe them.

use coretrace_capture::SourceDescription;
use coretrace_coresight::map::ComponentKind;
use coretrace_target::{Journal, Plan, Topology, noted};

/// Each source with the registers that the session read from it.
pub fn sources(topology: &Topology, plan: &Plan, journal: &Journal) -> Vec<SourceDescription> {
    let source = |(source, id): &(usize, u8)| SourceDescription {
        name: topology.components[*source].name.clone(),
        protocol: match topology.components[*source].kind {
            ComponentKind::Stm => "STM",
            _ => "ETM4",
        }
        .to_owned(),
        trace_id: Some(*id),
        core: None,
        registers: noted(topology, journal, *source)
            .map(|(name, value)| (name.to_owned(), value))
            .collect(),
    };
    plan.trace_ids.iter().map(source).collect()
}
