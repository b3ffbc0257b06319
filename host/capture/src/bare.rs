// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bare trace: bytes alone, described by the user.

use std::ops::ControlFlow;

use anyhow::{Result, ensure};
use coretrace_coresight::TraceId;
use coretrace_decode::tpiu::{self, Deframer, Demux, RunEvent};

use crate::bytes::Block;
use crate::{Format, SourceDescription, Trace, TraceBuffer, TraceBytes};

/// How to read bytes that nothing describes.
#[derive(Clone, Debug)]
pub struct BareTrace {
    /// How they are framed.
    pub format: Format,
    /// The source. In frames it may have no trace ID: then all sources are like it.
    pub source: SourceDescription,
    /// Bytes in which the trace IDs are looked for.
    pub scan_limit: u64,
}

/// Makes a trace of bytes alone. In frames without a trace ID in the description, every source of
/// the bytes has the description's registers; of bytes that can be read once, every possible one.
///
/// # Errors
/// If the bytes cannot be read, or [`TraceBuffer::of_whole_frames`] refuses them.
pub fn open_bare(name: String, bytes: TraceBytes, bare: &BareTrace) -> Result<Trace> {
    let BareTrace {
        format,
        source,
        scan_limit,
    } = bare;
    let sources = match format {
        Format::Framed(framing) if source.trace_id.is_none() => {
            let ids: Vec<TraceId> = if bytes.is_repeatable() {
                let found = bytes_of_ids(*framing, &bytes, *scan_limit)?;
                found.into_iter().map(|(id, _)| id).collect()
            } else {
                all_ids().collect()
            };
            ensure!(
                !ids.is_empty(),
                "no source has bytes in its {framing}: check the format, or name the source with --id"
            );
            ids.into_iter().map(|id| of_id(source, id)).collect()
        }
        _ => vec![source.clone()],
    };
    let buffer = TraceBuffer::of_whole_frames(*format, bytes, &sources)?;
    Ok(Trace::of_buffer(name, buffer))
}

/// The trace IDs of sources with bytes in the first `limit` bytes, in ascending order, and how many
/// bytes each has there.
///
/// # Errors
/// If the bytes cannot be read.
pub fn bytes_of_ids(
    format: tpiu::Format,
    bytes: &TraceBytes,
    limit: u64,
) -> Result<Vec<(TraceId, u64)>> {
    let mut deframer = Deframer::new(format);
    let mut demux = Demux::all();
    let mut found = [0; 128];
    let mut read = 0;
    let _ = bytes.read(|block| {
        match block {
            Block::Bytes(bytes) => {
                read += bytes.len() as u64;
                deframer.feed(bytes, |event| {
                    if let RunEvent::Run(run) = event
                        && let Some(id) = demux.route(&run)
                    {
                        found[usize::from(id.value())] += run.bytes.len() as u64;
                    }
                });
            }
            Block::Lost => deframer.finish(),
        }
        Ok(if read > limit {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        })
    })?;
    let counted = all_ids().map(|id| (id, found[usize::from(id.value())]));
    Ok(counted.filter(|(_, bytes)| *bytes > 0).collect())
}

fn all_ids() -> impl Iterator<Item = TraceId> {
    (0..=0x7F)
        .filter_map(TraceId::new)
        .filter(|id| id.is_source())
}

fn of_id(source: &SourceDescription, id: TraceId) -> SourceDescription {
    SourceDescription {
        name: format!("{}_{:02x}", source.name, id.value()),
        trace_id: Some(id.value()),
        ..source.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_coresight::FrameBuilder;

    #[test]
    fn sources_of_frames_are_found() {
        let mut builder = FrameBuilder::default();
        let mut bytes = Vec::new();
        for id in [0x21, 0x10, 0x21] {
            let id = TraceId::new(id).unwrap();
            bytes.extend((0..40).filter_map(|i| builder.push(id, i)).flatten());
        }
        bytes.extend(builder.flush().into_iter().flatten());
        let bytes = TraceBytes::memory(bytes);
        let ids = bytes_of_ids(tpiu::Format::Frames, &bytes, u64::MAX).unwrap();
        let wanted = [(0x10, 40), (0x21, 80)];
        assert_eq!(
            ids,
            wanted.map(|(id, bytes)| (TraceId::new(id).unwrap(), bytes))
        );
    }
}
