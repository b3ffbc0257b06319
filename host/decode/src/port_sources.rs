// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bytes of a trace port or buffer in, bytes of each source out.

use coretrace_coresight::TraceId;

use crate::tpiu::{Deframer, Demux, DemuxStatistics, Format, RunEvent, SyncStatistics};

/// What comes for a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceEvent<'b> {
    /// Its next bytes.
    Bytes(&'b [u8]),
    /// Bytes were lost before the next one.
    Lost,
}

/// Frame generator, frame decoder and demux, with something behind each claimed trace ID: a decoder, say.
///
/// It takes chunks of any size and keeps at most one frame. Bytes of other sources are counted and
/// dropped.
#[derive(Clone, Debug)]
pub struct PortSources<T> {
    deframer: Deframer,
    demux: Demux,
    sources: Vec<(TraceId, T)>,
}

impl<T> PortSources<T> {
    /// At the start of a capture. Of sources with the same trace ID the first one gets the bytes.
    pub fn new(format: Format, sources: impl IntoIterator<Item = (TraceId, T)>) -> PortSources<T> {
        let sources: Vec<(TraceId, T)> = sources.into_iter().collect();
        PortSources {
            deframer: Deframer::new(format),
            demux: Demux::new(sources.iter().map(|(id, _)| *id)),
            sources,
        }
    }

    /// Takes a chunk of the capture. `sink` gets the index of a source, what is behind it, and what comes.
    pub fn feed(&mut self, bytes: &[u8], mut sink: impl FnMut(usize, &mut T, SourceEvent<'_>)) {
        let PortSources {
            deframer,
            demux,
            sources,
        } = self;
        deframer.feed(bytes, |event| match event {
            RunEvent::Run(run) => {
                let Some(id) = demux.route(&run) else { return };
                if let Some(source) = sources.iter().position(|(known, _)| *known == id) {
                    let bytes = SourceEvent::Bytes(run.bytes);
                    sink(source, &mut sources[source].1, bytes);
                }
            }
            RunEvent::Discontinuity { .. } => {
                for (source, (_, behind)) in sources.iter_mut().enumerate() {
                    sink(source, behind, SourceEvent::Lost);
                }
            }
        });
    }

    /// Ends the capture: an incomplete frame is dropped and counted. `sink` gets every source.
    pub fn finish(&mut self, mut sink: impl FnMut(usize, &mut T)) {
        self.deframer.finish();
        for (source, (_, behind)) in self.sources.iter_mut().enumerate() {
            sink(source, behind);
        }
    }

    /// What is behind each trace ID.
    pub fn sources(&self) -> &[(TraceId, T)] {
        &self.sources
    }

    /// Frames, syncs and losses so far.
    pub fn sync_statistics(&self) -> SyncStatistics {
        self.deframer.statistics()
    }

    /// Bytes that nothing was behind so far.
    pub fn demux_statistics(&self) -> DemuxStatistics {
        self.demux.statistics()
    }
}
