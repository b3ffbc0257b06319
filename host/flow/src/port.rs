// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bytes of a trace port or buffer in, elements of each source out.

use coretrace_coresight::TraceId;
use coretrace_decode::tpiu::{DemuxStatistics, Format, SyncStatistics};
use coretrace_decode::{PortSources, SourceEvent};

use crate::element::Element;
use crate::stream::StreamFlow;

/// Frame generator, frame decoder and demux, with a flow behind each claimed trace ID.
///
/// It takes chunks of any size, and no input makes it panic. Bytes of sources without a flow are counted
/// and dropped.
///
/// ```
/// use coretrace_coresight::{FrameBuilder, TraceId};
/// use coretrace_decode::Policy;
/// use coretrace_decode::tpiu::Format;
/// use coretrace_etm::{Registers, SourceConfig};
/// use coretrace_flow::{Element, Image, Images, PortFlow, StreamFlow};
///
/// let id = TraceId::new(0x10).unwrap();
/// let registers = Registers { trcidr1: 0x4100_F403, trcidr2: 0x488, ..Registers::default() };
/// let source = SourceConfig { registers, ..SourceConfig::default() };
/// // b . at 0x400000
/// let images = Images::new(vec![Image::new(0x40_0000, [0, 0, 0, 0x14])]);
/// let flow = StreamFlow::new(&source, images, Policy::Resync);
///
/// let mut builder = FrameBuilder::default();
/// let mut stream = vec![0; 11];
/// stream.extend([0x80, 0x01, 0x01, 0x00, 0x04, 0x85, 0, 0, 0x40, 0, 0, 0, 0, 0, 0x10, 0xF7]);
/// let mut buffer: Vec<u8> = stream.iter().filter_map(|&b| builder.push(id, b)).flatten().collect();
/// buffer.extend(builder.flush().unwrap());
///
/// let mut port = PortFlow::new(Format::Frames, [(id, flow)]);
/// let mut ranges = Vec::new();
/// let mut sink = |source: usize, _offset: u64, element: &Element| {
///     if let Element::Range(range) = element {
///         ranges.push((source, range.start, range.end));
///     }
/// };
/// port.feed(&buffer, &mut sink);
/// port.finish(&mut sink);
/// assert_eq!(ranges, [(0, 0x40_0000, 0x40_0004)]);
/// ```
#[derive(Clone, Debug)]
pub struct PortFlow {
    sources: PortSources<StreamFlow>,
}

impl PortFlow {
    /// At the start of a capture, with a flow for each source. Of sources with the same trace ID the first
    /// one gets the bytes.
    pub fn new(
        format: Format,
        sources: impl IntoIterator<Item = (TraceId, StreamFlow)>,
    ) -> PortFlow {
        PortFlow {
            sources: PortSources::new(format, sources),
        }
    }

    /// Takes a chunk of the capture. `sink` gets the index of a source, and the next of its elements with the
    /// offset of its packet in the stream of this source. A source may hold 8 KiB of its stream.
    pub fn feed(&mut self, bytes: &[u8], mut sink: impl FnMut(usize, u64, &Element)) {
        self.sources.feed(bytes, |source, flow, event| {
            let sink = &mut |offset: u64, element: &Element| sink(source, offset, element);
            match event {
                SourceEvent::Bytes(bytes) => flow.feed(bytes, sink),
                SourceEvent::Lost => flow.discontinuity(sink),
            }
        });
    }

    /// Ends the capture: what the sources hold is decoded.
    pub fn finish(&mut self, mut sink: impl FnMut(usize, u64, &Element)) {
        self.sources.finish(|source, flow| {
            flow.finish(&mut |offset: u64, element: &Element| sink(source, offset, element));
        });
    }

    /// The flow of each source: where its trace contradicts the images, say.
    pub fn flows(&self) -> &[(TraceId, StreamFlow)] {
        self.sources.sources()
    }

    /// Frames, syncs and losses so far.
    pub fn sync_statistics(&self) -> SyncStatistics {
        self.sources.sync_statistics()
    }

    /// Bytes that reached no flow so far.
    pub fn demux_statistics(&self) -> DemuxStatistics {
        self.sources.demux_statistics()
    }
}
