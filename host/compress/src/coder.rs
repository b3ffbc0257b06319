// SPDX-License-Identifier: MIT OR Apache-2.0
//! An encoder of any kind.

use coretrace_abi::compressed::block::REST_BITS;
use coretrace_abi::compressed::branch::Event;
use coretrace_abi::compressed::encoder::Encoder;
use coretrace_abi::compressed::stream_cache::MOST_INSTRUCTIONS;

use crate::bits::Bits;
use crate::history::History;
use crate::raptor::Raptor;
use crate::stream_cache::StreamCache;

/// Bits that a stream without a branch at its end takes, at most.
const CUT_BITS: u64 = 40;

/// An encoder that has begun.
#[derive(Clone, Debug)]
pub enum Coder {
    Raptor(Raptor),
    StreamCache(StreamCache),
    History(Box<History>),
}

impl Coder {
    /// Execution begins at an address.
    pub fn new(encoder: Encoder, is_wide: bool, start: u64) -> Coder {
        match encoder {
            Encoder::Raptor(preset) => Coder::Raptor(Raptor::new(preset)),
            Encoder::StreamCache(scheme) => {
                Coder::StreamCache(StreamCache::new(scheme, is_wide, start))
            }
            Encoder::History(preset) => Coder::History(Box::new(History::new(preset))),
        }
    }

    /// Takes the next event.
    pub fn event(&mut self, event: &Event) {
        match self {
            Coder::Raptor(coder) => coder.event(event),
            Coder::StreamCache(coder) => coder.event(event),
            Coder::History(coder) => coder.event(event),
        }
    }

    /// Bits that an event may take beside those of any event.
    pub fn extra_bits(&self, event: &Event) -> u64 {
        match self {
            Coder::StreamCache(_) => u64::from(event.instructions() / MOST_INSTRUCTIONS) * CUT_BITS,
            Coder::Raptor(_) | Coder::History(_) => 0,
        }
    }

    /// Bits so far.
    pub fn bits(&self) -> u64 {
        match self {
            Coder::Raptor(coder) => coder.bits(),
            Coder::StreamCache(coder) => coder.bits(),
            Coder::History(coder) => coder.bits(),
        }
    }

    /// All bits, so many instructions behind the last event; and how many of them are records.
    pub fn finish(self, instructions: u64) -> (Bits, u64) {
        let (mut bits, rest, start) = match self {
            Coder::Raptor(coder) => {
                let (bits, rest) = coder.finish();
                (bits, Some(rest + instructions), None)
            }
            Coder::StreamCache(coder) => {
                let (bits, rest) = coder.finish();
                let instructions = u64::from(rest.instructions) + instructions;
                (bits, Some(instructions), Some(rest.start))
            }
            Coder::History(coder) => (coder.finish(instructions), None, None),
        };
        let records = bits.len();
        if let Some(rest) = rest {
            bits.put(rest, REST_BITS);
        }
        if let Some(start) = start {
            bits.put(start, u64::BITS);
        }
        (bits, records)
    }
}
