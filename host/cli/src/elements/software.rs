// SPDX-License-Identifier: MIT OR Apache-2.0
//! The elements of software trace.

use anyhow::Result;
use coretrace_capture::{RecordSink, Source, Trace};
use coretrace_decode::Policy;
use coretrace_etm::Record;
use coretrace_software_trace::{self as software_trace, Element, Elements};

use super::{ElementFormat, ElementsArgs};
use crate::error::{Outcome, say};
use crate::output::Output;
use crate::selection::{Protocols, select_protocols};
use crate::tally::Tally;

/// Lists the elements of the STM and ITM sources of a trace, one source after the other.
///
/// # Errors
/// If there is none, or the trace cannot be read.
pub fn list(args: &ElementsArgs, trace: &Trace) -> Result<Outcome> {
    let policy = Policy::from(args.follow.on_error);
    let mut output = Output::new();
    let mut is_decoded = false;
    for part in select_protocols(trace, args.follow.id, Protocols::Software)? {
        for pass in part.passes(policy, args.capture.options.sync_limit) {
            let sources = pass.described();
            let mut lister = Lister {
                format: args.format,
                sources: sources.map(|source| Listed::new(source, policy)).collect(),
                output: &mut output,
            };
            pass.run(&mut lister)?;
            is_decoded |= lister.end();
        }
    }
    output.finish();
    Ok(Outcome::of(is_decoded))
}

/// A source that is listed.
struct Listed {
    id: u8,
    elements: Elements,
    tally: Tally,
}

impl Listed {
    fn new(source: &Source, policy: Policy) -> Listed {
        Listed {
            id: source.trace_id.unwrap_or(0),
            elements: Elements::new(policy),
            tally: Tally::default(),
        }
    }
}

/// Writes the elements of the sources of a pass.
struct Lister<'a> {
    format: ElementFormat,
    sources: Vec<Listed>,
    output: &'a mut Output,
}

impl Lister<'_> {
    /// Whether anything was decoded.
    fn end(self) -> bool {
        let mut is_decoded = false;
        for Listed {
            id,
            mut elements,
            tally,
        } in self.sources
        {
            let text = &mut self.output.text;
            elements.finish(|offset, element| write(self.format, text, offset, id, element));
            self.output.flush();
            tally.warning(id).iter().for_each(|warning| say(warning));
            is_decoded |= tally.is_decoded();
        }
        is_decoded
    }
}

impl RecordSink for Lister<'_> {
    fn record(&mut self, _source: usize, _record: &Record, _raw: &[u8]) {}

    fn software(&mut self, source: usize, record: &software_trace::Record) {
        let source = &mut self.sources[source];
        source.tally.count_software(record);
        let text = &mut self.output.text;
        source.elements.record(record, |offset, element| {
            write(self.format, text, offset, source.id, element);
        });
        self.output.flush_full();
    }
}

/// Appends an element. Formats without lines are refused before.
fn write(format: ElementFormat, out: &mut String, offset: u64, id: u8, element: &Element<'_>) {
    match format {
        ElementFormat::Json => software_trace::element_json(out, offset, id, element),
        ElementFormat::Tsv => software_trace::element_tsv(out, offset, id, element),
        _ => software_trace::element_text(out, offset, id, element),
    }
}
