// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bytes of a trace port or buffer in, records of each source out.

use crate::Decoder;
use crate::port_sources::{PortSources, SourceEvent};
use crate::tpiu::{DemuxStatistics, Format, SyncStatistics};
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
    sources: PortSources<Decoder>,
}

impl TracePort {
    /// At the start of a capture, with a decoder for each source. Of sources with the same trace
    /// ID the first one gets the bytes.
    pub fn new(format: Format, sources: impl IntoIterator<Item = (TraceId, Decoder)>) -> TracePort {
        TracePort {
            sources: PortSources::new(format, sources),
        }
    }

    /// Takes a chunk of the capture. `sink` gets the index of a source and its next record.
    pub fn feed(&mut self, bytes: &[u8], mut sink: impl FnMut(usize, &Record)) {
        self.sources
            .feed(bytes, |source, decoder, event| match event {
                SourceEvent::Bytes(bytes) => decoder.feed(bytes, |record| sink(source, record)),
                SourceEvent::Lost => decoder.discontinuity(|record| sink(source, record)),
            });
    }

    /// Ends the capture: an incomplete frame is dropped and counted, and bytes of unfinished
    /// packets become records.
    pub fn finish(&mut self, mut sink: impl FnMut(usize, &Record)) {
        self.sources
            .finish(|source, decoder| decoder.finish(|record| sink(source, record)));
    }

    /// Frames, syncs and losses so far.
    pub fn sync_statistics(&self) -> SyncStatistics {
        self.sources.sync_statistics()
    }

    /// Bytes that reached no decoder so far.
    pub fn demux_statistics(&self) -> DemuxStatistics {
        self.sources.demux_statistics()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Policy;
    use coretrace_coresight::{FSYNC, FrameBuilder};
    use coretrace_etm::{ArchProfile, Config, Kind, Protocol, Registers};

    const IDS: [u8; 2] = [0x10, 0x21];
    /// A-Sync, Trace Info and two Atoms.
    const STREAM: [u8; 16] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 1, 0, 0xF7, 0xF6];

    fn port() -> TracePort {
        let registers = Registers::from_values(&[0, 0x0800_0EA1, 0x4100_F403, 0x488]);
        let config = Config::new(Protocol::Etm4, ArchProfile::A, &registers);
        let decoder = |id| {
            (
                TraceId::new(id).unwrap(),
                Decoder::new(config, Policy::Resync),
            )
        };
        TracePort::new(Format::TpiuFsync, IDS.map(decoder))
    }

    /// A port with these bytes, each with its trace ID.
    fn framed(bytes: impl IntoIterator<Item = (u8, u8)>) -> Vec<u8> {
        let mut builder = FrameBuilder::new();
        let mut port = FSYNC.to_le_bytes().to_vec();
        for (id, byte) in bytes {
            let frame = builder.push(TraceId::new(id).unwrap(), byte);
            port.extend(frame.into_iter().flatten());
        }
        port.extend(builder.flush().into_iter().flatten());
        port
    }

    /// The stream of both sources, a byte of each in turn, with a third source between them.
    fn bytes() -> Vec<u8> {
        let turn = |byte| [IDS[0], 0x30, IDS[1]].map(|id| (id, byte));
        framed(STREAM.into_iter().flat_map(turn))
    }

    fn kinds(chunks: &[&[u8]]) -> ([Vec<Kind>; 2], TracePort) {
        let (mut port, mut kinds) = (port(), [Vec::new(), Vec::new()]);
        for chunk in chunks {
            port.feed(chunk, |source, record| kinds[source].push(record.kind));
        }
        port.finish(|source, record| kinds[source].push(record.kind));
        (kinds, port)
    }

    #[test]
    fn each_source_has_its_records_in_chunks_of_any_size() {
        let bytes = bytes();
        let want = [Kind::Async, Kind::TraceInfo, Kind::AtomF1, Kind::AtomF1];
        for size in [1, 5, bytes.len()] {
            let chunks: Vec<&[u8]> = bytes.chunks(size).collect();
            let (kinds, port) = kinds(&chunks);
            assert_eq!(kinds, [want, want].map(Vec::from), "chunks of {size}");
            let drops = port.demux_statistics();
            assert_eq!(drops.unclaimed_bytes, STREAM.len() as u64);
            let frames = (bytes.len() - FSYNC.to_le_bytes().len()) / 16;
            assert_eq!(port.sync_statistics().frames, frames as u64);
        }
    }

    #[test]
    fn a_sync_inside_a_frame_is_a_loss_for_every_source() {
        let bytes = bytes();
        let (whole, damaged) = bytes.split_at(bytes.len() - 8);
        let (kinds, port) = kinds(&[whole, &FSYNC.to_le_bytes(), damaged, &bytes]);
        for kinds in kinds {
            assert_eq!(kinds[0], Kind::Async);
            let again = kinds.iter().rposition(|&kind| kind == Kind::Async);
            assert!(again.is_some_and(|place| place > 0), "{kinds:?}");
            assert!(kinds.ends_with(&[Kind::AtomF1, Kind::AtomF1]), "{kinds:?}");
        }
        // The frame that the sync cuts, and what is left of it before the next sync.
        assert_eq!(port.sync_statistics().losses, 2);
    }

    #[test]
    fn the_end_of_the_capture_reports_unfinished_packets() {
        let unfinished = [&STREAM[..], &[0x9D, 1, 2]].concat();
        let bytes = framed(unfinished.into_iter().map(|byte| (IDS[1], byte)));
        let (kinds, _) = kinds(&[&bytes]);
        assert_eq!(kinds[0], []);
        assert_eq!(kinds[1].last(), Some(&Kind::Incomplete));
    }
}
