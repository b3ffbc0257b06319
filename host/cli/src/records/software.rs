// SPDX-License-Identifier: MIT OR Apache-2.0
//! The records of an STM or an ITM that a recorder stored.

use std::fmt::Write;
use std::io::Read;
use std::path::Path;

use anyhow::{Result, ensure};
use coretrace_listing::{Item as Event, Value, What};
use coretrace_software_trace::{Line, Protocol};
use coretrace_streams::Damage;
use coretrace_streams::software::{Item, Place, Reader, Start, VERSION};

use super::count;
use crate::error::{Outcome, say};
use crate::listing_format::ListingFormat;
use crate::output::Output;
use crate::stream_file::{read_stream, say_damage};

/// Lists a software stream. Messages call it `path`.
///
/// # Errors
/// If it cannot be read, or is none.
pub fn list(path: &Path, stream: impl Read, format: ListingFormat) -> Result<Outcome> {
    let mut listing = Listing::new(format);
    let done = read_stream(path, stream, |bytes| {
        listing.bytes(bytes);
        Ok(())
    });
    let lister = listing.finish();
    done?;
    lister.outcome(path)
}

/// The listing of a stream, piece by piece.
pub struct Listing {
    output: Output,
    reader: Reader,
    lister: Lister,
}

impl Listing {
    pub fn new(format: ListingFormat) -> Listing {
        Listing {
            output: Output::new(),
            reader: Reader::new(),
            lister: Lister::new(format),
        }
    }

    fn bytes(&mut self, bytes: &[u8]) {
        let Listing {
            output,
            reader,
            lister,
        } = self;
        for bytes in bytes.chunks(super::LISTED_BYTES) {
            reader.bytes(bytes, |item| lister.list(item, &mut output.text));
            output.flush_full();
        }
    }

    /// Ends the stream, and writes the rest.
    pub fn finish(self) -> Lister {
        let Listing {
            mut output,
            mut reader,
            mut lister,
        } = self;
        reader.finish(|item| lister.list(item, &mut output.text));
        if !lister.is_begun {
            // It is no software stream: the error says so, and there is nothing to list.
            output.text.clear();
        }
        output.finish();
        lister
    }
}

/// A listing takes the words that are made of a trace.
impl std::io::Write for Listing {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.bytes(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Writes the listing, and what the items so far say.
pub struct Lister {
    format: ListingFormat,
    pub id: u8,
    number: u64,
    is_begun: bool,
    lost: u64,
    damage: Damage,
}

impl Lister {
    pub fn new(format: ListingFormat) -> Lister {
        Lister {
            format,
            id: 0,
            number: 0,
            is_begun: false,
            lost: 0,
            damage: Damage::default(),
        }
    }

    /// Says what is missing in the stream that these items were.
    ///
    /// # Errors
    /// If it was none.
    pub fn outcome(&self, path: &Path) -> Result<Outcome> {
        ensure!(
            self.is_begun,
            "{}: there is no whole packet of a software stream, version {VERSION}",
            path.display()
        );
        say_damage(path, &self.damage);
        if self.lost > 0 {
            say(&format!(
                "warning: {}: bytes of the source were lost in {} places",
                path.display(),
                self.lost
            ));
        }
        Ok(Outcome::Complete)
    }

    /// Appends the line of an item.
    pub fn list(&mut self, item: Item<'_>, text: &mut String) {
        match item {
            Item::Start(start) => self.begin("START", start, text),
            Item::Source(start) => self.begin("SOURCE", start, text),
            Item::Lost(words, place) => {
                self.lost += 1;
                let [row, lane] = fields_of(place);
                self.event("LOST", &[("words", Value::Number(words)), row, lane], text);
            }
            Item::Skipped(bytes) => {
                self.damage.skip(bytes);
                self.event("SKIPPED", &[("bytes", count(bytes))], text);
            }
            Item::Gap(gap) => {
                self.damage.gap(&gap);
                let [expected, found] = [gap.expected, gap.found].map(Value::Number);
                self.event("GAP", &[("expected", expected), ("found", found)], text);
            }
            Item::Record(record, place) => {
                let id = self.id;
                self.format.write_software(text, &Line { id, record });
                put_place(self.format, place, text);
            }
        }
        self.number += 1;
    }

    fn begin(&mut self, name: &'static str, start: &Start, text: &mut String) {
        self.is_begun = true;
        self.id = start.trace_id;
        let policy = if start.lenient { "lenient" } else { "resync" };
        let policy = ("policy", Value::Word(policy));
        match start.protocol {
            Protocol::Stm => self.event(name, &[("protocol", Value::Word("STM")), policy], text),
            Protocol::Itm(config) => {
                let itm_tcr = ("ITM_TCR", Value::Bits(config.itm_tcr));
                let protocol = ("protocol", Value::Word("ITM"));
                self.event(name, &[protocol, policy, itm_tcr], text);
            }
        }
    }

    fn event(&self, name: &'static str, fields: &[(&'static str, Value)], text: &mut String) {
        let what = What::Event(name, fields);
        let Lister { id, number, .. } = *self;
        self.format.write_item(text, &Event { id, number, what });
    }
}

fn fields_of(place: Place) -> [(&'static str, Value); 2] {
    [
        ("row", Value::Number(place.row)),
        ("lane", Value::Number(place.lane.into())),
    ]
}

/// Puts a place at the end of the last line.
fn put_place(format: ListingFormat, Place { row, lane }: Place, text: &mut String) {
    text.truncate(text.trim_end().len());
    let _ = match format {
        ListingFormat::Text => writeln!(text, " row={row} lane={lane}"),
        ListingFormat::Tsv => writeln!(text, "\trow={row}\tlane={lane}"),
        ListingFormat::Json => {
            text.pop();
            writeln!(text, ",\"row\":{row},\"lane\":{lane}}}")
        }
    };
}
