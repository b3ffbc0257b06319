// SPDX-License-Identifier: MIT OR Apache-2.0
//! The stream that a core or a recorder would store for a capture.

mod placed;
mod words;

use std::io::Write;

use anyhow::{Context, Result};
use coretrace_capture::{Pass, RecordSink, Source, Trace};
use coretrace_coresight::TraceId;
use coretrace_decode::Policy;
use coretrace_etm::{ArchProfile, Protocol, Record};
use coretrace_streams::{Start, Writer, software};

use crate::selection::{Protocols, Selected, has_source, select_one};
use placed::{AnyWriter, Placed};
use words::Words;

/// A source whose records would be stored.
pub struct Stored<'t> {
    selected: Selected<'t>,
    source: &'t Source,
}

impl<'t> Stored<'t> {
    /// The source with this trace ID; without one that of instruction trace, or, if there is none, that of software
    /// trace.
    ///
    /// # Errors
    /// If there is none, or there are several.
    pub fn of(trace: &'t Trace, id: Option<TraceId>) -> Result<Stored<'t>> {
        let protocols = if id.is_none() && has_source(trace, id, Protocols::Instructions) {
            Protocols::Instructions
        } else {
            Protocols::All
        };
        let (selected, source) = select_one(trace, id, protocols, "a record stream")?;
        Ok(Stored { selected, source })
    }

    /// Whether it is an STM or an ITM, so that a recorder would store it.
    pub fn is_software(&self) -> bool {
        self.source.software.is_some()
    }

    /// Decodes the source and writes the words of its records to `out`: of software trace, and of a source beside
    /// software trace, with places.
    ///
    /// # Errors
    /// If the trace cannot be read, or `out` cannot be written.
    pub fn make(&self, sync_limit: u64, out: impl Write) -> Result<()> {
        let Selected {
            buffer, sources, ..
        } = &self.selected;
        let pass = Pass {
            buffer,
            sources,
            policy: Policy::Resync,
            sync_limit,
        };
        let words = Words::new(out);
        let written = if let Some(writer) = self.placed_writer() {
            let mut sink = Placed::new(writer, buffer.is_framed(), words);
            pass.run_merged(&[None], &mut sink)?;
            sink.finish()
        } else {
            let writer = Writer::new(start_of(self.source));
            let mut sink = Plain { writer, words };
            pass.run(&mut sink)?;
            sink.writer.flush(&mut sink.words.due);
            sink.words.finish()
        };
        written.context("cannot write the records")
    }

    /// What writes the records, if they have places.
    fn placed_writer(&self) -> Option<AnyWriter> {
        if let Some(start) = software_start_of(self.source) {
            return Some(AnyWriter::Software(software::Writer::new(start)));
        }
        let mut all = self.selected.buffer.sources.iter();
        let is_beside = all.any(|source| source.software.is_some());
        is_beside.then(|| AnyWriter::Records(Writer::new(start_of(self.source))))
    }
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

/// How a recorder that was set up for this source begins its stream; none of instruction trace.
fn software_start_of(source: &Source) -> Option<software::Start> {
    source.software.map(|protocol| software::Start {
        trace_id: source.trace_id.unwrap_or_default(),
        lenient: false,
        protocol,
    })
}

/// Stores records without places.
struct Plain<W> {
    writer: Writer,
    words: Words<W>,
}

impl<W: Write> RecordSink for Plain<W> {
    fn record(&mut self, _source: usize, record: &Record, _raw: &[u8]) {
        self.writer.record(record, &mut self.words.due);
    }

    fn progress(&mut self, _bytes: u64) {
        self.words.write();
    }

    fn is_done(&self) -> bool {
        self.words.has_failed()
    }
}
