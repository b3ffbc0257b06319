// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bytes of a trace port or buffer in, records of each source out.

use crate::Decoder;
use crate::tpiu::{Deframer, Demux, DemuxStatistics, Format, RunEvent, SyncStatistics};
use coretrace_coresight::TraceId;
use coretrace_etm::Record;

/// Frame generator, frame decoder and demux, with a decoder behind each claimed trace ID.
///
/// It takes chunks of any size, keeps at most one frame, and no input makes it panic. Bytes of
/// sources without a decoder are counted and dropped.
///
/// ```
/// use coretrace_coresight::{FrameBuilder, TraceId};
/// use coretrace_decode::tpiu::Format;
/// use coretrace_decode::{Decoder, Policy, TracePort};
/// use coretrace_etm::{Config, Kind, ArchProfile, Protocol, Registers};
///
/// let id = TraceId::new(0x10).unwrap();
/// let registers = Registers { trcidr1: 0x4100_F403, trcidr2: 0x488, ..Registers::default() };
/// let config = Config::new(Protocol::Etm4, ArchProfile::A, &registers);
/// let mut builder = FrameBuilder::default();
/// let stream = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0xFD];
/// let mut buffer: Vec<u8> = stream.iter().filter_map(|&b| builder.push(id, b)).flatten().collect();
/// buffer.extend(builder.flush().unwrap());
///
/// let mut port = TracePort::new(Format::Frames, [(id, Decoder::new(config, Policy::Resync))]);
/// let mut kinds = Vec::new();
/// port.feed(&buffer, |source, record| kinds.push((source, record.kind)));
/// port.finish(|source, record| kinds.push((source, record.kind)));
/// assert_eq!(kinds, [(0, Kind::Async), (0, Kind::AtomF3)]);
/// ```
#[derive(Clone, Debug)]
pub struct TracePort {
    deframer: Deframer,
    demux: Demux,
    sources: Vec<(TraceId, Decoder)>,
}

impl TracePort {
    /// At the start of a capture, with a decoder for each source. Of sources with the same trace
    /// ID the first one gets the bytes.
    pub fn new(format: Format, sources: impl IntoIterator<Item = (TraceId, Decoder)>) -> TracePort {
        let sources: Vec<(TraceId, Decoder)> = sources.into_iter().collect();
        TracePort {
            deframer: Deframer::new(format),
            demux: Demux::new(sources.iter().map(|(id, _)| *id)),
            sources,
        }
    }

    /// Takes a chunk of the capture. `sink` gets the index of a source and its next record.
    pub fn feed(&mut self, bytes: &[u8], mut sink: impl FnMut(usize, &Record)) {
        let TracePort {
            deframer,
            demux,
            sources,
        } = self;
        deframer.feed(bytes, |event| match event {
            RunEvent::Run(run) => {
                let Some(id) = demux.route(&run) else { return };
                if let Some(source) = sources.iter().position(|(known, _)| *known == id) {
                    sources[source]
                        .1
                        .feed(run.bytes, |record| sink(source, record));
                }
            }
            RunEvent::Discontinuity { .. } => {
                for (source, (_, decoder)) in sources.iter_mut().enumerate() {
                    decoder.discontinuity(|record| sink(source, record));
                }
            }
        });
    }

    /// Ends the capture: an incomplete frame is dropped and counted, and bytes of unfinished
    /// packets become records.
    pub fn finish(&mut self, mut sink: impl FnMut(usize, &Record)) {
        self.deframer.finish();
        for (source, (_, decoder)) in self.sources.iter_mut().enumerate() {
            decoder.finish(|record| sink(source, record));
        }
    }

    /// Frames, syncs and losses so far.
    pub fn sync_statistics(&self) -> SyncStatistics {
        self.deframer.statistics()
    }

    /// Bytes that reached no decoder so far.
    pub fn demux_statistics(&self) -> DemuxStatistics {
        self.demux.statistics()
    }
}
