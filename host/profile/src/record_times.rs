// SPDX-License-Identifier: MIT OR Apache-2.0
//! The counts over time of a record stream.

use coretrace_abi::profile_stream::Entry;
use coretrace_etm::{Kind, Record};

use super::timeline::Weights;
use super::{Axis, Bucket, Timeline};

/// Counts by timestamp and by the number of records; the choice between them is made at the end.
#[derive(Debug)]
pub(super) struct RecordTimes {
    records: u64,
    /// Counts since the time changed on either axis, and the number of records at which it does.
    now: Weights,
    next: u64,
    by_record: Timeline,
    /// There is none before the first timestamp.
    by_timestamp: Option<Timeline>,
    before_timestamps: Bucket,
}

/// Records that are counted at once, at most; each has one entry.
const AT_ONCE: u64 = 1 << 20;

impl RecordTimes {
    pub(super) fn new() -> RecordTimes {
        RecordTimes {
            records: 0,
            now: Weights::default(),
            next: 0,
            by_record: Timeline::new(Axis::Record, 0),
            by_timestamp: None,
            before_timestamps: Bucket::default(),
        }
    }

    /// Takes the time from a record.
    #[inline(always)]
    pub(super) fn record(&mut self, record: &Record) {
        if self.records >= self.next {
            self.end_now();
            self.by_record.advance(self.records);
            self.next = self.by_record.end().min(self.records + AT_ONCE);
        }
        self.records += 1;
        // Timestamp 0 means that the time is unknown.
        if record.kind == Kind::Timestamp && record.timestamp != 0 {
            self.timestamp(record.timestamp);
        }
    }

    #[cold]
    fn timestamp(&mut self, time: u64) {
        self.end_now();
        let begin = || {
            let mut timeline = Timeline::new(Axis::Timestamp, time);
            timeline.add(self.before_timestamps);
            timeline
        };
        self.by_timestamp.get_or_insert_with(begin).advance(time);
    }

    /// Counts an entry at the current time.
    #[inline(always)]
    pub(super) fn add(&mut self, entry: &Entry) {
        self.now.add(entry);
    }

    #[cold]
    fn end_now(&mut self) {
        let now = self.now.take();
        self.by_record.add(now);
        match &mut self.by_timestamp {
            Some(timeline) => timeline.add(now),
            None => self.before_timestamps += now,
        }
    }

    /// The counts by timestamp if there was one, else by records.
    pub(super) fn timeline(mut self) -> Timeline {
        self.end_now();
        self.by_timestamp.unwrap_or(self.by_record)
    }
}
