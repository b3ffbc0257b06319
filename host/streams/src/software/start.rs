// SPDX-License-Identifier: MIT OR Apache-2.0
//! The source, which every packet of a stream has in its head.

use coretrace_abi::software_stream::{MAGIC, head};
use coretrace_software_trace::{ItmConfig, Protocol};

/// A source: what a reader must know of it and of the settings of the recorder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// Trace ID of the source.
    pub trace_id: u8,
    /// Error policy: `false` resync, `true` lenient.
    pub lenient: bool,
    /// STM or ITM.
    pub protocol: Protocol,
}

/// What a packet of a stream begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub start: Start,
    /// The source was enabled before this packet.
    pub is_start: bool,
    /// Number of the packet since reset.
    pub number: u32,
}

impl Head {
    /// Its words.
    pub fn words(&self) -> [u32; head::WORDS] {
        let Start {
            trace_id,
            lenient,
            protocol,
        } = self.start;
        let itm = match protocol {
            Protocol::Stm => None,
            Protocol::Itm(config) => Some(config.itm_tcr),
        };
        let mut words = [0; head::WORDS];
        words[head::MAGIC] = MAGIC;
        words[head::FLAGS] = u32::from(trace_id & 0x7F) << head::TRACE_ID
            | u32::from(lenient) << head::LENIENT
            | u32::from(itm.is_some()) << head::ITM
            | u32::from(self.is_start) << head::START;
        words[head::NUMBER] = self.number;
        words[head::ITM_TCR] = itm.unwrap_or(0);
        words
    }

    /// The head of words whose first one is the magic word.
    pub fn of_words(words: &[u32; head::WORDS]) -> Head {
        let flags = words[head::FLAGS];
        let flag = |bit: u32| flags >> bit & 1 == 1;
        let itm_tcr = words[head::ITM_TCR];
        Head {
            start: Start {
                trace_id: (flags >> head::TRACE_ID) as u8 & 0x7F,
                lenient: flag(head::LENIENT),
                protocol: if flag(head::ITM) {
                    Protocol::Itm(ItmConfig { itm_tcr })
                } else {
                    Protocol::Stm
                },
            },
            is_start: flag(head::START),
            number: words[head::NUMBER],
        }
    }
}
