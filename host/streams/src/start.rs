// SPDX-License-Identifier: MIT OR Apache-2.0
//! The description of a source, which every packet of a stream has in its head.

use coretrace_abi::record_stream::head;
use coretrace_etm::{ArchProfile, Config, Protocol, Registers};

/// A source: what a reader must know of its trace unit and of the core's settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Start {
    /// Trace ID of the source.
    pub trace_id: u8,
    /// Error policy: `false` resync, `true` lenient.
    pub lenient: bool,
    /// Every address is written in full.
    pub explicit: bool,
    /// A filter omits records.
    pub filtered: bool,
    /// ETMv4 or ETE.
    pub protocol: Protocol,
    /// The core is an Armv8-M.
    pub v8m: bool,
    /// The trace unit's registers.
    pub registers: Registers,
}

impl Start {
    /// Its flags in a head.
    pub(crate) fn flags(&self) -> u32 {
        u32::from(self.trace_id & 0x7F) << head::TRACE_ID
            | u32::from(self.lenient) << head::LENIENT
            | u32::from(self.protocol == Protocol::Ete) << head::ETE
            | u32::from(self.v8m) << head::V8M
            | u32::from(self.explicit) << head::EXPLICIT
            | u32::from(self.filtered) << head::FILTERED
    }

    /// The source of these flags and registers.
    pub(crate) fn of_flags(flags: u32, registers: Registers) -> Start {
        let flag = |bit: u32| flags >> bit & 1 == 1;
        Start {
            trace_id: (flags >> head::TRACE_ID) as u8 & 0x7F,
            lenient: flag(head::LENIENT),
            explicit: flag(head::EXPLICIT),
            filtered: flag(head::FILTERED),
            protocol: if flag(head::ETE) {
                Protocol::Ete
            } else {
                Protocol::Etm4
            },
            v8m: flag(head::V8M),
            registers,
        }
    }

    /// The decoder configuration. A stream does not distinguish an Armv7-M from an application
    /// core: this affects only the names of exceptions.
    pub fn config(&self) -> Config {
        let profile = if self.v8m {
            ArchProfile::M8
        } else {
            ArchProfile::A
        };
        Config::new(self.protocol, profile, &self.registers)
    }
}
