// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records in, words out: the recorder of the hardware in software.

use coretrace_abi::record_stream::{crc, tail};
use coretrace_abi::software_stream::{MOST_RECORDS, RECORD_WORDS, SoftwareRecord, ending, head};
use coretrace_software_trace::Record;

use super::start::Head;
use super::{Place, Start, itm, stm};

/// Words of a packet with as many records as it can have.
const FULL_WORDS: usize = head::WORDS + MOST_RECORDS * RECORD_WORDS;

/// Writes a stream. A packet is held until it is full or [`Writer::flush`] is called.
#[derive(Clone, Debug)]
pub struct Writer {
    head: Head,
    /// Nibbles or bytes that were not read, and have no record yet.
    unread: u64,
    /// The words of the packet; empty between two packets.
    packet: Vec<u32>,
}

impl Writer {
    /// Starts the stream of a source.
    pub fn new(start: Start) -> Writer {
        Writer {
            head: Head {
                start,
                is_start: true,
                number: 0,
            },
            unread: 0,
            packet: Vec::with_capacity(FULL_WORDS),
        }
    }

    /// Writes a record. What was not read is in the record behind it; a packet cut off at the end is not written.
    pub fn record(&mut self, record: &Record, place: Place, out: &mut Vec<u32>) {
        if record.is_unread() {
            self.unread += record.len();
            return;
        }
        let written = match record {
            Record::Stm(record) => stm::written(record, self.unread),
            Record::Itm(record) => itm::written(record, self.unread),
        };
        if let Some(written) = written {
            self.write(written, place, out);
        }
    }

    /// Writes a loss of bytes before a place, with the number of trace port words lost since reset.
    pub fn lost(&mut self, total: u32, place: Place, out: &mut Vec<u32>) {
        let written = SoftwareRecord {
            ending: ending::LOST,
            data: total.into(),
            length: u32::try_from(self.unread).unwrap_or(u32::MAX),
            ..SoftwareRecord::default()
        };
        self.write(written, place, out);
    }

    /// Ends the packet, if there is one.
    pub fn flush(&mut self, out: &mut Vec<u32>) {
        if self.packet.is_empty() {
            return;
        }
        out.extend(&self.packet);
        out.extend([tail(self.packet.len()), crc(&self.packet), 0, 0]);
        self.packet.clear();
        self.head.is_start = false;
        self.head.number = self.head.number.wrapping_add(1);
    }

    fn write(&mut self, written: SoftwareRecord, place: Place, out: &mut Vec<u32>) {
        self.unread = 0;
        if self.packet.is_empty() {
            self.packet.extend(self.head.words());
        }
        let written = SoftwareRecord {
            row: place.row,
            lane: place.lane,
            ..written
        };
        self.packet.extend(written.words());
        if self.packet.len() == FULL_WORDS {
            self.flush(out);
        }
    }
}
