// SPDX-License-Identifier: MIT OR Apache-2.0
//! The index trace encoders: the indices of streams, each by itself or in tuples.

use coretrace_abi::compressed::branch::Event;
use coretrace_abi::compressed::index_trace::{IndexRecords, PLACE_BITS, SHIFT, TUPLE, TUPLES};
use coretrace_abi::compressed::stream_cache::{ADDRESS_BITS, INDEX_BITS, LENGTH_BITS};

use crate::bits::Bits;
use crate::stream::{Rest, Stream, StreamCutter};
use crate::stream_table::StreamTable;

/// Encodes branch events; [`coretrace_abi::compressed`] has the records.
#[derive(Clone, Debug)]
pub struct IndexTrace {
    cutter: StreamCutter,
    indexer: Indexer,
}

impl IndexTrace {
    /// Execution begins here; the addresses of A64 are wide.
    pub fn new(records: IndexRecords, is_wide: bool, start: u64) -> IndexTrace {
        let length = match records {
            IndexRecords::Single => 1,
            IndexRecords::Tuples => TUPLE,
        };
        IndexTrace {
            cutter: StreamCutter::of_all_branches(start),
            indexer: Indexer {
                address_bits: ADDRESS_BITS[usize::from(is_wide)] - 2,
                table: StreamTable::new(),
                tuple: Vec::with_capacity(length),
                length,
                unknown: Vec::new(),
                history: History::default(),
                bits: Bits::default(),
            },
        }
    }

    /// Takes the next event.
    pub fn event(&mut self, event: &Event) {
        let indexer = &mut self.indexer;
        self.cutter.event(event, |stream| indexer.stream(stream));
    }

    /// Bits so far, with those of a tuple that is not full.
    pub fn bits(&self) -> u64 {
        let indexer = &self.indexer;
        let unknown = indexer.unknown.len() as u64 * u64::from(indexer.stream_bits());
        let tuple = match indexer.tuple.is_empty() {
            true => 0,
            false => PLACE_BITS + INDEX_BITS * TUPLE as u32,
        };
        indexer.bits.len() + unknown + u64::from(tuple)
    }

    /// The bits, and the stream that has not ended.
    pub fn finish(mut self) -> (Bits, Rest) {
        if !self.indexer.tuple.is_empty() {
            self.indexer.tuple.resize(TUPLE, 0);
            self.indexer.put_record();
        }
        (self.indexer.bits, self.cutter.rest())
    }
}

/// The newest tuples in a ring.
#[derive(Clone, Debug, Default)]
struct History {
    tuples: Vec<Vec<usize>>,
    /// Where the next one goes.
    end: usize,
}

impl History {
    /// The place of a tuple.
    fn find(&self, tuple: &[usize]) -> Option<usize> {
        self.tuples.iter().position(|other| other == tuple)
    }

    fn put(&mut self, tuple: Vec<usize>) {
        if self.tuples.len() < TUPLES {
            self.tuples.push(tuple);
            return;
        }
        self.tuples[self.end] = tuple;
        self.end = (self.end + 1) % TUPLES;
    }
}

/// Streams to indices.
#[derive(Clone, Debug)]
struct Indexer {
    address_bits: u32,
    table: StreamTable,
    /// Indices that have not been sent, and how many of them make a record.
    tuple: Vec<usize>,
    length: usize,
    /// Their streams that are not in the table.
    unknown: Vec<Stream>,
    history: History,
    bits: Bits,
}

impl Indexer {
    /// Bits of a stream, at most.
    fn stream_bits(&self) -> u32 {
        self.address_bits + 2 * LENGTH_BITS
    }

    fn stream(&mut self, stream: Stream) {
        let number = stream.start >> SHIFT ^ u64::from(stream.length);
        let key = (stream.start, stream.length);
        let found = self.table.find(number, key);
        match found {
            Some(index) => self.table.hit(index),
            None => {
                if stream.executed.is_none() {
                    self.table.put(number, key);
                }
                self.unknown.push(stream);
            }
        }
        self.tuple.push(found.unwrap_or_default());
        if self.tuple.len() == self.length {
            self.put_record();
        }
    }

    fn put_record(&mut self) {
        let is_known = self.length == TUPLE && self.put_place();
        for index in self.tuple.drain(..).filter(|_| !is_known) {
            self.bits.put(index as u64, INDEX_BITS);
        }
        self.put_unknown();
    }

    /// The place of the tuple in the history; false if it was not there.
    fn put_place(&mut self) -> bool {
        let place = self.history.find(&self.tuple);
        let number = place.map_or(0, |place| place as u64 + 1);
        self.bits.put(number, PLACE_BITS);
        if place.is_none() {
            self.history.put(self.tuple.clone());
        }
        place.is_some()
    }

    fn put_unknown(&mut self) {
        for stream in self.unknown.drain(..) {
            self.bits.put(stream.length.into(), LENGTH_BITS);
            self.bits.put(stream.start >> 2, self.address_bits);
            if let Some(executed) = stream.executed {
                self.bits.put(executed.into(), LENGTH_BITS);
            }
        }
    }
}
