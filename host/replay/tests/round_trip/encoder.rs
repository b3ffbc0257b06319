// SPDX-License-Identifier: MIT OR Apache-2.0
//! The bits of an encoder alone, and the replayer of each.

use coretrace_abi::compressed::branch::Event;
use coretrace_abi::compressed::encoder::Encoder;
use coretrace_abi::compressed::item::Item;
use coretrace_compress::{Bits, History, IndexTrace, Nexus, Raptor, StreamCache, Votes};
use coretrace_replay::{
    CachedStreams, Damaged, HistoryReplay, IndexedStreams, NexusStreams, RaptorReplay, Reader,
    Sites, StreamReplay, VotesReplay,
};

/// What is behind the last event.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rest {
    /// Where execution went on.
    pub start: u64,
    /// Instructions.
    pub instructions: u64,
}

impl Rest {
    /// Behind streams, whose bits are given back.
    fn behind(&mut self, (bits, rest): (Bits, coretrace_compress::Rest)) -> Bits {
        self.start = rest.start;
        self.instructions = rest.instructions.into();
        bits
    }

    /// As a replayer of streams takes it.
    fn of_streams(self) -> (u64, u32) {
        let instructions = u32::try_from(self.instructions);
        (self.start, instructions.expect("less than a stream"))
    }
}

/// The bits of a trace, and what a replayer needs beside them.
pub struct Encoded {
    /// How many bits there are.
    pub bits: u64,
    /// The bits.
    pub bytes: Vec<u8>,
    rest: Rest,
}

/// Encodes events that begin at an address; `rest`: instructions behind them.
pub fn encode(
    encoder: Encoder,
    (start, is_wide): (u64, bool),
    events: &mut dyn Iterator<Item = Event>,
    rest: u64,
) -> Encoded {
    let mut of_encoder = Rest::default();
    let bits = match encoder {
        Encoder::History(preset) => {
            let mut encoder = History::new(preset);
            events.for_each(|event| encoder.event(&event));
            encoder.finish(rest)
        }
        Encoder::Votes => {
            let mut encoder = Votes::new();
            events.for_each(|event| encoder.event(&event));
            encoder.finish(rest)
        }
        Encoder::Raptor(preset) => {
            let mut encoder = Raptor::new(preset);
            events.for_each(|event| encoder.event(&event));
            let (bits, instructions) = encoder.finish();
            of_encoder.instructions = instructions;
            bits
        }
        Encoder::StreamCache(scheme) => {
            let mut encoder = StreamCache::new(scheme, is_wide, start);
            events.for_each(|event| encoder.event(&event));
            of_encoder.behind(encoder.finish())
        }
        Encoder::Nexus => {
            let mut encoder = Nexus::new(start);
            events.for_each(|event| encoder.event(&event));
            of_encoder.behind(encoder.finish())
        }
        Encoder::IndexTrace(records) => {
            let mut encoder = IndexTrace::new(records, is_wide, start);
            events.for_each(|event| encoder.event(&event));
            of_encoder.behind(encoder.finish())
        }
    };
    Encoded {
        bits: bits.len(),
        bytes: bits.into_bytes(),
        rest: of_encoder,
    }
}

/// Gives the events to a function, which stops at any of them.
pub fn replay(
    encoder: Encoder,
    (start, is_wide): (u64, bool),
    sites: &Sites,
    encoded: &Encoded,
    take: impl FnOnce(&mut dyn Iterator<Item = Result<Event, Damaged>>),
) {
    let reader = Reader::new(&encoded.bytes, encoded.bits).expect("bits");
    let rest = encoded.rest;
    match encoder {
        Encoder::History(preset) => {
            let items = HistoryReplay::new(preset, sites, start, reader);
            take(&mut items.filter_map(|item| item.map(Item::event).transpose()));
        }
        Encoder::Votes => {
            let items = VotesReplay::new(sites, start, reader);
            take(&mut items.filter_map(|item| item.map(Item::event).transpose()));
        }
        Encoder::Raptor(preset) => {
            take(&mut RaptorReplay::new(
                preset,
                sites,
                start,
                reader,
                rest.instructions,
            ));
        }
        Encoder::StreamCache(scheme) => {
            let source = CachedStreams::new(scheme, is_wide, reader);
            take(&mut StreamReplay::new(source, sites, rest.of_streams()));
        }
        Encoder::Nexus => {
            let source = NexusStreams::new(reader);
            take(&mut StreamReplay::new(source, sites, rest.of_streams()));
        }
        Encoder::IndexTrace(records) => {
            let source = IndexedStreams::new(records, is_wide, reader);
            take(&mut StreamReplay::new(source, sites, rest.of_streams()));
        }
    }
}
