// SPDX-License-Identifier: MIT OR Apache-2.0
//! The records of all sources of a buffer as one list.

use anyhow::Result;
use coretrace_decode::{Decoder, Policy};
use coretrace_etm::Record;
use coretrace_software_trace as software_trace;

use crate::Source;
use crate::merge::{Merge, Merged, Order};
use crate::pass::{Pass, PassStatistics, StreamSink};

/// A record of any source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnyRecord {
    /// Of instruction trace.
    Etm(Record),
    /// Of software trace.
    Software(software_trace::Record),
}

impl AnyRecord {
    /// The time after it that sources can have in common: the timestamp of an ETM or an STM, the global
    /// timestamp of an ITM. None before the first one.
    pub fn time(&self) -> Option<u64> {
        match self {
            AnyRecord::Etm(record) => (record.timestamp > 0).then_some(record.timestamp),
            AnyRecord::Software(record) => record.common_time(),
        }
    }
}

impl Pass<'_> {
    /// Reads the buffer once and gives out the records of all its sources as one list. `clocks` has the
    /// number of the clock of each source of the pass; none if no other source has its clock. Records of
    /// sources with a common clock are in the order of their times, as far as 4096 records hold them; all
    /// others are in the order of the port, and marked so. The place of a record is where its last byte is:
    /// in frames, where the frame's pair of bytes is with which its run of bytes begins.
    ///
    /// # Errors
    /// If the buffer cannot be read, or has no A-Sync within the limit.
    ///
    /// # Panics
    /// If there are fewer clocks than sources.
    pub fn run_merged(
        &self,
        clocks: &[Option<u8>],
        sink: impl FnMut(&Merged<AnyRecord>),
    ) -> Result<PassStatistics> {
        let sources = self.sources.iter().map(|&it| &self.buffer.sources[it]);
        let mut merging = Merging {
            decoders: sources.map(|it| Decoding::new(it, self.policy)).collect(),
            list: List {
                merge: Merge::new(&clocks[..self.sources.len()]),
                place: 0,
                is_synced: false,
                sink,
            },
        };
        self.run_streams(&mut merging)
    }
}

/// The decoder of a source.
enum Decoding {
    Etm(Box<Decoder>),
    Software(software_trace::Decoder),
    None,
}

/// The decoders of all sources, and what takes their records.
struct Merging<S> {
    decoders: Vec<Decoding>,
    list: List<S>,
}

struct List<S> {
    merge: Merge<AnyRecord>,
    /// Where the bytes are that are decoded.
    place: u64,
    is_synced: bool,
    sink: S,
}

impl<S: FnMut(&Merged<AnyRecord>)> List<S> {
    fn record(&mut self, source: usize, item: AnyRecord) {
        self.is_synced |= match &item {
            AnyRecord::Etm(record) => record.kind == coretrace_etm::Kind::Async,
            AnyRecord::Software(record) => record.is_sync(),
        };
        let merged = Merged {
            source,
            place: self.place,
            time: item.time(),
            order: Order::Place,
            item,
        };
        self.merge.push(merged, &mut self.sink);
    }
}

/// What happens to the bytes of a source.
enum Input<'a> {
    Bytes(&'a [u8]),
    Lost,
    End,
}

impl Decoding {
    fn new(source: &Source, policy: Policy) -> Decoding {
        match (source.config, source.software) {
            (Some(config), _) => Decoding::Etm(Box::new(Decoder::new(config, policy))),
            (None, Some(protocol)) => {
                Decoding::Software(software_trace::Decoder::new(protocol, policy))
            }
            (None, None) => Decoding::None,
        }
    }

    fn take(&mut self, input: &Input<'_>, mut sink: impl FnMut(AnyRecord)) {
        match self {
            Decoding::Etm(decoder) => {
                let sink = |record: &Record| sink(AnyRecord::Etm(*record));
                match input {
                    Input::Bytes(bytes) => decoder.feed(bytes, sink),
                    Input::Lost => decoder.discontinuity(sink),
                    Input::End => decoder.finish(sink),
                }
            }
            Decoding::Software(decoder) => {
                let sink = |record: &software_trace::Record| sink(AnyRecord::Software(*record));
                match input {
                    Input::Bytes(bytes) => decoder.feed(bytes, sink),
                    Input::Lost => decoder.discontinuity(sink),
                    Input::End => decoder.finish(sink),
                }
            }
            Decoding::None => {}
        }
    }
}

impl<S: FnMut(&Merged<AnyRecord>)> Merging<S> {
    fn each(&mut self, input: &Input<'_>) {
        let Merging { decoders, list } = self;
        for (source, decoder) in decoders.iter_mut().enumerate() {
            decoder.take(input, |record| list.record(source, record));
        }
    }
}

impl<S: FnMut(&Merged<AnyRecord>)> StreamSink for Merging<S> {
    fn place(&mut self, offset: u64) {
        self.list.place = offset;
    }

    fn bytes(&mut self, source: usize, bytes: &[u8]) {
        let list = &mut self.list;
        self.decoders[source].take(&Input::Bytes(bytes), |record| list.record(source, record));
    }

    fn lost(&mut self) {
        self.each(&Input::Lost);
    }

    fn finish(&mut self) {
        self.each(&Input::End);
        let List { merge, sink, .. } = &mut self.list;
        merge.finish(sink);
    }

    fn is_synced(&self) -> bool {
        self.list.is_synced
    }
}
