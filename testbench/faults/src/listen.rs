// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the listeners of a port hear: its bytes through the model.

use etm4_model::tpiu::{Deframer, Demux, Format, RunEvent};
use etm4_model::{Decoder, Policy};
use etm4_protocol::{Kind, Record};

use crate::port::Source;

/// Something that a listener is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    /// A record.
    Record(Record),
    /// The word that bytes were lost here.
    Loss,
}

impl Heard {
    /// Whether it is an A-Sync.
    pub fn is_async(&self) -> bool {
        matches!(self, Heard::Record(record) if record.kind == Kind::Async)
    }

    /// The packet, if it is one.
    pub fn packet(&self) -> Option<&Record> {
        match self {
            Heard::Record(record) if !is_notice(record.kind) => Some(record),
            _ => None,
        }
    }

    /// Whether it tells that something is wrong.
    pub fn is_notice(&self) -> bool {
        self.packet().is_none()
    }
}

fn is_notice(kind: Kind) -> bool {
    kind.is_error() || matches!(kind, Kind::NotSync | Kind::Incomplete)
}

/// All that the listener of one source gets.
#[derive(Clone, Debug, Default)]
pub struct Hearing {
    /// What it hears.
    pub heard: Vec<Heard>,
    /// For each of these, how many bytes of the port were needed.
    pub until: Vec<usize>,
    /// The bytes of the source.
    pub bytes: Vec<u8>,
    /// For each of these, a place of the port that it does not stand before.
    pub places: Vec<usize>,
}

impl Hearing {
    /// A place of the port that the first byte of a record does not stand before.
    pub fn place(&self, index: usize) -> usize {
        self.places[self.offset(index)]
    }

    /// The same for the byte before a record; 0 if there is none.
    pub fn place_before(&self, index: usize) -> usize {
        let before = self.offset(index).checked_sub(1);
        before.map_or(0, |offset| self.places[offset])
    }

    fn offset(&self, index: usize) -> usize {
        match self.heard[index] {
            Heard::Record(record) => record.offset as usize,
            Heard::Loss => 0,
        }
    }
}

/// Takes the bytes of a port to the listeners of its sources.
pub fn listen(sources: &[Source], policy: Policy, port: &[u8]) -> Vec<Hearing> {
    let decoder = |source: &Source| Decoder::new(source.set.config(), policy);
    let mut decoders: Vec<Decoder> = sources.iter().map(decoder).collect();
    let mut hearings = vec![Hearing::default(); sources.len()];
    let mut demux = Demux::new(sources.iter().map(|source| source.id));
    let mut deframer = Deframer::new(Format::TpiuHsync);
    for (until, half_word) in (2..).step_by(2).zip(port.chunks(2)) {
        deframer.feed(half_word, |event| match event {
            RunEvent::Run(run) => {
                let id = demux.route(&run);
                if let Some(index) = sources.iter().position(|source| Some(source.id) == id) {
                    let hearing = &mut hearings[index];
                    hearing.bytes.extend(run.bytes);
                    hearing
                        .places
                        .resize(hearing.bytes.len(), run.offset as usize);
                    let heard = &mut hearing.heard;
                    decoders[index].feed(run.bytes, |record| heard.push(Heard::Record(*record)));
                }
            }
            RunEvent::Discontinuity { .. } => {
                for (decoder, hearing) in decoders.iter_mut().zip(&mut hearings) {
                    let heard = &mut hearing.heard;
                    decoder.discontinuity(|record| heard.push(Heard::Record(*record)));
                    heard.push(Heard::Loss);
                }
            }
        });
        for hearing in &mut hearings {
            hearing.until.resize(hearing.heard.len(), until);
        }
    }
    hearings
}
