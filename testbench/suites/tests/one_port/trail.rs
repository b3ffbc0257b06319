// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the bytes of a source were in the port.

use coretrace_capture::AnyRecord;
use coretrace_pipelines::sim::InputWord;
use coretrace_software_trace::Record as SoftwareRecord;

use crate::is_unread;

/// Places within a row: a loss in front of it, and its lanes.
const PLACES: u64 = 8;

/// The place of a lane of a row.
pub fn place_of(row: u64, lane: u64) -> u64 {
    PLACES * row + 1 + lane
}

/// The frame of a place.
pub fn frame_of(place: u64) -> u64 {
    (place / PLACES - 1) / 4
}

/// The bytes that a source got, and the losses before them.
#[derive(Default)]
pub struct Trail {
    pub octets: Vec<u8>,
    /// The place of each of them.
    pub places: Vec<u64>,
    /// Bytes before each loss, and its place.
    pub losses: Vec<(u64, u64)>,
}

impl Trail {
    /// The source gets a word; `row` is the place of its row.
    pub fn push(&mut self, word: &InputWord, row: u64) {
        if word.discontinuity {
            self.losses.push((self.octets.len() as u64, PLACES * row));
        }
        for lane in (0..4).filter(|lane| word.keep >> lane & 1 == 1) {
            self.octets.push((word.data >> (8 * lane)) as u8);
            self.places.push(place_of(row, lane));
        }
    }

    /// The place of each record of the source: where its last byte is, or, if it was not read, where the loss or the
    /// sync behind it is.
    pub fn places(&self, records: &[AnyRecord]) -> Vec<u64> {
        let mut places = Vec::new();
        let mut behind = None;
        for record in records.iter().rev() {
            let end = end(record);
            let loss = self.losses.iter().find(|(bytes, _)| *bytes == end);
            let place = match (is_unread(record), loss) {
                (false, _) => self.places[end as usize - 1],
                (true, Some((_, place))) => *place,
                (true, None) => behind.expect("a sync behind bytes that are not read"),
            };
            behind = Some(place);
            places.push(place);
        }
        places.reverse();
        places
    }
}

/// Bytes of the source up to the end of a record.
fn end(record: &AnyRecord) -> u64 {
    match record {
        AnyRecord::Etm { record, .. } => record.offset + record.len,
        AnyRecord::Software(SoftwareRecord::Stm(record)) => {
            (record.offset + record.len).div_ceil(2)
        }
        AnyRecord::Software(SoftwareRecord::Itm(record)) => record.offset + record.len,
    }
}
