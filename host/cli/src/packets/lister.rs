// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records in, lines out.

use coretrace_capture::{RecordSink, TraceBuffer};
use coretrace_etm::{Config, Record};
use coretrace_listing::{Line, Lines, PacketLines};
use coretrace_software_trace as software_trace;

use crate::error::say;
use crate::filter::FilterArgs;
use crate::listing_format::ListingFormat;
use crate::output::Output;
use crate::parquet::PacketFiles;
use crate::progress::Progress;
use crate::selection::Selected;
use crate::tally::Tally;

/// Writes the listing, and counts what is wrong with each source.
pub struct Lister<'a> {
    format: ListingFormat,
    /// In place of lines.
    files: Option<PacketFiles>,
    filter: &'a FilterArgs,
    output: Output,
    /// Lines that are not written yet.
    text: Lines,
    listed: u64,
    buffer: Option<&'a TraceBuffer>,
    /// The sources of the pass.
    sources: Vec<ListedSource>,
    /// Sources of the passes before.
    done: Vec<Tally>,
    /// Whether the lines of later sources wait for those of the first one.
    pub groups_itself: bool,
    /// How far the work is, if that is known.
    pub progress: Option<Progress>,
}

/// A source of a pass.
struct ListedSource {
    id: u8,
    /// None of software trace.
    config: Option<Config>,
    lines: PacketLines,
    tally: Tally,
    /// Lines that wait.
    later: Lines,
    is_done: bool,
}

impl<'a> Lister<'a> {
    /// A lister that has listed nothing. With files it writes no lines.
    pub fn new(
        format: ListingFormat,
        files: Option<PacketFiles>,
        filter: &'a FilterArgs,
    ) -> Lister<'a> {
        Lister {
            format,
            files,
            filter,
            output: Output::new(),
            text: Lines::default(),
            listed: 0,
            buffer: None,
            sources: Vec::new(),
            done: Vec::new(),
            groups_itself: false,
            progress: None,
        }
    }

    /// Begins a buffer, with its name in the listing if it is one of several.
    pub fn begin(&mut self, selected: &Selected<'a>, is_one_of_several: bool) {
        self.end_pass();
        self.buffer = Some(selected.buffer);
        let name = selected.buffer.name.as_deref().unwrap_or_default();
        if is_one_of_several
            && self.format == ListingFormat::Text
            && self.files.is_none()
            && !self.is_full()
        {
            self.text.push(format!("# buffer {name}\n").as_bytes());
        }
    }

    /// Begins a pass over the buffer, for these sources.
    pub fn begin_pass(&mut self, sources: &[usize]) {
        self.end_pass();
        let Some(buffer) = self.buffer else { return };
        let listed = sources.iter().filter_map(|&index| {
            let source = buffer.sources.get(index)?;
            Some(ListedSource {
                id: source.trace_id.filter(|_| buffer.is_framed()).unwrap_or(0),
                config: source.config,
                lines: self.format.lines(),
                tally: Tally::default(),
                later: Lines::default(),
                is_done: false,
            })
        });
        self.sources = listed.collect();
        if let Some(files) = &mut self.files {
            for source in &self.sources {
                files.begin(source.id);
            }
        }
    }

    /// Ends the pass: writes what waits, and reports what is wrong.
    pub fn end_pass(&mut self) {
        for source in self.sources.drain(..) {
            self.text.push(source.later.as_bytes());
            self.output.drain(&mut self.text);
            if let Some(warning) = source.tally.warning(source.id) {
                self.output.flush();
                say(&warning);
            }
            self.done.push(source.tally);
        }
    }

    /// Ends the listing; the tallies of all sources.
    pub fn finish(mut self) -> Vec<Tally> {
        self.end_pass();
        self.output.drain(&mut self.text);
        self.output.finish();
        if let Some(files) = self.files {
            files.finish();
        }
        self.done
    }

    /// Lists a record.
    pub fn list(&mut self, index: usize, record: &Record, raw: &[u8]) {
        let source = &mut self.sources[index];
        source.tally.count(record);
        if !self.filter.takes(record, self.listed) {
            source.is_done |= self.filter.is_behind(record.offset);
            return;
        }
        let Some(config) = &source.config else { return };
        self.listed += 1;
        if let Some(files) = &mut self.files {
            files.packet(source.id, record, config);
            return;
        }
        let waits = self.groups_itself && index > 0;
        let text = if waits {
            &mut source.later
        } else {
            &mut self.text
        };
        let line = Line {
            id: source.id,
            record,
            raw,
            config,
        };
        source.lines.line(text, &line);
        self.output.drain_full(&mut self.text);
    }

    fn is_full(&self) -> bool {
        self.filter.is_full(self.listed)
    }
}

impl RecordSink for Lister<'_> {
    fn record(&mut self, source: usize, record: &Record, raw: &[u8]) {
        self.list(source, record, raw);
    }

    fn software(&mut self, source: usize, record: &software_trace::Record) {
        let source = &mut self.sources[source];
        source.tally.count_software(record);
        if !self.filter.takes_software(record, self.listed) {
            source.is_done |= self.filter.is_behind(record.offset());
            return;
        }
        self.listed += 1;
        if let Some(files) = &mut self.files {
            files.software(source.id, record);
            return;
        }
        let line = software_trace::Line {
            id: source.id,
            record,
        };
        let mut text = String::new();
        self.format.write_software(&mut text, &line);
        self.text.push(text.as_bytes());
        self.output.drain_full(&mut self.text);
    }

    fn progress(&mut self, bytes: u64) {
        if let Some(progress) = &mut self.progress {
            progress.part(bytes);
        }
    }

    fn is_done(&self) -> bool {
        self.is_full() || self.sources.iter().all(|source| source.is_done)
    }
}
