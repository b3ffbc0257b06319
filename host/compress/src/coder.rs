// SPDX-License-Identifier: MIT OR Apache-2.0
//! An encoder of any kind.

use coretrace_abi::compressed::block::REST_BITS;
use coretrace_abi::compressed::branch::Event;
use coretrace_abi::compressed::encoder::Encoder;
use coretrace_abi::compressed::item::Note;
use coretrace_abi::compressed::stream_cache::{CUT_BITS, MOST_INSTRUCTIONS};

use crate::bits::Bits;
use crate::history::History;
use crate::index_trace::IndexTrace;
use crate::nexus::Nexus;
use crate::raptor::Raptor;
use crate::stream::Rest;
use crate::stream_cache::StreamCache;
use crate::votes::Votes;

/// An encoder that has begun.
#[derive(Clone, Debug)]
pub enum Coder {
    /// S0 to B4.
    Raptor(Raptor),
    /// BASE, eBASE, rBASE.
    StreamCache(StreamCache),
    /// X0 to X3.
    History(Box<History>),
    /// X4.
    Votes(Box<Votes>),
    /// NEXS.
    Nexus(Nexus),
    /// SCIT and THT.
    IndexTrace(IndexTrace),
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
            Encoder::Votes => Coder::Votes(Box::default()),
            Encoder::Nexus => Coder::Nexus(Nexus::new(start)),
            Encoder::IndexTrace(records) => {
                Coder::IndexTrace(IndexTrace::new(records, is_wide, start))
            }
        }
    }

    /// Takes the next event.
    pub fn event(&mut self, event: &Event) {
        match self {
            Coder::Raptor(coder) => coder.event(event),
            Coder::StreamCache(coder) => coder.event(event),
            Coder::History(coder) => coder.event(event),
            Coder::Votes(coder) => coder.event(event),
            Coder::Nexus(coder) => coder.event(event),
            Coder::IndexTrace(coder) => coder.event(event),
        }
    }

    /// Whether it has records for notes.
    pub fn keeps_notes(&self) -> bool {
        matches!(self, Coder::History(_))
    }

    /// Takes a note, so many instructions behind the event before, if it has records for notes.
    pub fn note(&mut self, note: Note, instructions: u32) {
        match self {
            Coder::History(coder) => coder.note(note, instructions),
            Coder::Votes(coder) => coder.note(note, instructions),
            Coder::Raptor(_) | Coder::StreamCache(_) | Coder::Nexus(_) | Coder::IndexTrace(_) => {}
        }
    }

    /// Bits that an event may take beside those of any event.
    pub fn extra_bits(&self, event: &Event) -> u64 {
        match self {
            Coder::StreamCache(_) | Coder::Nexus(_) | Coder::IndexTrace(_) => {
                u64::from(event.instructions() / MOST_INSTRUCTIONS) * CUT_BITS
            }
            Coder::Raptor(_) | Coder::History(_) | Coder::Votes(_) => 0,
        }
    }

    /// Whether it has no place in a block for the instructions so far and so many more.
    pub fn overflows(&self, instructions: u64) -> bool {
        match self {
            Coder::Raptor(coder) => coder.overflows(instructions),
            // A stream has few, and a control record says only those behind the event before.
            Coder::StreamCache(_)
            | Coder::History(_)
            | Coder::Votes(_)
            | Coder::Nexus(_)
            | Coder::IndexTrace(_) => false,
        }
    }

    /// Bits so far.
    pub fn bits(&self) -> u64 {
        match self {
            Coder::Raptor(coder) => coder.bits(),
            Coder::StreamCache(coder) => coder.bits(),
            Coder::History(coder) => coder.bits(),
            Coder::Votes(coder) => coder.bits(),
            Coder::Nexus(coder) => coder.bits(),
            Coder::IndexTrace(coder) => coder.bits(),
        }
    }

    /// All bits, so many instructions behind the last event; and how many of them are records.
    pub fn finish(self, instructions: u64) -> (Bits, u64) {
        match self {
            Coder::Raptor(coder) => {
                let (mut bits, rest) = coder.finish();
                let records = bits.len();
                bits.put(rest + instructions, REST_BITS);
                (bits, records)
            }
            Coder::StreamCache(coder) => with_rest(coder.finish(), instructions),
            Coder::Nexus(coder) => with_rest(coder.finish(), instructions),
            Coder::IndexTrace(coder) => with_rest(coder.finish(), instructions),
            Coder::History(coder) => all_records(coder.finish(instructions)),
            Coder::Votes(coder) => all_records(coder.finish(instructions)),
        }
    }
}

/// Bits of records alone.
fn all_records(bits: Bits) -> (Bits, u64) {
    let records = bits.len();
    (bits, records)
}

/// The bits of streams with the stream that has not ended behind them, and how many of them are records.
fn with_rest((mut bits, rest): (Bits, Rest), instructions: u64) -> (Bits, u64) {
    let records = bits.len();
    bits.put(u64::from(rest.instructions) + instructions, REST_BITS);
    bits.put(rest.start, u64::BITS);
    (bits, records)
}
