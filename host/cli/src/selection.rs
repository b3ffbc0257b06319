// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which sources of a capture are decoded.

use anyhow::{Context, Result, ensure};
use coretrace_capture::Capture;
use coretrace_capture::{SourceStream, source_streams};
use coretrace_coresight::TraceId;

/// The stream of the source with this trace ID, or without an ID the streams of all sources that
/// have a decoder. Never empty.
///
/// # Errors
/// If there is none.
pub fn select(capture: &Capture, id: Option<TraceId>) -> Result<Vec<SourceStream>> {
    let mut streams = source_streams(capture);
    let Some(id) = id.map(TraceId::value) else {
        ensure!(
            !streams.is_empty(),
            "no source of {:?} speaks ETM4 or ETE, it has {}: `etm4 demux` gives their bytes",
            capture.name,
            sources(capture)
        );
        return Ok(streams);
    };
    let source = capture.source(id).with_context(|| {
        format!(
            "no source of {:?} has the trace ID {id:02x}: it has {}",
            capture.name,
            sources(capture)
        )
    })?;
    streams.retain(|stream| stream.source.trace_id == Some(id));
    ensure!(
        !streams.is_empty(),
        "trace ID {id:02x} speaks {}: there are decoders for ETM4 and ETE only",
        source.protocol
    );
    Ok(streams)
}

/// The list of sources, for a message.
fn sources(capture: &Capture) -> String {
    let names: Vec<String> = capture
        .sources
        .iter()
        .map(|source| match source.trace_id {
            Some(id) => format!("{id:02x} ({})", source.protocol),
            None => format!("{} without a trace ID", source.protocol),
        })
        .collect();
    if names.is_empty() {
        "none".into()
    } else {
        names.join(", ")
    }
}
