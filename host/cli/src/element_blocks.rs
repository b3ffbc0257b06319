// SPDX-License-Identifier: MIT OR Apache-2.0
//! The elements of the sources of a trace in blocks of XE.

use anyhow::Result;
use coretrace_abi::compressed::element::Element;
use coretrace_abi::compressed::item::Item;
use coretrace_capture::{RecordSink, Trace};
use coretrace_compress::{ElementBlockWriter, PacketElements};
use coretrace_coresight::TraceId;
use coretrace_decode::Policy;
use coretrace_etm::Record;

use crate::progress::Progress;
use crate::selection::select_sources;

/// Compresses the packets of all sources; `sink` gets the blocks.
///
/// # Errors
/// If the trace cannot be read.
pub fn write_elements(
    trace: &Trace,
    id: Option<TraceId>,
    sync_limit: u64,
    block: usize,
    sink: &mut dyn FnMut(&[u8]),
) -> Result<()> {
    for selected in select_sources(trace, id)? {
        let mut progress = selected.progress("compress")?;
        for pass in selected.passes(Policy::Resync, sync_limit) {
            let writers = pass.described().map(|source| {
                let id = source.trace_id.unwrap_or(0);
                (PacketElements::new(), ElementBlockWriter::new(block, id))
            });
            let mut writing = Writing {
                sources: writers.collect(),
                progress: &mut progress,
                sink: &mut *sink,
            };
            pass.run(&mut writing)?;
            let Writing { sources, sink, .. } = writing;
            for (packets, mut writer) in sources {
                packets.finish(|item| put(&mut writer, &item, &mut *sink));
                writer.finish(&mut *sink);
            }
        }
    }
    Ok(())
}

/// The sources of a pass.
struct Writing<'p> {
    sources: Vec<(PacketElements, ElementBlockWriter)>,
    progress: &'p mut Option<Progress>,
    sink: &'p mut dyn FnMut(&[u8]),
}

impl RecordSink for Writing<'_> {
    fn record(&mut self, source: usize, record: &Record, raw: &[u8]) {
        let (packets, writer) = &mut self.sources[source];
        packets.record(record, raw, |item| put(writer, &item, &mut *self.sink));
    }

    fn progress(&mut self, bytes: u64) {
        if let Some(progress) = &mut self.progress {
            progress.part(bytes);
        }
    }
}

fn put(writer: &mut ElementBlockWriter, item: &Item<Element>, sink: &mut dyn FnMut(&[u8])) {
    match item {
        Item::Event(element) => writer.element(element, sink),
        Item::Note { note, .. } => writer.note(*note, sink),
        Item::Rest { .. } => {}
    }
}
