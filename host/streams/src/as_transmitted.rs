// SPDX-License-Identifier: MIT OR Apache-2.0
//! The part of a decoder's records that a stream transmits.

use coretrace_etm::{Kind, Record};

use crate::state::State;

/// The records as a reader of the stream sees them: without places, unread bytes and a packet cut
/// off by the end.
///
/// A packet cut short by an A-Sync or a loss may have changed the newest address, the timestamp or
/// the context without a record. The reader keeps the last reported values until the next record
/// with a new value, or the next Trace Info.
pub fn as_transmitted(records: impl IntoIterator<Item = Record>) -> Vec<Record> {
    let mut state = State::default();
    let mut seen = Vec::new();
    for mut record in records {
        if matches!(record.kind, Kind::NotSync | Kind::Incomplete) {
            continue;
        }
        state.apply(&record, false);
        (record.offset, record.len) = (0, 0);
        record.address = state.address;
        record.timestamp = state.timestamp;
        record.context = state.context;
        seen.push(record);
    }
    seen
}
