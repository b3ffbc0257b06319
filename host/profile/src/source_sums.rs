// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sums of a source, by its records.

use coretrace_etm::Record;
use coretrace_streams::Item;

use super::record_times::RecordTimes;
use super::tally::Tally;
use super::{Profile, Timeline, entry_of};

/// Adds up records: of a record stream, or of a source that is decoded here, whose sums are those of
/// the stream that a core would send.
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

    /// Those that follow are of the source with this trace ID.
    pub(super) fn set_trace_id(&mut self, trace_id: u8) {
        self.trace_id = trace_id;
    }

    /// Takes a record.
    #[inline(always)]
    pub fn record(&mut self, record: &Record, profile: &mut Profile) {
        self.times.record(record);
        self.add(&Item::Record(record), profile);
    }

    /// Adds the entry of an item, if it has one.
    #[inline(always)]
    pub(super) fn add(&mut self, item: &Item<'_>, profile: &mut Profile) {
        if let Some(entry) = entry_of(self.trace_id, item) {
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
