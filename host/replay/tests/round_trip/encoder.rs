// SPDX-License-Identifier: MIT OR Apache-2.0
//! The bits of an encoder alone, and the replayer of each.

use coretrace_abi::compressed::branch::Event;
use coretrace_abi::compressed::encoder::Encoder;
use coretrace_compress::{History, Raptor, StreamCache};
use coretrace_replay::{Damaged, HistoryReplay, RaptorReplay, Reader, Sites, StreamCacheReplay};

/// What is behind the last event.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rest {
    /// Where execution went on.
    pub start: u64,
    /// Instructions.
    pub instructions: u64,
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
            let (bits, rest) = encoder.finish();
            of_encoder.start = rest.start;
            of_encoder.instructions = rest.instructions.into();
            bits
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
    let Rest {
        start: behind,
        instructions,
    } = encoded.rest;
    match encoder {
        Encoder::History(preset) => {
            take(&mut HistoryReplay::new(preset, sites, start, reader));
        }
        Encoder::Raptor(preset) => {
            take(&mut RaptorReplay::new(
                preset,
                sites,
                start,
                reader,
                instructions,
            ));
        }
        Encoder::StreamCache(scheme) => {
            let instructions = u32::try_from(instructions).expect("less than a stream");
            let rest = (behind, instructions);
            take(&mut StreamCacheReplay::new(
                scheme, is_wide, sites, reader, rest,
            ));
        }
    }
}
