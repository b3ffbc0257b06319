// SPDX-License-Identifier: MIT OR Apache-2.0
//! The counts over time of a record stream.

use coretrace_abi::profile_stream::Entry;
use coretrace_etm::{Kind, Record};

use super::{Axis, Bucket, Timeline};

/// Counts by timestamp and by the number of records; the choice between them is made at the end.
#[derive(Debug)]
pub(super) struct RecordTimes {
    records: u64,
    by_record: Timeline,
    /// There is none before the first timestamp.
    by_timestamp: Option<Timeline>,
    before_timestamps: Bucket,
}

impl RecordTimes {
    pub(super) fn new() -> RecordTimes {
        RecordTimes {
            records: 0,
            by_record: Timeline::new(Axis::Record, 0),
            by_timestamp: None,
            before_timestamps: Bucket::default(),
        }
    }

    /// Takes the time from a record.
    pub(super) fn record(&mut self, record: &Record) {
        self.by_record.advance(self.records);
        self.records += 1;
        // Timestamp 0 means that the time is unknown.
        if record.kind == Kind::Timestamp && record.timestamp != 0 {
            let begin = || {
                let mut timeline = Timeline::new(Axis::Timestamp, record.timestamp);
                timeline.add(self.before_timestamps);
                timeline
            };
            let timeline = self.by_timestamp.get_or_insert_with(begin);
            timeline.advance(record.timestamp);
        }
    }

    /// Counts an event at the current time.
    pub(super) fn add(&mut self, entry: &Entry) {
        self.by_record.count(entry);
        match &mut self.by_timestamp {
            Some(timeline) => timeline.count(entry),
            None => self.before_timestamps.count(entry),
        }
    }

    /// The counts by timestamp if there was one, else by records.
    pub(super) fn timeline(self) -> Timeline {
        self.by_timestamp.unwrap_or(self.by_record)
    }
}
