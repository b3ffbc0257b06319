// SPDX-License-Identifier: MIT OR Apache-2.0
//! Decodes the bytes of a port with the model and collects what the decoders report.

use coretrace_decode::tpiu::{Deframer, Demux, Format, RunEvent};
use coretrace_decode::{Decoder, Policy};
use coretrace_etm::{Kind, Record};

use crate::port::Source;

/// One report of a decoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observation {
    /// A record.
    Record(Record),
    /// Bytes were lost here.
    Loss,
}

impl Observation {
    /// Whether it is an A-Sync.
    pub fn is_async(&self) -> bool {
        matches!(self, Observation::Record(record) if record.kind == Kind::Async)
    }

    /// The packet, if it is one.
    pub fn packet(&self) -> Option<&Record> {
        match self {
            Observation::Record(record) if !is_notice(record.kind) => Some(record),
            _ => None,
        }
    }

    /// Whether it reports a fault: an error, unread bytes or a loss.
    pub fn is_notice(&self) -> bool {
        self.packet().is_none()
    }
}

fn is_notice(kind: Kind) -> bool {
    kind.is_error() || matches!(kind, Kind::NotSync | Kind::Incomplete)
}

/// The reports of the decoder of one source.
#[derive(Clone, Debug, Default)]
pub struct Observed {
    /// The reports, in order.
    pub observations: Vec<Observation>,
    /// For each report, the number of port bytes up to it.
    pub until: Vec<usize>,
    /// The bytes of the source.
    pub bytes: Vec<u8>,
    /// For each byte, a lower bound of its place in the port.
    pub places: Vec<usize>,
}

impl Observed {
    /// A lower bound of the place of a record's first byte in the port.
    pub fn place(&self, index: usize) -> usize {
        self.places[self.offset(index)]
    }

    /// The same for the byte before a record; 0 if there is none.
    pub fn place_before(&self, index: usize) -> usize {
        let before = self.offset(index).checked_sub(1);
        before.map_or(0, |offset| self.places[offset])
    }

    fn offset(&self, index: usize) -> usize {
        match self.observations[index] {
            Observation::Record(record) => record.offset as usize,
            Observation::Loss => 0,
        }
    }
}

/// Passes the bytes of a port to the decoders of its sources.
pub fn observe(sources: &[Source], policy: Policy, port: &[u8]) -> Vec<Observed> {
    let decoder = |source: &Source| Decoder::new(source.set.config(), policy);
    let mut decoders: Vec<Decoder> = sources.iter().map(decoder).collect();
    let mut all_observed = vec![Observed::default(); sources.len()];
    let mut demux = Demux::new(sources.iter().map(|source| source.id));
    let mut deframer = Deframer::new(Format::TpiuHsync);
    for (until, half_word) in (2..).step_by(2).zip(port.chunks(2)) {
        deframer.feed(half_word, |event| match event {
            RunEvent::Run(run) => {
                let id = demux.route(&run);
                if let Some(index) = sources.iter().position(|source| Some(source.id) == id) {
                    let observed = &mut all_observed[index];
                    observed.bytes.extend(run.bytes);
                    observed
                        .places
                        .resize(observed.bytes.len(), run.offset as usize);
                    let observations = &mut observed.observations;
                    decoders[index].feed(run.bytes, |record| {
                        observations.push(Observation::Record(*record))
                    });
                }
            }
            RunEvent::Discontinuity { .. } => {
                for (decoder, observed) in decoders.iter_mut().zip(&mut all_observed) {
                    let observations = &mut observed.observations;
                    decoder.discontinuity(|record| observations.push(Observation::Record(*record)));
                    observations.push(Observation::Loss);
                }
            }
        });
        for observed in &mut all_observed {
            observed.until.resize(observed.observations.len(), until);
        }
    }
    all_observed
}
