// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sums of a source that is decoded here, in place of a core.

use coretrace_etm::Record;
use coretrace_streams::Item;

use super::record_times::RecordTimes;
use super::tally::Tally;
use super::{Profile, Timeline, entry_of};

/// Adds up the records of a source. Its sums are those of the record stream that a core would send.
#[derive(Debug)]
pub struct SourceSums {
    trace_id: u8,
    times: RecordTimes,
    tally: Tally,
}

impl SourceSums {
    /// Nothing yet, of the source with this trace ID.
    pub fn new(trace_id: u8) -> SourceSums {
        SourceSums {
            trace_id,
            times: RecordTimes::new(),
            tally: Tally::default(),
        }
    }

    /// Takes a record.
    pub fn record(&mut self, record: &Record, profile: &mut Profile) {
        self.times.record(record);
        if let Some(entry) = entry_of(self.trace_id, &Item::Record(record)) {
            self.tally.add(&entry, profile);
            self.times.add(&entry);
        }
    }

    /// Moves the sums to a profile; the counts over time.
    pub fn finish(mut self, profile: &mut Profile) -> Timeline {
        self.tally.add_to(profile);
        self.times.timeline()
    }
}
