// SPDX-License-Identifier: MIT OR Apache-2.0
//! The bytes of each source of a capture.

use crate::{Capture, Format, Source};
use coretrace_coresight::TraceId;
use coretrace_decode::tpiu::{Deframer, Demux, RunEvent};
use coretrace_etm::{Config, Protocol};

/// All bytes of one source, in order.
#[derive(Clone, Debug)]
pub struct SourceStream {
    /// Trace ID; 0 in a raw capture.
    pub id: u8,
    /// The source.
    pub source: Source,
    /// ETMv4 or ETE.
    pub protocol: Protocol,
    /// The decoder configuration.
    pub config: Config,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Offsets before which bytes were lost, in order.
    pub discontinuities: Vec<u64>,
}

impl SourceStream {
    /// The bytes of a record.
    pub fn raw(&self, offset: u64, len: u64) -> &[u8] {
        let start = (offset as usize).min(self.bytes.len());
        let end = ((offset + len) as usize).min(self.bytes.len());
        &self.bytes[start..end]
    }

    /// The stretches between losses: whether bytes were lost before, and the bytes.
    pub fn stretches(&self) -> impl Iterator<Item = (bool, &[u8])> + Clone {
        let starts = std::iter::once(0).chain(self.discontinuities.iter().copied());
        let ends = self
            .discontinuities
            .iter()
            .copied()
            .chain(std::iter::once(self.bytes.len() as u64));
        let bytes = &self.bytes;
        starts
            .zip(ends)
            .enumerate()
            .map(move |(number, (start, end))| (number > 0, &bytes[start as usize..end as usize]))
    }
}

/// Splits a capture into sources. Sources with other protocols than ETMv4 and ETE are left out.
pub fn source_streams(capture: &Capture) -> Vec<SourceStream> {
    let mut streams: Vec<SourceStream> = capture
        .sources
        .iter()
        .filter_map(|source| {
            let id = match capture.format {
                Format::Raw => 0,
                Format::Framed(_) => source.trace_id?,
            };
            Some(SourceStream {
                id,
                source: source.clone(),
                protocol: source.protocol.grammar()?,
                config: source.config?,
                bytes: Vec::new(),
                discontinuities: Vec::new(),
            })
        })
        .collect();
    let format = match capture.format {
        Format::Raw => {
            for stream in &mut streams {
                stream.bytes = capture.bytes.clone();
            }
            return streams;
        }
        Format::Framed(format) => format,
    };
    let mut demux = Demux::new(streams.iter().filter_map(|stream| TraceId::new(stream.id)));
    Deframer::new(format).feed(&capture.bytes, |event| match event {
        RunEvent::Run(run) => {
            let Some(id) = demux.route(&run) else { return };
            if let Some(stream) = streams.iter_mut().find(|stream| stream.id == id.value()) {
                stream.bytes.extend_from_slice(run.bytes);
            }
        }
        RunEvent::Discontinuity { .. } => {
            for stream in &mut streams {
                stream.discontinuities.push(stream.bytes.len() as u64);
            }
        }
    });
    streams
}
