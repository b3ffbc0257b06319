// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 records`: the records that a core stored.

mod make;
mod merged;
mod software;

use std::io::{Cursor, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use clap::Args;
use coretrace_capture::arch_profile;
use coretrace_coresight::TraceId;
use coretrace_etm::{ArchProfile, Config, Protocol};
use coretrace_listing::{Item as Line, Value, What};
use coretrace_streams::software as software_stream;
use coretrace_streams::{Damage, Item, Place, Reader, Start, VERSION, begins_packet};

use crate::capture_args::{CaptureOptions, Input, Streams};
use crate::error::{Outcome, say};
use crate::listing_format::ListingFormat;
use crate::output::{Output, create};
use crate::stream_file::{beginning, read_stream, say_damage};
use crate::trace_id;
use make::Stored;

const EXAMPLES: &str = "\
FILE holds the record stream of a core as DMA stores it, - is standard input. The stream has the
trace unit's registers, but not the offsets, lengths and bytes of packets, so items are numbered
instead. It may begin anywhere, and it may have gaps. More items than records are listed:
  START    the source was enabled
  SOURCE   the records belong to this source, whose beginning is not there
  PLACE    of a core with a second source: the records that follow end at this row and lane of the port
           or behind it, and in front of the next byte of the other source
  LOST     words of the trace port were lost, with their number since the core's reset
  GAP      packets of the stream are missing or out of order: the number expected and the one found
  SKIPPED  bytes that are no part of a whole packet of the stream

FILE may also be the software stream of a recorder, which has the packets of an STM or an ITM. They
are listed as etm4 packets does, with the row and the lane of the port where their last byte was.

With --merge both streams of a core with two sources are one list, in the order of the port; a place is
four times the row, and the lane.

Without a core, use --make: it writes the stream that a core would store for a capture, or a recorder for an
STM or an ITM in it. In such a stream of a framed capture, a place is where a run of bytes of its source begins.

Examples:
  etm4 records --make testbench/traces/sort-a64 --out sort.words
  etm4 records sort.words
  etm4 records sort.words --format json
  tail -c +401 sort.words | etm4 records -
  etm4 records --make testbench/traces/framed --id 21 --out adpcm.words
  etm4 records core.words --merge itm.words --common-clock 10,21";

/// List the records that a core stored
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct RecordsArgs {
    /// A record stream or a software stream; or a trace, whose records are those that a core or a recorder would store
    file: PathBuf,

    #[command(flatten)]
    options: CaptureOptions,

    #[command(flatten)]
    merge: merged::MergeArgs,

    /// How records are written
    #[arg(long, value_enum, default_value_t)]
    format: ListingFormat,

    /// Write the words that a core, or a recorder of an STM or an ITM, would store for FILE, which is a trace
    #[arg(long, requires = "out", conflicts_with_all = ["format", "merge"])]
    make: bool,

    /// The source of a trace with this trace ID (hexadecimal)
    #[arg(long, value_name = "HEX", value_parser = trace_id::parse)]
    id: Option<TraceId>,

    /// The file to write, or - for standard output
    #[arg(long, value_name = "FILE", requires = "make")]
    out: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// If the file cannot be read or is not a record stream, or the capture cannot be used.
pub fn run(args: &RecordsArgs) -> Result<Outcome> {
    let RecordsArgs { file, options, .. } = args;
    if let Some(other) = &args.merge.merge {
        return merged::list(&args.merge, [file, other], args.format, options.core());
    }
    if let Some(out) = &args.out {
        let trace = options.open(file, args.id)?;
        let stored = Stored::of(&trace, args.id)?;
        stored.make(options.sync_limit, create(out)?)?;
        return Ok(Outcome::Complete);
    }
    match options.open_input(file, args.id, Streams::Any)? {
        Input::Stream(stream) => {
            let (head, rest) = beginning(stream)?;
            let is_software = software_stream::begins_packet(&head) && !begins_packet(&head);
            let stream = Cursor::new(head).chain(rest);
            if is_software {
                return software::list(file, stream, args.format);
            }
            list(file, stream, args.format, options.core())
        }
        Input::Trace(trace) => {
            let stored = Stored::of(&trace, args.id)?;
            if stored.is_software() {
                let mut listing = software::Listing::new(args.format);
                stored.make(options.sync_limit, &mut listing)?;
                listing.finish();
            } else {
                let mut lister = Lister::new(args.format, options.core())?;
                stored.make(options.sync_limit, &mut lister)?;
                lister.finish();
            }
            Ok(Outcome::Complete)
        }
    }
}

/// Writes the listing of a record stream.
struct Lister {
    format: ListingFormat,
    /// The profile of the core, if the user named it.
    profile: Option<ArchProfile>,
    output: Output,
    reader: Reader,
    state: State,
}

/// What the items so far say.
#[derive(Default)]
struct State {
    number: u64,
    id: u8,
    config: Option<Config>,
    damage: Damage,
}

/// Lists a record stream. Messages call it `path`.
///
/// # Errors
/// If it cannot be read, or is none.
pub fn list(
    path: &Path,
    stream: impl Read,
    format: ListingFormat,
    core: Option<&str>,
) -> Result<Outcome> {
    let mut lister = Lister::new(format, core)?;
    let done = read_stream(path, stream, |bytes| {
        lister.bytes(bytes);
        Ok(())
    });
    let state = lister.finish();
    done?;
    state.outcome(path)
}

impl Lister {
    fn new(format: ListingFormat, core: Option<&str>) -> Result<Lister> {
        Ok(Lister {
            format,
            profile: core.map(arch_profile).transpose()?,
            output: Output::new(),
            reader: Reader::new(),
            state: State::default(),
        })
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for bytes in bytes.chunks(LISTED_BYTES) {
            let Lister {
                format,
                profile,
                output,
                reader,
                state,
            } = self;
            reader.bytes(bytes, |item| {
                state.list(item, *format, *profile, &mut output.text)
            });
            output.flush_full();
        }
    }

    fn finish(mut self) -> State {
        let Lister {
            format,
            profile,
            output,
            reader,
            state,
        } = &mut self;
        reader.finish(|item| state.list(item, *format, *profile, &mut output.text));
        if self.state.config.is_none() {
            // It is no record stream: the error says so, and there is nothing to list.
            self.output.text.clear();
        }
        self.output.finish();
        self.state
    }
}

impl State {
    /// Says what is missing in the stream that these items were.
    ///
    /// # Errors
    /// If it was none.
    fn outcome(&self, path: &Path) -> Result<Outcome> {
        ensure!(
            self.config.is_some() || self.damage.skipped_bytes == 0,
            "{}: there is no packet of a record stream, version {VERSION}",
            path.display()
        );
        say_damage(path, &self.damage);
        if self.config.is_none() {
            say(&format!("warning: {}: nothing is in it", path.display()));
            return Ok(Outcome::Incomplete);
        }
        Ok(Outcome::Complete)
    }

    fn list(
        &mut self,
        item: Item<'_>,
        format: ListingFormat,
        profile: Option<ArchProfile>,
        text: &mut String,
    ) {
        self.damage.count(&item);
        if let Item::Start(start) | Item::Source(start) = item {
            self.id = start.trace_id;
            let traced = start.config();
            self.config = Some(Config {
                profile: profile.unwrap_or(traced.profile),
                ..traced
            });
        }
        let (id, number) = (self.id, self.number);
        let mut event = |name, fields: &[(&'static str, Value)]| {
            let what = What::Event(name, fields);
            format.write_item(text, &Line { id, number, what });
        };
        match item {
            Item::Start(start) => event("START", &start_fields(start)),
            Item::Source(start) => event("SOURCE", &start_fields(start)),
            Item::Place(Place { row, lane }) => {
                let [row, lane] = [row, lane.into()].map(Value::Number);
                event("PLACE", &[("row", row), ("lane", lane)]);
            }
            Item::Lost(words) => event("LOST", &[("words", Value::Number(words))]),
            Item::Skipped(bytes) => event("SKIPPED", &[("bytes", count(bytes))]),
            Item::Gap(gap) => {
                let [expected, found] = [gap.expected, gap.found].map(Value::Number);
                event("GAP", &[("expected", expected), ("found", found)]);
            }
            Item::Record(record) => {
                let Some(config) = &self.config else {
                    return;
                };
                let what = What::Record(record, config);
                format.write_item(text, &Line { id, number, what });
            }
        }
        self.number += 1;
    }
}

/// A number of bytes in a listing, saturating.
fn count(value: u64) -> Value {
    Value::Number(u32::try_from(value).unwrap_or(u32::MAX))
}

/// A lister takes the words that are made of a trace.
impl Write for Lister {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.bytes(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Bytes that are listed before the listing is written, which is longer than they are.
const LISTED_BYTES: usize = 1 << 13;

fn start_fields(start: &Start) -> Vec<(&'static str, Value)> {
    let protocol = match start.protocol {
        Protocol::Etm4 => "ETM4",
        Protocol::Ete => "ETE",
    };
    let policy = if start.lenient { "lenient" } else { "resync" };
    let mut fields = vec![
        ("protocol", Value::Word(protocol)),
        ("v8m", Value::Flag(start.v8m)),
        ("policy", Value::Word(policy)),
        ("explicit", Value::Flag(start.explicit)),
        ("filtered", Value::Flag(start.filtered)),
    ];
    let registers = start.registers.named();
    fields.extend(registers.map(|(name, value)| (name, Value::Bits(value))));
    fields
}
