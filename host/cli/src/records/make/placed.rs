// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records with their places in the port.

use std::io::{Result, Write};

use coretrace_capture::{AnyRecord, Merged, MergedSink};
use coretrace_streams::{Place, Writer, software};

use super::words::Words;

/// Bits of a lane of a row of the port.
const LANE_W: u32 = 2;

/// Writes one of both streams.
pub enum AnyWriter {
    /// The record stream of a core with a second source.
    Records(Writer),
    /// The software stream of a recorder.
    Software(software::Writer),
}

/// Stores records with their places: in a framed trace, where the run of bytes begins in which a record ends.
pub struct Placed<W> {
    writer: AnyWriter,
    is_framed: bool,
    /// The place of the record before.
    place: Option<Place>,
    words: Words<W>,
}

impl<W: Write> Placed<W> {
    pub fn new(writer: AnyWriter, is_framed: bool, words: Words<W>) -> Placed<W> {
        Placed {
            writer,
            is_framed,
            place: None,
            words,
        }
    }

    /// Writes the rest.
    ///
    /// # Errors
    /// If any word could not be written.
    pub fn finish(mut self) -> Result<()> {
        match &mut self.writer {
            AnyWriter::Records(writer) => writer.flush(&mut self.words.due),
            AnyWriter::Software(writer) => writer.flush(&mut self.words.due),
        }
        self.words.finish()
    }
}

impl<W: Write> MergedSink for Placed<W> {
    fn merged(&mut self, merged: &Merged<AnyRecord>) {
        let words = &mut self.words.due;
        match (&mut self.writer, &merged.item) {
            (AnyWriter::Records(writer), AnyRecord::Etm { record, .. }) => {
                let place = place_of(merged.place);
                if self.place.replace(place) != Some(place) {
                    writer.place(place);
                }
                writer.record(record, words);
            }
            (AnyWriter::Software(writer), AnyRecord::Software(record)) => {
                let offset = if self.is_framed {
                    merged.place
                } else {
                    record.last_byte()
                };
                writer.record(record, place_of(offset), words);
            }
            _ => {}
        }
    }

    fn progress(&mut self, _bytes: u64) {
        self.words.write();
    }

    fn is_done(&self) -> bool {
        self.words.has_failed()
    }
}

/// The place of a byte of the trace: its row of four bytes, the first one counted, and its lane.
fn place_of(offset: u64) -> Place {
    Place {
        row: ((offset >> LANE_W) as u32).wrapping_add(1),
        lane: offset as u8 % (1 << LANE_W),
    }
}
