// SPDX-License-Identifier: MIT OR Apache-2.0
//! Decoding with the software model.

use anyhow::Result;
use coretrace_decode::{Decoder, Policy};
use coretrace_etm::Record;

use crate::pass::{Pass, PassStatistics, StreamSink};
use crate::{SourceDecoder, SourceStream};

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
    /// Takes a record and its bytes. `source` is the index of the source in the pass.
    fn record(&mut self, source: usize, record: &Record, raw: &[u8]);

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
        let described = self.sources.iter();
        let described = described.map(|&source| &self.buffer.sources[source]);
        let decoder = |config| SourceDecoder::new(config, self.policy);
        let mut decoders = Decoders {
            decoders: described.map(|source| source.config.map(decoder)).collect(),
            sink,
        };
        self.run_streams(&mut decoders)
    }
}

/// The decoders of the sources of a pass, and who takes their records.
struct Decoders<'s, S> {
    decoders: Vec<Option<SourceDecoder>>,
    sink: &'s mut S,
}

impl<S: RecordSink> Decoders<'_, S> {
    fn each(&mut self, mut run: impl FnMut(usize, &mut SourceDecoder, &mut S)) {
        for (source, decoder) in self.decoders.iter_mut().enumerate() {
            if let Some(decoder) = decoder {
                run(source, decoder, self.sink);
            }
        }
    }
}

impl<S: RecordSink> StreamSink for Decoders<'_, S> {
    fn bytes(&mut self, source: usize, bytes: &[u8]) {
        if let Some(decoder) = &mut self.decoders[source] {
            decoder.push(bytes, |record, raw| self.sink.record(source, record, raw));
        }
    }

    fn lost(&mut self) {
        self.each(|source, decoder, sink| {
            decoder.discontinuity(|record, raw| sink.record(source, record, raw));
        });
    }

    fn finish(&mut self) {
        self.each(|source, decoder, sink| {
            decoder.finish(|record, raw| sink.record(source, record, raw));
        });
    }

    fn is_synced(&self) -> bool {
        self.decoders.iter().flatten().any(SourceDecoder::is_synced)
    }

    fn progress(&mut self, bytes: u64) {
        self.sink.progress(bytes);
    }

    fn is_done(&self) -> bool {
        self.sink.is_done()
    }
}
