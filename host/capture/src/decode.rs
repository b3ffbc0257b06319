// SPDX-License-Identifier: MIT OR Apache-2.0
//! Decoding with the software model.

use anyhow::Result;
use coretrace_decode::{Decoder, Policy};
use coretrace_etm::Record;
use coretrace_software_trace as software_trace;

use crate::pass::{Pass, PassStatistics, StreamSink};
use crate::{Source, SourceDecoder, SourceStream};

/// Bytes given to the model at a time, between two reports of progress.
const CHUNK: usize = 1 << 16;

/// Decodes a source in memory. `progress` gets the number of bytes decoded so far.
pub fn decode_in_model(
    stream: &SourceStream,
    policy: Policy,
    mut progress: impl FnMut(u64),
    mut sink: impl FnMut(&Record),
) {
    let mut decoder = Decoder::new(stream.config, policy);
    let mut done = 0;
    for (lost, bytes) in stream.stretches() {
        if lost {
            decoder.discontinuity(&mut sink);
        }
        for chunk in bytes.chunks(CHUNK) {
            decoder.feed(chunk, &mut sink);
            done += chunk.len() as u64;
            progress(done);
        }
    }
    decoder.finish(&mut sink);
}

/// Who takes the records of a buffer.
pub trait RecordSink {
    /// Where the next bytes are in the buffer, as [`StreamSink::place`].
    fn place(&mut self, _offset: u64) {}

    /// Takes a record and its bytes. `source` is the index of the source in the pass.
    fn record(&mut self, source: usize, record: &Record, raw: &[u8]);

    /// Takes a record of software trace.
    fn software(&mut self, _source: usize, _record: &software_trace::Record) {}

    /// Bytes of the buffer read so far.
    fn progress(&mut self, _bytes: u64) {}

    /// Whether no more records are wanted.
    fn is_done(&self) -> bool {
        false
    }
}

impl Pass<'_> {
    /// Reads the buffer once and decodes the sources in the order of their bytes. Memory does not
    /// depend on the length of the trace.
    ///
    /// # Errors
    /// If the buffer cannot be read, or has no A-Sync within the limit.
    pub fn run(&self, sink: &mut impl RecordSink) -> Result<PassStatistics> {
        self.run_decoders(sink, |decoder| decoder)
    }

    /// As [`Pass::run`], with decoders of instruction trace made from the usual ones.
    pub(crate) fn run_decoders(
        &self,
        sink: &mut impl RecordSink,
        made: impl Fn(SourceDecoder) -> SourceDecoder,
    ) -> Result<PassStatistics> {
        let decoder = |source: &Source| match (source.config, source.software) {
            (Some(config), _) => {
                let decoder = SourceDecoder::new(config, self.policy);
                Some(Decoding::Etm(made(decoder)))
            }
            (None, Some(protocol)) => Some(Decoding::Software {
                decoder: software_trace::Decoder::new(protocol, self.policy),
                is_synced: false,
            }),
            (None, None) => None,
        };
        let mut decoders = Decoders {
            decoders: self.described().map(decoder).collect(),
            sink,
        };
        self.run_streams(&mut decoders)
    }
}

/// The decoder of a source.
enum Decoding {
    /// Of instruction trace.
    Etm(SourceDecoder),
    /// Of software trace.
    Software {
        decoder: software_trace::Decoder,
        /// Whether a sync was found.
        is_synced: bool,
    },
}

/// What happens to the bytes of a source.
enum Input<'a> {
    Bytes(&'a [u8]),
    Lost,
    End,
}

impl Decoding {
    fn take(&mut self, source: usize, input: &Input<'_>, sink: &mut impl RecordSink) {
        match self {
            Decoding::Etm(decoder) => {
                let sink = |record: &Record, raw: &[u8]| sink.record(source, record, raw);
                match input {
                    Input::Bytes(bytes) => decoder.push(bytes, sink),
                    Input::Lost => decoder.discontinuity(sink),
                    Input::End => decoder.finish(sink),
                }
            }
            Decoding::Software { decoder, is_synced } => {
                let sink = |record: &software_trace::Record| {
                    *is_synced |= record.is_sync();
                    sink.software(source, record);
                };
                match input {
                    Input::Bytes(bytes) => decoder.feed(bytes, sink),
                    Input::Lost => decoder.discontinuity(sink),
                    Input::End => decoder.finish(sink),
                }
            }
        }
    }

    fn is_synced(&self) -> bool {
        match self {
            Decoding::Etm(decoder) => decoder.is_synced(),
            Decoding::Software { is_synced, .. } => *is_synced,
        }
    }
}

/// The decoders of the sources of a pass, and who takes their records.
struct Decoders<'s, S> {
    decoders: Vec<Option<Decoding>>,
    sink: &'s mut S,
}

impl<S: RecordSink> Decoders<'_, S> {
    fn each(&mut self, input: &Input<'_>) {
        for (source, decoder) in self.decoders.iter_mut().enumerate() {
            if let Some(decoder) = decoder {
                decoder.take(source, input, self.sink);
            }
        }
    }
}

impl<S: RecordSink> StreamSink for Decoders<'_, S> {
    fn place(&mut self, offset: u64) {
        self.sink.place(offset);
    }

    fn bytes(&mut self, source: usize, bytes: &[u8]) {
        if let Some(decoder) = &mut self.decoders[source] {
            decoder.take(source, &Input::Bytes(bytes), self.sink);
        }
    }

    fn lost(&mut self) {
        self.each(&Input::Lost);
    }

    fn finish(&mut self) {
        self.each(&Input::End);
    }

    fn is_synced(&self) -> bool {
        self.decoders.iter().flatten().any(Decoding::is_synced)
    }

    fn progress(&mut self, bytes: u64) {
        self.sink.progress(bytes);
    }

    fn is_done(&self) -> bool {
        self.sink.is_done()
    }
}
