// SPDX-License-Identifier: MIT OR Apache-2.0
//! The stream that a core would store for a capture.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use coretrace_capture::Capture;
use coretrace_capture::decode_in_model;
use coretrace_coresight::TraceId;
use coretrace_decode::Policy;
use coretrace_etm::ArchProfile;
use coretrace_streams::{Start, Writer};

use crate::selection::select;

/// Decodes a source of a capture and writes its records to `out`.
///
/// # Errors
/// If the capture cannot be used, it has several sources and none is chosen, or `out` cannot be
/// written.
pub fn make(capture: &Path, id: Option<TraceId>, out: &Path) -> Result<()> {
    let capture = Capture::open(capture)?;
    let streams = select(&capture, id)?;
    let [stream] = &streams[..] else {
        let ids: Vec<String> = streams.iter().map(|s| format!("{:02x}", s.id)).collect();
        bail!(
            "a record stream has one source at a time: choose one with --id, of {}",
            ids.join(", ")
        );
    };
    let source = &stream.source;
    let mut words = Vec::new();
    let start = Start {
        trace_id: source.trace_id.unwrap_or_default(),
        lenient: false,
        explicit: false,
        filtered: false,
        protocol: stream.protocol,
        v8m: source.profile == ArchProfile::M8,
        registers: source.registers,
    };
    let mut writer = Writer::new(start);
    decode_in_model(
        stream,
        Policy::Resync,
        |_| {},
        |record| writer.record(record, &mut words),
    );
    writer.flush(&mut words);
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    fs::write(out, bytes).with_context(|| format!("cannot write {}", out.display()))
}
