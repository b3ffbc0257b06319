// SPDX-License-Identifier: MIT OR Apache-2.0
//! The streams of the index trace encoders.

use std::collections::VecDeque;

use coretrace_abi::compressed::index_trace::{IndexRecords, PLACE_BITS, SHIFT, TUPLE, TUPLES};
use coretrace_abi::compressed::stream_cache::{
    ADDRESS_BITS, DISCONTINUITY, INDEX_BITS, LENGTH_BITS,
};

use crate::kept_streams::KeptStreams;
use crate::reader::{Damaged, Reader};
use crate::streams::{Stream, StreamSource};

/// The streams of a block.
pub struct IndexedStreams<'r> {
    records: IndexRecords,
    reader: Reader<'r>,
    address_bits: u32,
    kept: KeptStreams,
    /// The newest tuples, and how many were written in all.
    history: Vec<[usize; TUPLE]>,
    written: usize,
    /// Indices that have been read.
    ready: VecDeque<usize>,
}

impl<'r> IndexedStreams<'r> {
    /// Of these records; the addresses of A64 are wide.
    pub fn new(records: IndexRecords, is_wide: bool, reader: Reader<'r>) -> IndexedStreams<'r> {
        IndexedStreams {
            records,
            reader,
            address_bits: ADDRESS_BITS[usize::from(is_wide)] - 2,
            kept: KeptStreams::new(),
            history: Vec::new(),
            written: 0,
            ready: VecDeque::new(),
        }
    }

    fn index(&mut self) -> Result<usize, Damaged> {
        Ok(self.reader.field(INDEX_BITS)? as usize)
    }

    fn tuple(&mut self) -> Result<[usize; TUPLE], Damaged> {
        let place = self.reader.field(PLACE_BITS)? as usize;
        if let Some(place) = place.checked_sub(1) {
            return self.history.get(place).copied().ok_or(Damaged);
        }
        let mut tuple = [0; TUPLE];
        for index in &mut tuple {
            *index = self.index()?;
        }
        match self.history.get_mut(self.written % TUPLES) {
            Some(oldest) => *oldest = tuple,
            None => self.history.push(tuple),
        }
        self.written += 1;
        Ok(tuple)
    }

    /// A stream that is not kept yet.
    fn new_stream(&mut self) -> Result<Stream, Damaged> {
        let length = self.reader.field(LENGTH_BITS)? as u32;
        let start = self.reader.field(self.address_bits)? << 2;
        let mut executed = None;
        if length == DISCONTINUITY {
            executed = Some(self.reader.field(LENGTH_BITS)? as u32);
        } else {
            let set = start >> SHIFT ^ u64::from(length);
            self.kept.keep(set, (start, length));
        }
        Ok(Stream {
            start,
            length,
            executed,
        })
    }
}

impl StreamSource for IndexedStreams<'_> {
    fn stream(&mut self, _known: Option<u64>) -> Result<Option<Stream>, Damaged> {
        let mut index = self.ready.pop_front();
        if index.is_none() && !self.reader.is_at_end() {
            index = Some(match self.records {
                IndexRecords::Single => self.index()?,
                IndexRecords::Tuples => {
                    let [first, rest @ ..] = self.tuple()?;
                    self.ready.extend(rest);
                    first
                }
            });
        }
        Ok(match index {
            None => None,
            // The last tuple has zeros at its end.
            Some(0) if self.reader.is_at_end() => None,
            Some(0) => Some(self.new_stream()?),
            Some(index) => {
                let (start, length) = self.kept.get(index)?;
                let executed = None;
                Some(Stream {
                    start,
                    length,
                    executed,
                })
            }
        })
    }
}
