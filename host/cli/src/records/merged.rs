// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 records --merge`: the records of an ETM and of an STM or ITM beside it as one list.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use coretrace_capture::{Merge, Merged, Order, arch_profile};
use coretrace_coresight::TraceId;
use coretrace_etm::ArchProfile;
use coretrace_streams::{Item, PortOrder, Reader, software};

use super::software::Lister as SoftwareLister;
use super::{LISTED_BYTES, State};
use crate::error::{Outcome, say};
use crate::listing_format::ListingFormat;
use crate::merged_line::MergedLine;
use crate::output::Output;
use crate::stream_file::{self, read_some};
use crate::trace_id;

/// The value of `schema` in every JSON object.
const SCHEMA: &str = "etm4.merged-record.1";

/// The record stream and the software stream.
const RECORDS: usize = 0;
const SOFTWARE: usize = 1;

/// Merges the records of two streams.
#[derive(Debug, Args)]
pub struct MergeArgs {
    /// List the records together with those of this software stream, which the same core stored: each with its place
    /// in the port and what gave it its place in the list, "place" or "time"
    #[arg(long, value_name = "SOFTWARE")]
    pub merge: Option<PathBuf>,

    /// With --merge: the trace IDs of both sources, if their timestamps count one clock, so that time gives the order
    /// of their records
    #[arg(long, value_name = "HEX,HEX", value_delimiter = ',', requires = "merge", value_parser = trace_id::parse)]
    common_clock: Vec<TraceId>,
}

/// A line of the list, and its time.
#[derive(Clone)]
struct Line {
    time: Option<u64>,
    text: String,
}

/// Both streams as lines, in the order of the port.
struct Lines<'a> {
    common_clock: &'a [TraceId],
    format: ListingFormat,
    profile: Option<ArchProfile>,
    order: PortOrder<Line>,
    records: (Reader, State),
    software: (software::Reader, SoftwareLister),
    /// The record stream has records, and places.
    has_records: bool,
    has_places: bool,
}

/// Lists a record stream and the software stream of the same core. Messages call them by their paths.
///
/// # Errors
/// If one of them cannot be read, or is not what it should be.
pub fn list(
    args: &MergeArgs,
    [path, other]: [&Path; 2],
    format: ListingFormat,
    core: Option<&str>,
) -> Result<Outcome> {
    let mut lines = Lines {
        common_clock: &args.common_clock,
        format,
        profile: core.map(arch_profile).transpose()?,
        order: PortOrder::default(),
        records: (Reader::new(), State::default()),
        software: (software::Reader::new(), SoftwareLister::new(format)),
        has_records: false,
        has_places: false,
    };
    let mut list = List::new(format, !args.common_clock.is_empty());
    let paths = [path, other];
    let mut files = [stream_file::open(path)?, stream_file::open(other)?];
    let mut buffer = vec![0; LISTED_BYTES];
    while let Some(wanted) = lines.order.wants() {
        let read = read_some(paths[wanted], &mut files[wanted], &mut buffer)?;
        match wanted {
            RECORDS => lines.records(&buffer[..read]),
            _ => lines.software(&buffer[..read]),
        }
        while let Some((source, place, line)) = lines.order.pop() {
            list.push(source, place, line);
        }
    }
    list.finish();
    if lines.has_records && !lines.has_places {
        say(&format!(
            "warning: {}: its records have no places and are in front of all others: its core has no second source",
            path.display()
        ));
    }
    let of_software = lines.software.1.outcome(other)?;
    Ok(match lines.records.1.outcome(path)? {
        Outcome::Complete => of_software,
        of_records => of_records,
    })
}

impl Lines<'_> {
    /// Takes bytes of the record stream; none at its end.
    fn records(&mut self, bytes: &[u8]) {
        let Lines {
            common_clock,
            format,
            profile,
            order,
            records: (reader, state),
            has_records,
            has_places,
            ..
        } = self;
        let take = |item: Item<'_>| {
            let mut time = None;
            match item {
                Item::Place(place) => {
                    *has_places = true;
                    order.place(RECORDS, place);
                    return;
                }
                Item::Start(_) => order.begin(RECORDS),
                Item::Record(record) => {
                    *has_records = true;
                    let is_common = has_clock(common_clock, state.id);
                    time = Some(record.timestamp).filter(|time| is_common && *time > 0);
                }
                _ => {}
            }
            let mut text = String::new();
            state.list(item, *format, *profile, &mut text);
            order.push(RECORDS, Line { time, text });
        };
        if bytes.is_empty() {
            reader.finish(take);
            order.end(RECORDS);
        } else {
            reader.bytes(bytes, take);
        }
    }

    /// Takes bytes of the software stream; none at its end.
    fn software(&mut self, bytes: &[u8]) {
        let Lines {
            common_clock,
            order,
            software: (reader, lister),
            ..
        } = self;
        let take = |item: software::Item<'_>| {
            let mut time = None;
            match item {
                software::Item::Start(_) => order.begin(SOFTWARE),
                software::Item::Lost(_, place) => order.place(SOFTWARE, place),
                software::Item::Record(record, place) => {
                    order.place(SOFTWARE, place);
                    let is_common = has_clock(common_clock, lister.id);
                    time = record.common_time().filter(|_| is_common);
                }
                _ => {}
            }
            let mut text = String::new();
            lister.list(item, &mut text);
            order.push(SOFTWARE, Line { time, text });
        };
        if bytes.is_empty() {
            reader.finish(take);
            order.end(SOFTWARE);
        } else {
            reader.bytes(bytes, take);
        }
    }
}

/// Whether a source has the common clock.
fn has_clock(common_clock: &[TraceId], id: u8) -> bool {
    common_clock.iter().any(|it| it.value() == id)
}

/// The list.
struct List {
    line: MergedLine,
    merge: Merge<Line>,
    output: Output,
}

impl List {
    fn new(format: ListingFormat, has_common_clock: bool) -> List {
        let clock = has_common_clock.then_some(0);
        List {
            line: MergedLine {
                format,
                schema: SCHEMA,
                key: "record",
            },
            merge: Merge::new(&[clock; 2]),
            output: Output::new(),
        }
    }

    fn push(&mut self, source: usize, place: u64, item: Line) {
        let List {
            line,
            merge,
            output,
        } = self;
        let merged = Merged {
            source,
            place,
            time: item.time,
            order: Order::Place,
            item,
        };
        merge.push(merged, |merged| put(line, output, merged));
    }

    fn finish(mut self) {
        let List {
            line,
            merge,
            output,
        } = &mut self;
        merge.finish(|merged| put(line, output, merged));
        self.output.finish();
    }
}

/// Writes a line of the list.
fn put(line: &MergedLine, output: &mut Output, merged: &Merged<Line>) {
    line.put(&mut output.text, merged.place, merged.order, |text| {
        text.push_str(&merged.item.text);
    });
    output.flush_full();
}
