// SPDX-License-Identifier: MIT OR Apache-2.0
//! Elements in, their lines out.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Result, ensure};
use clap::ValueEnum;
use coretrace_flow::{Element, ElementSink};
use coretrace_listing::{ElementTsv, element_json, element_line, element_name};
use coretrace_software_trace as software_trace;

use crate::follow::{FlowSink, TraceSource};
use crate::output::Output;
use crate::parquet::ElementFiles;

/// Output format of elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ElementFormat {
    /// Columns for people
    #[default]
    Text,
    /// Tab-separated, as OpenCSD writes them
    Tsv,
    /// One JSON object a line
    Json,
    /// How many there are of each kind, and of instructions
    Count,
    /// Parquet files, a row for each: --out says where
    Parquet,
}

/// Elements of each kind, and instructions.
#[derive(Default)]
struct Counts {
    /// Of the last kind: most elements are of one kind.
    last: (&'static str, u64),
    kinds: BTreeMap<&'static str, u64>,
    instructions: u64,
}

impl Counts {
    fn add(&mut self, element: &Element) {
        if let Element::Range(range) = element {
            self.instructions += u64::from(range.count);
        }
        self.add_kind(element_name(element));
    }

    fn add_kind(&mut self, name: &'static str) {
        if self.last.0 != name {
            self.change_to(name);
        }
        self.last.1 += 1;
    }

    fn change_to(&mut self, name: &'static str) {
        let (last, count) = std::mem::replace(&mut self.last, (name, 0));
        if count > 0 {
            *self.kinds.entry(last).or_default() += count;
        }
    }

    /// Adds what is in a part, and leaves it empty.
    fn take(&mut self, part: &mut Counts) {
        part.change_to("");
        for (kind, count) in std::mem::take(&mut part.kinds) {
            *self.kinds.entry(kind).or_default() += count;
        }
        self.instructions += std::mem::take(&mut part.instructions);
    }

    fn write(&self, text: &mut String) {
        for (kind, count) in &self.kinds {
            text.push_str(&format!("{count:>12}  {kind}\n"));
        }
        text.push_str(&format!("{:>12}  instructions\n", self.instructions));
    }
}

/// Writes the elements of sources.
pub struct Lister {
    format: ElementFormat,
    output: Output,
    counts: Counts,
    files: Option<ElementFiles>,
}

impl Lister {
    /// A lister that has listed nothing. `out` is the place of files, and `part` the number of the shard.
    ///
    /// # Errors
    /// If a format needs a place, or the other way round, or it cannot be written.
    pub fn new(format: ElementFormat, out: Option<&Path>, part: u32) -> Result<Lister> {
        let files = match format {
            ElementFormat::Parquet => Some(ElementFiles::new(out, part)?),
            _ => None,
        };
        ensure!(
            files.is_some() || out.is_none(),
            "--out is the place of Parquet files: add --format parquet, or redirect the listing"
        );
        Ok(Lister {
            format,
            output: Output::new(),
            counts: Counts::default(),
            files,
        })
    }

    /// A source of software trace begins.
    pub fn begin_software(&mut self, id: u8) {
        if let Some(files) = &mut self.files {
            files.begin(id);
        }
    }

    /// Lists an element of software trace.
    pub fn software(&mut self, offset: u64, id: u8, element: &software_trace::Element<'_>) {
        let text = &mut self.output.text;
        match self.format {
            ElementFormat::Text => software_trace::element_text(text, offset, id, element),
            ElementFormat::Tsv => software_trace::element_tsv(text, offset, id, element),
            ElementFormat::Json => software_trace::element_json(text, offset, id, element),
            ElementFormat::Count => {
                let name = software_trace::element_name(element);
                self.counts.add_kind(name);
            }
            ElementFormat::Parquet => {
                if let Some(files) = &mut self.files {
                    files.software(offset, id, element);
                }
            }
        }
        self.output.flush_full();
    }

    /// Writes what was listed so far.
    pub fn flush(&mut self) {
        self.output.flush();
    }

    /// Ends the listing.
    pub fn end(mut self) {
        if self.format == ElementFormat::Count {
            self.counts.change_to("");
            self.counts.write(&mut self.output.text);
        }
        self.output.finish();
        if let Some(files) = self.files {
            files.finish();
        }
    }
}

/// Bytes of lines that a part holds, at most, but for those of 8 KiB of trace.
const MOST_BYTES: usize = 1 << 20;

/// The lines of elements of a source.
pub struct Lines {
    format: ElementFormat,
    id: u8,
    tsv: ElementTsv,
    text: String,
    counts: Counts,
    /// Of a Parquet file.
    rows: Vec<(u64, Element)>,
}

impl ElementSink for Lines {
    fn element(&mut self, offset: u64, element: &Element) {
        let Lines { id, text, .. } = self;
        match self.format {
            ElementFormat::Text => element_line(text, offset, *id, element),
            ElementFormat::Tsv => self.tsv.element(text, offset, element),
            ElementFormat::Json => element_json(text, offset, *id, element),
            ElementFormat::Count => self.counts.add(element),
            ElementFormat::Parquet => self.rows.push((offset, *element)),
        }
    }
}

impl FlowSink for Lister {
    type Part = Lines;

    fn begin(&mut self, source: &TraceSource) -> Lines {
        if let Some(files) = &mut self.files {
            files.begin(source.id);
        }
        Lines {
            format: self.format,
            id: source.id,
            tsv: ElementTsv::new(source.id),
            text: String::new(),
            counts: Counts::default(),
            rows: Vec::new(),
        }
    }

    /// No line depends on those before it.
    fn fork(&mut self, source: &TraceSource) -> Option<Lines> {
        Some(self.begin(source))
    }

    fn is_full(part: &Lines) -> bool {
        if size_of_val(&part.rows[..]) >= MOST_BYTES {
            return true;
        }
        part.text.len() >= MOST_BYTES
    }

    fn take(&mut self, part: &mut Lines) {
        self.output.text_of(&part.text);
        part.text.clear();
        if let Some(files) = &mut self.files {
            files.elements(part.id, &part.rows);
            part.rows.clear();
        }
        self.counts.take(&mut part.counts);
    }
}
