// SPDX-License-Identifier: MIT OR Apache-2.0
//! The records of all sources of a buffer as one list.

use anyhow::Result;
use coretrace_etm::Record;
use coretrace_software_trace as software_trace;

use crate::merge::{Merge, Merged, Order};
use crate::pass::{Pass, PassStatistics};
use crate::{RecordSink, SourceDecoder};

/// A record of any source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnyRecord {
    /// Of instruction trace.
    Etm {
        /// The record.
        record: Record,
        /// Its bytes; of a record longer than 4096 bytes, which is of bytes that are not read, the last ones.
        raw: Vec<u8>,
    },
    /// Of software trace.
    Software(software_trace::Record),
}

impl AnyRecord {
    /// The time after it that sources can have in common: the timestamp of an ETM or an STM, the global
    /// timestamp of an ITM. None before the first one.
    pub fn time(&self) -> Option<u64> {
        match self {
            AnyRecord::Etm { record, .. } => (record.timestamp > 0).then_some(record.timestamp),
            AnyRecord::Software(record) => record.common_time(),
        }
    }
}

/// Who takes a merged list.
pub trait MergedSink {
    /// Takes the next record.
    fn merged(&mut self, record: &Merged<AnyRecord>);

    /// Bytes of the buffer read so far.
    fn progress(&mut self, _bytes: u64) {}

    /// Whether no more records are wanted.
    fn is_done(&self) -> bool {
        false
    }
}

impl<F: FnMut(&Merged<AnyRecord>)> MergedSink for F {
    fn merged(&mut self, record: &Merged<AnyRecord>) {
        self(record);
    }
}

impl Pass<'_> {
    /// Reads the buffer once and gives out the records of all its sources as one list. `clocks` has the
    /// number of the clock of each source of the pass; none if no other source has its clock. Records of
    /// sources with a common clock are in the order of their times, as far as 4096 records hold them; all
    /// others are in the order of the port, and marked so. The place of a record is where it is known: where its
    /// last byte is, or, of bytes that are not read, where the sync or the loss behind them is. In frames, a byte is
    /// where the frame's pair of bytes is with which its run of bytes begins.
    ///
    /// # Errors
    /// If the buffer cannot be read, or has no A-Sync within the limit.
    ///
    /// # Panics
    /// If there are fewer clocks than sources.
    pub fn run_merged(
        &self,
        clocks: &[Option<u8>],
        sink: &mut impl MergedSink,
    ) -> Result<PassStatistics> {
        let mut list = List {
            merge: Merge::new(&clocks[..self.sources.len()]),
            place: 0,
            sink,
        };
        let statistics = self.run_decoders(&mut list, SourceDecoder::without_batches)?;
        let List { merge, sink, .. } = &mut list;
        merge.finish(|record| sink.merged(record));
        Ok(statistics)
    }
}

/// Records on their way into the list.
struct List<'s, S> {
    merge: Merge<AnyRecord>,
    /// Where the bytes are that are decoded.
    place: u64,
    sink: &'s mut S,
}

impl<S: MergedSink> List<'_, S> {
    fn push(&mut self, source: usize, item: AnyRecord) {
        let merged = Merged {
            source,
            place: self.place,
            time: item.time(),
            order: Order::Place,
            item,
        };
        self.merge.push(merged, |record| self.sink.merged(record));
    }
}

impl<S: MergedSink> RecordSink for List<'_, S> {
    fn place(&mut self, offset: u64) {
        self.place = offset;
    }

    fn record(&mut self, source: usize, record: &Record, raw: &[u8]) {
        let raw = raw.to_vec();
        let record = *record;
        self.push(source, AnyRecord::Etm { record, raw });
    }

    fn software(&mut self, source: usize, record: &software_trace::Record) {
        self.push(source, AnyRecord::Software(*record));
    }

    fn progress(&mut self, bytes: u64) {
        self.sink.progress(bytes);
    }

    fn is_done(&self) -> bool {
        self.sink.is_done()
    }
}
