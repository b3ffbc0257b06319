// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sources, their records and the words of these.
#![allow(dead_code, reason = "each test file uses its part")]

use coretrace_decode::{Decoder, Policy};
use coretrace_etm::{ArchProfile, Record};
use coretrace_streams::{Gap, Item, Place, Reader, Start, Writer};
use coretrace_test_gen::RegisterSet;

pub fn model(bytes: &[u8], set: &RegisterSet, lenient: bool) -> Vec<Record> {
    let policy = if lenient {
        Policy::Lenient
    } else {
        Policy::Resync
    };
    let mut decoder = Decoder::new(set.config(), policy);
    let mut records = Vec::new();
    decoder.feed(bytes, |record| records.push(*record));
    decoder.finish(|record| records.push(*record));
    records
}

pub fn start(set: &RegisterSet, lenient: bool, explicit: bool) -> Start {
    Start {
        trace_id: 0x10,
        lenient,
        explicit,
        filtered: false,
        protocol: set.protocol,
        v8m: set.profile == ArchProfile::M8,
        registers: set.registers,
    }
}

/// The words of records, in packets of up to `size` words.
pub fn written(start: Start, records: &[Record], size: usize) -> Vec<u32> {
    let mut words = Vec::new();
    let mut writer = Writer::with_packets_of(start, size);
    for record in records {
        writer.record(record, &mut words);
    }
    writer.flush(&mut words);
    words
}

/// What a reader gives out.
#[derive(Debug, Default, PartialEq)]
pub struct Contents {
    pub starts: Vec<Start>,
    pub sources: Vec<Start>,
    pub lost: Vec<u32>,
    pub records: Vec<Record>,
    pub skipped: Vec<u64>,
    pub gaps: Vec<Gap>,
    /// Each place, and the number of records in front of it.
    pub places: Vec<(usize, Place)>,
}

impl Contents {
    /// Of bytes that come in pieces of at most `piece`.
    pub fn of_bytes(bytes: &[u8], piece: usize) -> Contents {
        let mut contents = Contents::default();
        let mut reader = Reader::new();
        for bytes in bytes.chunks(piece) {
            reader.bytes(bytes, |item| contents.take(item));
        }
        reader.finish(|item| contents.take(item));
        contents
    }

    pub fn of_words(words: &[u32]) -> Contents {
        let mut contents = Contents::default();
        let mut reader = Reader::new();
        reader.words(words, |item| contents.take(item));
        reader.finish(|item| contents.take(item));
        contents
    }

    fn take(&mut self, item: Item<'_>) {
        match item {
            Item::Start(start) => self.starts.push(*start),
            Item::Source(start) => self.sources.push(*start),
            Item::Lost(total) => self.lost.push(total),
            Item::Place(place) => self.places.push((self.records.len(), place)),
            Item::Record(record) => self.records.push(*record),
            Item::Skipped(bytes) => self.skipped.push(bytes),
            Item::Gap(gap) => self.gaps.push(gap),
        }
    }
}

/// Words as they are in memory.
pub fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}
