// SPDX-License-Identifier: MIT OR Apache-2.0
//! Decoding with the software model.

use std::ops::ControlFlow;

use anyhow::{Result, bail};
use coretrace_coresight::TraceId;
use coretrace_decode::tpiu::{Deframer, Demux, DemuxStatistics, RunEvent, SyncStatistics};
use coretrace_decode::{Decoder, Policy};
use coretrace_etm::Record;

use crate::bytes::Block;
use crate::{Format, SourceDecoder, SourceStream, TraceBuffer};

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

/// What a pass over a buffer found besides records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PassStatistics {
    /// Bytes of the buffer.
    pub bytes: u64,
    /// Frames and syncs.
    pub sync: SyncStatistics,
    /// Bytes that reached no decoder.
    pub demux: DemuxStatistics,
}

/// A pass over a buffer: which sources are decoded, and how.
#[derive(Clone, Copy, Debug)]
pub struct Pass<'a> {
    /// The buffer.
    pub buffer: &'a TraceBuffer,
    /// The sources, by their indices in the buffer. Those without a decoder give no records.
    /// Panics if the buffer has fewer.
    pub sources: &'a [usize],
    /// What follows after an error.
    pub policy: Policy,
    /// Bytes without any A-Sync after which the pass is given up.
    pub sync_limit: u64,
}

impl Pass<'_> {
    /// Reads the buffer once and decodes the sources in the order of their bytes. Memory does not
    /// depend on the length of the trace.
    ///
    /// # Errors
    /// If the buffer cannot be read, or has no A-Sync within the limit.
    pub fn run(&self, sink: &mut impl RecordSink) -> Result<PassStatistics> {
        let mut port = Port::new(self);
        let mut statistics = PassStatistics::default();
        let all = self.sources.len() == self.buffer.sources.len();
        let _ = self.buffer.bytes.read(|block| {
            match block {
                Block::Bytes(bytes) => {
                    port.feed(bytes, sink);
                    statistics.bytes += bytes.len() as u64;
                    sink.progress(statistics.bytes);
                }
                Block::Lost => port.lose(sink),
            }
            // With other sources beside them, only the sources' own bytes count.
            let read = if all { statistics.bytes } else { port.source_bytes() };
            if read > self.sync_limit && !port.is_synced() {
                bail!(
                    "no A-Sync in the first {read} bytes: check the format and the trace ID, or read on \
                     with a greater --sync-limit"
                );
            }
            let done = sink.is_done();
            Ok(if done { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        port.finish(sink);
        statistics.sync = port
            .deframer
            .as_ref()
            .map_or_else(SyncStatistics::default, Deframer::statistics);
        statistics.demux = port.demux.statistics();
        Ok(statistics)
    }
}

/// The decoders of a pass, behind the frames.
struct Port {
    /// None for a raw buffer.
    deframer: Option<Deframer>,
    demux: Demux,
    sources: Vec<PortSource>,
}

/// A source that is decoded.
struct PortSource {
    /// Its index in the pass.
    index: usize,
    id: Option<TraceId>,
    decoder: SourceDecoder,
}

impl Port {
    fn new(pass: &Pass<'_>) -> Port {
        let described = pass
            .sources
            .iter()
            .map(|&source| &pass.buffer.sources[source]);
        let sources: Vec<PortSource> = described
            .enumerate()
            .filter_map(|(index, source)| {
                Some(PortSource {
                    index,
                    id: source.trace_id.and_then(TraceId::new),
                    decoder: SourceDecoder::new(source.config?, pass.policy),
                })
            })
            .collect();
        Port {
            deframer: match pass.buffer.format {
                Format::Raw => None,
                Format::Framed(format) => Some(Deframer::new(format)),
            },
            demux: Demux::new(sources.iter().filter_map(|source| source.id)),
            sources,
        }
    }

    fn feed(&mut self, bytes: &[u8], sink: &mut impl RecordSink) {
        let Port {
            deframer,
            demux,
            sources,
        } = self;
        let Some(deframer) = deframer else {
            for PortSource { index, decoder, .. } in sources {
                decoder.push(bytes, |record, raw| sink.record(*index, record, raw));
            }
            return;
        };
        deframer.feed(bytes, |event| match event {
            RunEvent::Run(run) => {
                let Some(id) = demux.route(&run) else { return };
                let known = sources.iter_mut().find(|source| source.id == Some(id));
                if let Some(PortSource { index, decoder, .. }) = known {
                    decoder.push(run.bytes, |record, raw| sink.record(*index, record, raw));
                }
            }
            RunEvent::Discontinuity { .. } => discontinuity(sources, sink),
        });
    }

    fn lose(&mut self, sink: &mut impl RecordSink) {
        if let Some(deframer) = &mut self.deframer {
            deframer.finish();
        }
        discontinuity(&mut self.sources, sink);
    }

    fn finish(&mut self, sink: &mut impl RecordSink) {
        if let Some(deframer) = &mut self.deframer {
            deframer.finish();
        }
        for PortSource { index, decoder, .. } in &mut self.sources {
            decoder.finish(|record, raw| sink.record(*index, record, raw));
        }
    }

    fn is_synced(&self) -> bool {
        let mut decoders = self.sources.iter().map(|source| &source.decoder);
        self.sources.is_empty() || decoders.any(SourceDecoder::is_synced)
    }

    fn source_bytes(&self) -> u64 {
        let decoders = self.sources.iter().map(|source| &source.decoder);
        decoders.map(SourceDecoder::position).sum()
    }
}

fn discontinuity(sources: &mut [PortSource], sink: &mut impl RecordSink) {
    for PortSource { index, decoder, .. } in sources {
        decoder.discontinuity(|record, raw| sink.record(*index, record, raw));
    }
}
