// SPDX-License-Identifier: MIT OR Apache-2.0
//! The part of a decoder's records that a stream transmits.

use coretrace_abi::record_stream::{AddressRule, Body, rules};
use coretrace_etm::{Address, Context, Kind, Record};

/// The records as a reader of the stream sees them: without places, unread bytes and a packet cut
/// off by the end.
///
/// A packet cut short by an A-Sync or a loss may have changed the newest address, the timestamp or
/// the context without a record. The reader keeps the last reported values until the next record
/// with a new value, or the next Trace Info.
pub fn as_transmitted(records: impl IntoIterator<Item = Record>) -> Vec<Record> {
    let mut address = Address::default();
    let mut timestamp = 0;
    let mut context = Context::default();
    let mut seen = Vec::new();
    for mut record in records {
        if matches!(record.kind, Kind::NotSync | Kind::Incomplete) {
            continue;
        }
        let has = if record.kind.is_error() {
            None
        } else {
            rules(record.header)
        };
        let (rule, body) = has.unwrap_or((AddressRule::None, Body::None));
        let is_trace_info = record.kind == Kind::TraceInfo;
        let zeroed = matches!(record.kind, Kind::PeReset | Kind::TransactionFail);
        if is_trace_info || zeroed || rule != AddressRule::None {
            address = record.address;
        }
        if is_trace_info || matches!(body, Body::Timestamp | Body::TimestampField) {
            timestamp = record.timestamp;
        }
        if is_trace_info {
            context = record.context;
        } else if body == Body::Context {
            context.info = record.context.info;
            if context.announces_vmid() {
                context.vmid = record.context.vmid;
            }
            if context.announces_cid() {
                context.cid = record.context.cid;
            }
        }
        (record.offset, record.len) = (0, 0);
        (record.address, record.timestamp, record.context) = (address, timestamp, context);
        seen.push(record);
    }
    seen
}
