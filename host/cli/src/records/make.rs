// SPDX-License-Identifier: MIT OR Apache-2.0
//! The stream that a core would store for a capture.

use std::io::Write;

use anyhow::{Context, Result};
use coretrace_capture::{Pass, RecordSink, Source, Trace};
use coretrace_coresight::TraceId;
use coretrace_decode::Policy;
use coretrace_etm::{ArchProfile, Protocol, Record};
use coretrace_streams::{Start, Writer};

use crate::selection::select_one;

/// Decodes a source of a trace and writes the words of its records to `out`.
///
/// # Errors
/// If the trace cannot be used, it has several sources and none is chosen, or `out` cannot be
/// written.
pub fn make(trace: &Trace, id: Option<TraceId>, sync_limit: u64, out: impl Write) -> Result<()> {
    let (selected, source) = select_one(trace, id, "a record stream")?;
    let writer = Writer::new(start_of(source));
    let mut storage = Storage {
        writer,
        words: Vec::new(),
        out,
        written: Ok(()),
    };
    let pass = Pass {
        buffer: selected.buffer,
        sources: &selected.sources,
        policy: Policy::Resync,
        sync_limit,
    };
    pass.run(&mut storage)?;
    storage.finish().context("cannot write the records")
}

/// How a core that was set up for this source begins its stream.
fn start_of(source: &Source) -> Start {
    Start {
        trace_id: source.trace_id.unwrap_or_default(),
        lenient: false,
        explicit: false,
        filtered: false,
        protocol: source.protocol.grammar().unwrap_or(Protocol::Etm4),
        v8m: source.profile == ArchProfile::M8,
        registers: source.registers,
    }
}

/// Stores the words of records.
struct Storage<W> {
    writer: Writer,
    /// Words that are not written yet.
    words: Vec<u32>,
    out: W,
    /// The first failure.
    written: std::io::Result<()>,
}

impl<W: Write> Storage<W> {
    fn write(&mut self) {
        let bytes: Vec<u8> = self
            .words
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect();
        self.words.clear();
        if self.written.is_ok() {
            self.written = self.out.write_all(&bytes);
        }
    }

    fn finish(mut self) -> std::io::Result<()> {
        self.writer.flush(&mut self.words);
        self.write();
        self.written?;
        self.out.flush()
    }
}

impl<W: Write> RecordSink for Storage<W> {
    fn record(&mut self, _source: usize, record: &Record, _raw: &[u8]) {
        self.writer.record(record, &mut self.words);
    }

    fn progress(&mut self, _bytes: u64) {
        self.write();
    }

    fn is_done(&self) -> bool {
        self.written.is_err()
    }
}
