// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 packets --merge`: the packets of all sources of a port as one list.

use std::fmt::Write;

use anyhow::{Result, ensure};
use clap::Args;
use coretrace_capture::{AnyRecord, Merged, MergedSink, Pass, Source, Trace};
use coretrace_coresight::TraceId;
use coretrace_decode::Policy;
use coretrace_listing::Line;
use coretrace_software_trace as software_trace;

use crate::error::say;
use crate::filter::FilterArgs;
use crate::listing_format::ListingFormat;
use crate::merged_line::MergedLine;
use crate::output::Output;
use crate::progress::Progress;
use crate::selection::{Protocols, select_together};
use crate::tally::Tally;
use crate::trace_id;

/// The value of `schema` in every JSON object.
const SCHEMA: &str = "etm4.merged-packet.1";

/// Merges the packets of all sources.
#[derive(Debug, Args)]
pub struct MergeArgs {
    /// List the packets of all sources together: each with its place in the trace and what gave it its
    /// place in the list, "place" or "time"
    #[arg(long)]
    merge: bool,

    /// With --merge: the trace IDs of sources whose timestamps count one clock, so that time gives the
    /// order of their packets
    #[arg(long, value_name = "HEX,HEX", value_delimiter = ',', requires = "merge", value_parser = trace_id::parse)]
    common_clock: Vec<TraceId>,
}

impl MergeArgs {
    /// Whether packets are merged.
    pub fn is_wanted(&self) -> bool {
        self.merge
    }

    /// The number of the clock of a source, if others have it too.
    fn clock(&self, source: &Source) -> Option<u8> {
        let id = source.trace_id.and_then(TraceId::new)?;
        self.common_clock.contains(&id).then_some(0)
    }
}

/// Lists the packets of each buffer as one list; the tallies of all sources.
///
/// # Errors
/// If a source with the common clock is absent, or the trace cannot be read.
pub fn list(
    args: &MergeArgs,
    trace: &Trace,
    id: Option<TraceId>,
    (policy, sync_limit): (Policy, u64),
    filter: &FilterArgs,
    format: ListingFormat,
) -> Result<Vec<Tally>> {
    let selected = select_together(trace, id, Protocols::All, Protocols::All)?;
    for id in &args.common_clock {
        let id = id.value();
        let mut all = selected.iter().flat_map(|part| &part.buffer.sources);
        ensure!(
            all.any(|source| source.has_decoder() && source.trace_id == Some(id)),
            "no source that is decoded has the trace ID {id:02x} of --common-clock"
        );
    }
    let mut lister = Lister {
        format,
        filter,
        output: Output::new(),
        listed: 0,
        sources: Vec::new(),
        progress: None,
    };
    let mut tallies = Vec::new();
    for part in &selected {
        let pass = part.together(policy, sync_limit);
        lister.begin(&pass, selected.len() > 1)?;
        let clocks = pass.described().map(|source| args.clock(source));
        let clocks: Vec<Option<u8>> = clocks.collect();
        pass.run_merged(&clocks, &mut lister)?;
        tallies.extend(lister.end());
    }
    lister.output.finish();
    Ok(tallies)
}

/// Writes the list, and counts what is wrong with each source.
struct Lister<'a> {
    format: ListingFormat,
    filter: &'a FilterArgs,
    output: Output,
    listed: u64,
    sources: Vec<Listed<'a>>,
    /// How far the work is, if that is known.
    progress: Option<Progress>,
}

/// A source of the list.
struct Listed<'a> {
    id: u8,
    source: &'a Source,
    tally: Tally,
    is_done: bool,
}

impl<'a> Lister<'a> {
    /// Begins a buffer, with its name in the listing if it is one of several.
    fn begin(&mut self, pass: &Pass<'a>, is_one_of_several: bool) -> Result<()> {
        if is_one_of_several && self.format == ListingFormat::Text {
            let name = pass.buffer.name.as_deref().unwrap_or_default();
            let _ = writeln!(self.output.text, "# buffer {name}");
        }
        let is_framed = pass.buffer.is_framed();
        let listed = pass.described().map(|source| Listed {
            id: source.trace_id.filter(|_| is_framed).unwrap_or(0),
            source,
            tally: Tally::default(),
            is_done: false,
        });
        self.sources = listed.collect();
        let bytes = pass.buffer.bytes.len()?;
        self.progress = bytes.map(|bytes| Progress::new("model", bytes));
        Ok(())
    }

    /// Ends the buffer, and reports what is wrong.
    fn end(&mut self) -> Vec<Tally> {
        self.output.flush();
        self.progress = None;
        let sources = self.sources.drain(..);
        sources
            .map(|Listed { id, tally, .. }| {
                tally.warning(id).iter().for_each(|warning| say(warning));
                tally
            })
            .collect()
    }
}

impl MergedSink for Lister<'_> {
    fn merged(&mut self, merged: &Merged<AnyRecord>) {
        let Listed {
            id,
            source,
            tally,
            is_done,
        } = &mut self.sources[merged.source];
        let (is_taken, offset) = match &merged.item {
            AnyRecord::Etm { record, .. } => {
                tally.count(record);
                (self.filter.takes(record, self.listed), record.offset)
            }
            AnyRecord::Software(record) => {
                tally.count_software(record);
                let is_taken = self.filter.takes_software(record, self.listed);
                (is_taken, record.offset())
            }
        };
        if !is_taken {
            *is_done |= self.filter.is_behind(offset);
            return;
        }
        self.listed += 1;
        let format = self.format;
        let merged_line = MergedLine {
            format,
            schema: SCHEMA,
            key: "packet",
        };
        let text = &mut self.output.text;
        merged_line.put(text, merged.place, merged.order, |text| {
            line(format, text, *id, source, &merged.item);
        });
        self.output.flush_full();
    }

    fn progress(&mut self, bytes: u64) {
        if let Some(progress) = &mut self.progress {
            progress.part(bytes);
        }
    }

    fn is_done(&self) -> bool {
        self.filter.is_full(self.listed) || self.sources.iter().all(|source| source.is_done)
    }
}

/// Appends the line of a packet as in the list of its source.
fn line(format: ListingFormat, text: &mut String, id: u8, source: &Source, item: &AnyRecord) {
    match (item, &source.config) {
        (AnyRecord::Etm { record, raw }, Some(config)) => {
            let line = Line {
                id,
                record,
                raw,
                config,
            };
            format.write(text, &line);
        }
        (AnyRecord::Software(record), _) => {
            format.write_software(text, &software_trace::Line { id, record });
        }
        (AnyRecord::Etm { .. }, None) => {}
    }
}
