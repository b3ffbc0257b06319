// SPDX-License-Identifier: MIT OR Apache-2.0
//! What software wrote and hardware reported, on the time line of a program.

use anyhow::Result;
use coretrace_capture::{RecordSink, Trace};
use coretrace_coresight::TraceId;
use coretrace_decode::Policy;
use coretrace_etm::Record;
use coretrace_software_trace::{self as software_trace, Mark, Row, Timeline};

use crate::error::say;
use crate::selection::{Protocols, has_source, select_beside};

/// Gives out the marks of the STM and ITM sources of a trace: the name of a row, the time in ticks of the
/// timestamps, and the mark. What has no time is counted, and said.
///
/// # Errors
/// If the trace cannot be read, or not twice.
pub fn marks(
    trace: &Trace,
    id: Option<TraceId>,
    policy: Policy,
    sync_limit: u64,
    mut sink: impl FnMut(&str, u64, Mark<'_>),
) -> Result<()> {
    if !has_source(trace, id, Protocols::Software) {
        return Ok(());
    }
    for part in select_beside(trace, id, Protocols::Software, Protocols::All)? {
        if !part.buffer.bytes.is_repeatable() {
            say("note: a pipe is read only once, so STM and ITM are not on the time line");
            continue;
        }
        for pass in part.passes(policy, sync_limit) {
            let ids = pass.described().map(|source| source.trace_id.unwrap_or(0));
            let mut rows = Rows {
                sources: ids.map(Marked::new).collect(),
                sink: &mut sink,
            };
            pass.run(&mut rows)?;
            rows.end();
        }
    }
    Ok(())
}

/// A source.
struct Marked {
    id: u8,
    timeline: Timeline,
    /// The time after its last record, if that is known.
    time: Option<u64>,
    marks: u64,
    without_time: u64,
}

impl Marked {
    fn new(id: u8) -> Marked {
        Marked {
            id,
            timeline: Timeline::default(),
            time: None,
            marks: 0,
            without_time: 0,
        }
    }

    /// Takes a record, or the end of the trace.
    fn put(
        &mut self,
        record: Option<&software_trace::Record>,
        sink: &mut dyn FnMut(&str, u64, Mark<'_>),
    ) {
        if let Some(record) = record {
            self.time = record.common_time();
        }
        let Marked {
            id,
            timeline,
            time,
            marks,
            without_time,
        } = self;
        let put = |row: Row, mark: Mark<'_>| match *time {
            Some(time) => {
                *marks += 1;
                sink(&format!("ID {id:02x}: {row}"), time, mark);
            }
            None => *without_time += 1,
        };
        match record {
            Some(record) => timeline.record(record, put),
            None => timeline.finish(put),
        }
    }
}

/// The rows of the sources of a pass.
struct Rows<'a> {
    sources: Vec<Marked>,
    sink: &'a mut dyn FnMut(&str, u64, Mark<'_>),
}

impl Rows<'_> {
    fn end(mut self) {
        for source in &mut self.sources {
            source.put(None, self.sink);
            if source.without_time > 0 {
                say(&format!(
                    "warning: ID {:02x}: {} of {} marks are not on the time line, because no timestamp came before them",
                    source.id,
                    source.without_time,
                    source.without_time + source.marks
                ));
            }
        }
    }
}

impl RecordSink for Rows<'_> {
    fn record(&mut self, _source: usize, _record: &Record, _raw: &[u8]) {}

    fn software(&mut self, source: usize, record: &software_trace::Record) {
        self.sources[source].put(Some(record), self.sink);
    }
}
