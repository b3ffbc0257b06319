// SPDX-License-Identifier: MIT OR Apache-2.0
//! The description of the source at the start of a stream.

use coretrace_abi::record_stream::{START_WORDS, VERSION, start};
use coretrace_etm::{ArchProfile, Config, Protocol, Registers};

/// The words of a [`tag::START`](coretrace_abi::record_stream::tag::START).
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
    /// The words.
    pub fn words(&self) -> [u32; START_WORDS] {
        let flags = u32::from(VERSION)
            | u32::from(self.trace_id) << start::TRACE_ID
            | u32::from(self.lenient) << start::LENIENT
            | u32::from(self.protocol == Protocol::Ete) << start::ETE
            | u32::from(self.v8m) << start::V8M
            | u32::from(self.explicit) << start::EXPLICIT
            | u32::from(self.filtered) << start::FILTERED;
        let mut words = [flags; START_WORDS];
        words[1..].copy_from_slice(&self.registers.values());
        words
    }

    /// Parses the words; fails with their version if it is another one.
    pub(crate) fn of_words(words: &[u32; START_WORDS]) -> Result<Start, u8> {
        let flags = words[0];
        let flag = |bit: u32| flags >> bit & 1 == 1;
        let version = flags as u8;
        if version != VERSION {
            return Err(version);
        }
        Ok(Start {
            trace_id: (flags >> start::TRACE_ID) as u8 & 0x7F,
            lenient: flag(start::LENIENT),
            explicit: flag(start::EXPLICIT),
            filtered: flag(start::FILTERED),
            protocol: if flag(start::ETE) {
                Protocol::Ete
            } else {
                Protocol::Etm4
            },
            v8m: flag(start::V8M),
            registers: Registers::from_values(&words[1..]),
        })
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
