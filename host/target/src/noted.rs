// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a session read from a trace unit.

use coretrace_coresight::map::Register;
use coretrace_coresight::map::common::DEVARCH;
use coretrace_coresight::map::trace_unit::{
    TRCCONFIGR, TRCIDR0, TRCIDR1, TRCIDR2, TRCIDR8, TRCTRACEIDR,
};

use crate::journal::Journal;
use crate::topology::{Index, Topology};

/// The registers that decoders need, by the names that captures have for them.
const NEEDED: [(&str, &Register); 7] = [
    ("TRCCONFIGR", &TRCCONFIGR),
    ("TRCTRACEIDR", &TRCTRACEIDR),
    ("TRCIDR0", &TRCIDR0),
    ("TRCIDR1", &TRCIDR1),
    ("TRCIDR2", &TRCIDR2),
    ("TRCIDR8", &TRCIDR8),
    ("TRCDEVARCH", &DEVARCH),
];

/// The registers of a trace unit that decoders need, as a session read them while the unit was idle; those
/// that it did not read are left out.
pub fn noted(
    topology: &Topology,
    journal: &Journal,
    unit: Index,
) -> impl Iterator<Item = (&'static str, u32)> {
    let base = topology.components[unit].base;
    NEEDED.into_iter().filter_map(move |(name, register)| {
        let address = base + u64::from(register.offset);
        let reads = journal
            .entries
            .iter()
            .filter(|entry| !entry.step.is_write());
        let last = reads.rev().find(|entry| entry.step.address == address);
        Some((name, last?.seen?))
    })
}
