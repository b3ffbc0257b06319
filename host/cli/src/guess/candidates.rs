// SPDX-License-Identifier: MIT OR Apache-2.0
//! Trace units to try.

use coretrace_capture::SourceDescription;
use coretrace_coresight::TraceId;

/// A trace unit as it may be set up.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// What to call it.
    pub name: &'static str,
    protocol: &'static str,
    core: &'static str,
    registers: &'static [(&'static str, u32)],
}

/// Registers of trace units that differ in how their packets are read: the sizes of context IDs and
/// VMIDs, the commit field of cycle counts, the version. What is switched on does not matter, save
/// for conditional instructions: the packets say it themselves.
const CANDIDATES: [Candidate; 6] = [
    Candidate {
        name: "ETMv4.0 of a Cortex-A53, A57 or A72",
        protocol: "ETM4",
        core: "Cortex-A53",
        registers: &[
            ("TRCCONFIGR", 0xC1),
            ("TRCIDR0", 0x2800_0EA1),
            ("TRCIDR1", 0x4100_F403),
            ("TRCIDR2", 0x488),
        ],
    },
    Candidate {
        name: "ETMv4.2 of a Cortex-A55 or newer, four bytes of VMID",
        protocol: "ETM4",
        core: "Cortex-A55",
        registers: &[
            ("TRCCONFIGR", 0xC1),
            ("TRCIDR0", 0x2800_0EA1),
            ("TRCIDR1", 0x4100_F422),
            ("TRCIDR2", 0x2000_1088),
        ],
    },
    Candidate {
        name: "ETMv4 with commits in its cycle counts",
        protocol: "ETM4",
        core: "Cortex-A53",
        registers: &[
            ("TRCCONFIGR", 0xD1),
            ("TRCIDR0", 0x0800_0EA1),
            ("TRCIDR1", 0x4100_F403),
            ("TRCIDR2", 0x488),
        ],
    },
    Candidate {
        name: "ETMv4 of a Cortex-M7",
        protocol: "ETM4",
        core: "Cortex-M7",
        registers: &[
            ("TRCCONFIGR", 0x1),
            ("TRCIDR0", 0x0800_0EA1),
            ("TRCIDR1", 0x4100_F400),
            ("TRCIDR2", 0x4),
        ],
    },
    Candidate {
        name: "ETMv4.2 of a Cortex-M33",
        protocol: "ETM4",
        core: "Cortex-M33",
        registers: &[
            ("TRCCONFIGR", 0x1),
            ("TRCIDR0", 0x2800_0EA1),
            ("TRCIDR1", 0x4100_F421),
            ("TRCIDR2", 0x4),
        ],
    },
    Candidate {
        name: "ETE",
        protocol: "ETE",
        core: "ARMv9-A",
        registers: &[
            ("TRCCONFIGR", 0xC1),
            ("TRCIDR0", 0x2800_0EA1),
            ("TRCIDR1", 0x4100_FFF3),
            ("TRCIDR2", 0x2000_1088),
            ("TRCDEVARCH", 0x4771_5A13),
        ],
    },
];

/// All candidates.
pub fn candidates() -> [Candidate; CANDIDATES.len()] {
    CANDIDATES
}

impl Candidate {
    /// A source of this kind.
    pub fn source(&self, id: Option<TraceId>) -> SourceDescription {
        let registers = self.registers.iter();
        SourceDescription {
            name: "ETM".to_owned(),
            protocol: self.protocol.to_owned(),
            trace_id: id.map(TraceId::value),
            core: Some(self.core.to_owned()),
            registers: registers
                .map(|(name, value)| ((*name).to_owned(), *value))
                .collect(),
        }
    }

    /// The options that describe it.
    pub fn options(&self) -> String {
        let registers = self.registers.iter();
        let registers = registers.map(|(name, value)| format!(" --reg {name}={value:#x}"));
        let registers: String = registers.collect();
        format!(
            "--protocol {} --core {}{registers}",
            self.protocol, self.core
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_capture::Source;

    #[test]
    fn every_candidate_is_a_trace_unit_that_there_can_be() {
        for candidate in candidates() {
            let source = Source::new(&candidate.source(None)).expect(candidate.name);
            assert!(source.config.is_some(), "{}", candidate.name);
        }
    }
}
