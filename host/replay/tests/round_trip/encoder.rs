// SPDX-License-Identifier: MIT OR Apache-2.0
//! All encoders, each with its replayer.

use coretrace_abi::compressed::branch::Event;
use coretrace_abi::compressed::history::{self, HistoryPreset};
use coretrace_abi::compressed::raptor::{self, RaptorPreset};
use coretrace_abi::compressed::stream_cache::{SCHEMES, Scheme};
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

/// An encoder.
#[derive(Clone, Copy)]
pub enum Encoder {
    History(&'static HistoryPreset),
    Raptor(&'static RaptorPreset),
    StreamCache(Scheme),
}

impl Encoder {
    /// All of them by name.
    pub fn all() -> Vec<(&'static str, Encoder)> {
        let raptors = raptor::PRESETS.iter();
        let mut all: Vec<(&str, Encoder)> = raptors
            .map(|preset| (preset.name, Encoder::Raptor(preset)))
            .collect();
        all.extend(SCHEMES.map(|(name, scheme)| (name, Encoder::StreamCache(scheme))));
        let histories = history::PRESETS.iter();
        all.extend(histories.map(|preset| (preset.name, Encoder::History(preset))));
        all
    }

    /// Encodes events that begin at an address; `rest`: instructions behind them.
    pub fn encode(
        self,
        (start, is_wide): (u64, bool),
        events: &mut dyn Iterator<Item = Event>,
        rest: u64,
    ) -> Encoded {
        let mut of_encoder = Rest::default();
        let bits = match self {
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
        self,
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
        match self {
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
}
