// SPDX-License-Identifier: MIT OR Apache-2.0
//! A pass over a buffer: its frames, and the bytes of each source.

use std::ops::ControlFlow;

use anyhow::{Result, bail};
use coretrace_coresight::TraceId;
use coretrace_decode::Policy;
use coretrace_decode::tpiu::{Deframer, Demux, DemuxStatistics, RunEvent, SyncStatistics};

use crate::bytes::Block;
use crate::{Format, Source, TraceBuffer};

/// Who takes the bytes of the sources of a buffer.
pub trait StreamSink {
    /// Where the next bytes or losses are in the buffer: those of a source in frames where their run begins,
    /// those of a raw buffer where their block begins. Never lower than before.
    fn place(&mut self, _offset: u64) {}

    /// Takes the next bytes of a source. `source` is the index of the source in the pass.
    fn bytes(&mut self, source: usize, bytes: &[u8]);

    /// Bytes of all sources were lost before the next ones.
    fn lost(&mut self);

    /// The buffer ends.
    fn finish(&mut self);

    /// Whether there was an A-Sync.
    fn is_synced(&self) -> bool;

    /// Bytes of the buffer read so far.
    fn progress(&mut self, _bytes: u64) {}

    /// Whether no more bytes are wanted.
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
    /// The sources, by their indices in the buffer. Those without a decoder give no records, and only those of data
    /// trace give their bytes.
    /// Panics if the buffer has fewer.
    pub sources: &'a [usize],
    /// What follows after an error.
    pub policy: Policy,
    /// Bytes without any A-Sync after which the pass is given up.
    pub sync_limit: u64,
}

impl<'a> Pass<'a> {
    /// The sources of the pass, in its order.
    pub fn described(&self) -> impl Iterator<Item = &'a Source> + use<'a> {
        let all = &self.buffer.sources;
        self.sources.iter().map(|&source| &all[source])
    }

    /// Reads the buffer once and gives out the bytes of the sources that have a decoder or are data trace, in order.
    ///
    /// # Errors
    /// If the buffer cannot be read, or has no A-Sync within the limit.
    pub fn run_streams(&self, sink: &mut impl StreamSink) -> Result<PassStatistics> {
        let mut port = Port::new(self);
        let mut statistics = PassStatistics::default();
        let all = self.sources.len() == self.buffer.sources.len();
        let _ = self.buffer.bytes.read(|block| {
            match block {
                Block::Bytes(bytes) => {
                    port.feed(statistics.bytes, bytes, sink);
                    statistics.bytes += bytes.len() as u64;
                    sink.progress(statistics.bytes);
                }
                Block::Lost => port.lose(statistics.bytes, sink),
            }
            // With other sources beside them, only the sources' own bytes count.
            let read = if all { statistics.bytes } else { port.source_bytes };
            if read > self.sync_limit && !port.sources.is_empty() && !sink.is_synced() {
                bail!(
                    "no A-Sync in the first {read} bytes: check the format and the trace ID, or read on \
                     with a greater --sync-limit"
                );
            }
            let done = sink.is_done();
            Ok(if done { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        if let Some(deframer) = &mut port.deframer {
            deframer.finish();
        }
        sink.finish();
        let deframer = port.deframer.as_ref();
        statistics.sync = deframer.map_or_else(SyncStatistics::default, Deframer::statistics);
        statistics.demux = port.demux.statistics();
        Ok(statistics)
    }
}

/// The frames of a pass.
struct Port {
    /// None for a raw buffer.
    deframer: Option<Deframer>,
    demux: Demux,
    /// Where the frames begin in the buffer: behind the last loss in front of them.
    start: u64,
    /// The sources whose bytes are wanted: their indices in the pass, and trace IDs.
    sources: Vec<(usize, Option<TraceId>)>,
    /// Bytes of these sources so far.
    source_bytes: u64,
}

impl Port {
    fn new(pass: &Pass<'_>) -> Port {
        let described = pass.sources.iter().enumerate();
        let sources: Vec<(usize, Option<TraceId>)> = described
            .map(|(index, &source)| (index, &pass.buffer.sources[source]))
            .filter(|(_, source)| source.has_decoder() || source.data.is_some())
            .map(|(index, source)| (index, source.trace_id.and_then(TraceId::new)))
            .collect();
        Port {
            deframer: match pass.buffer.format {
                Format::Raw => None,
                Format::Framed(format) => Some(Deframer::new(format)),
            },
            demux: Demux::new(sources.iter().filter_map(|(_, id)| *id)),
            start: 0,
            sources,
            source_bytes: 0,
        }
    }

    /// Takes the bytes of the buffer from an offset on.
    fn feed(&mut self, offset: u64, bytes: &[u8], sink: &mut impl StreamSink) {
        let Port {
            deframer,
            demux,
            start,
            sources,
            source_bytes,
        } = self;
        let Some(deframer) = deframer else {
            sink.place(offset);
            for (index, _) in sources {
                sink.bytes(*index, bytes);
                *source_bytes += bytes.len() as u64;
            }
            return;
        };
        deframer.feed(bytes, |event| match event {
            RunEvent::Run(run) => {
                let Some(id) = demux.route(&run) else { return };
                let known = sources.iter().find(|(_, known)| *known == Some(id));
                if let Some((index, _)) = known {
                    sink.place(*start + run.offset);
                    sink.bytes(*index, run.bytes);
                    *source_bytes += run.bytes.len() as u64;
                }
            }
            RunEvent::Discontinuity { offset } => {
                sink.place(*start + offset);
                sink.lost();
            }
        });
    }

    /// Bytes were lost at this offset of the buffer.
    fn lose(&mut self, offset: u64, sink: &mut impl StreamSink) {
        if let Some(deframer) = &mut self.deframer {
            deframer.finish();
            self.start = offset;
        }
        sink.place(offset);
        sink.lost();
    }
}
