// SPDX-License-Identifier: MIT OR Apache-2.0
//! The bytes of one source in, elements out.

pub mod state;

use coretrace_decode::{Decoder, PacketSink, Policy};
use coretrace_etm::{Config, Record, SourceConfig};

use crate::doubts::Doubts;
use crate::element::ElementSink;
use crate::flow::Flow;
use crate::images::Images;

/// Bytes that are decoded together: what a frame has of a source is a few bytes.
///
/// An atom packet of one byte may be 24 elements, so this bounds what a caller stores.
const BATCH_BYTES: usize = 1 << 13;

/// Follows the program of one source from its bytes. Most packets never become records.
#[derive(Clone, Debug)]
pub struct StreamFlow {
    decoder: Decoder,
    flow: Flow,
    /// Bytes that are not decoded yet.
    waiting: Vec<u8>,
    /// Bytes so far.
    offset: u64,
}

impl StreamFlow {
    /// A flow of a source with these images that waits for the first A-Sync. With
    /// [`Policy::OpenCsd`], the elements are those of OpenCSD 1.3.3 also where a trace contradicts
    /// itself or the images.
    pub fn new(source: &SourceConfig, images: Images, policy: Policy) -> StreamFlow {
        let config = Config::new(source.protocol, source.profile, &source.registers);
        StreamFlow {
            decoder: Decoder::new(config, policy),
            flow: Flow::new(source, images, policy == Policy::OpenCsd),
            waiting: Vec::new(),
            offset: 0,
        }
    }

    /// Takes the next bytes; `sink` gets the elements that are final with them, at the latest when
    /// there are 8 KiB, or bytes are lost, or the trace ends.
    pub fn feed(&mut self, bytes: &[u8], sink: &mut impl ElementSink) {
        self.offset += bytes.len() as u64;
        if self.waiting.len() + bytes.len() < BATCH_BYTES {
            self.waiting.extend_from_slice(bytes);
        } else {
            self.decode_waiting(sink);
            let flow = &mut self.flow;
            self.decoder.feed_to(bytes, &mut Packets { flow, sink });
        }
    }

    /// Decodes all bytes that came.
    pub fn flush(&mut self, sink: &mut impl ElementSink) {
        self.decode_waiting(sink);
    }

    fn decode_waiting(&mut self, sink: &mut impl ElementSink) {
        let flow = &mut self.flow;
        let packets = &mut Packets { flow, sink };
        self.decoder.feed_to(&self.waiting, packets);
        self.waiting.clear();
    }

    /// Bytes were lost before the next one.
    pub fn discontinuity(&mut self, sink: &mut impl ElementSink) {
        self.decode_waiting(sink);
        let flow = &mut self.flow;
        self.decoder
            .discontinuity(|record| flow.record(record, sink));
        flow.discontinuity(self.offset, sink);
    }

    /// Whether there was an A-Sync in what has been decoded.
    pub fn has_async(&self) -> bool {
        self.flow.has_async()
    }

    /// Where the trace contradicts the images.
    pub fn doubts(&self) -> &Doubts {
        self.flow.doubts()
    }

    /// The trace ends.
    pub fn finish(&mut self, sink: &mut impl ElementSink) {
        self.decode_waiting(sink);
        let flow = &mut self.flow;
        self.decoder.finish(|record| flow.record(record, sink));
        flow.finish(self.offset, sink);
    }
}

/// Between the decoder and the flow.
struct Packets<'f, S> {
    flow: &'f mut Flow,
    sink: &'f mut S,
}

impl<S: ElementSink> PacketSink for Packets<'_, S> {
    fn record(&mut self, record: &Record) {
        self.flow.record(record, self.sink);
    }

    #[inline(always)]
    fn plain(&mut self, record: &Record) {
        self.other(*record);
    }

    #[inline(always)]
    fn alone(&mut self, record: &Record, _pattern: u32) {
        self.fields(record);
    }

    #[inline(always)]
    fn fields(&mut self, record: &Record) {
        if !self.flow.count(record, self.sink) {
            self.other(*record);
        }
    }

    #[inline(always)]
    fn atoms(&mut self, record: &Record, pattern: u32) {
        if !self.flow.atoms(record, pattern, self.sink) {
            self.other(*record);
        }
    }

    #[inline(always)]
    fn address(&mut self, record: &Record) {
        if !self.flow.address(record) {
            self.other(*record);
        }
    }
}

impl<S: ElementSink> Packets<'_, S> {
    /// Takes a record by value: for the packets above none is made in memory.
    #[inline(never)]
    fn other(&mut self, record: Record) {
        self.flow.record(&record, self.sink);
    }
}
