// SPDX-License-Identifier: MIT OR Apache-2.0
//! The trace state as a reader of the stream knows it.

use coretrace_abi::record_stream::{AddressRule, Body, rules};
use coretrace_etm::{Address, Context, Kind, Record};

/// What the records so far say about later ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct State {
    /// The newest address register.
    pub address: Address,
    pub timestamp: u64,
    pub context: Context,
    /// The threshold of cycle counts.
    pub threshold: u32,
    /// Under the lenient policy: a loss or an error came before, since the last A-Sync.
    pub suspect: bool,
}

impl State {
    /// Takes what a record reports.
    pub fn apply(&mut self, record: &Record, lenient: bool) {
        let is_error = record.kind.is_error();
        let has = if is_error { None } else { rules(record.header) };
        let (rule, body) = has.unwrap_or((AddressRule::None, Body::None));
        let is_trace_info = record.kind == Kind::TraceInfo;
        let zeroed = matches!(record.kind, Kind::PeReset | Kind::TransactionFail);
        if is_trace_info || zeroed || rule != AddressRule::None {
            self.address = record.address;
        }
        if is_trace_info || matches!(body, Body::Timestamp | Body::TimestampField) {
            self.timestamp = record.timestamp;
        }
        if is_trace_info {
            self.context = record.context;
            self.threshold = record.fields[3];
        } else if body == Body::Context {
            self.context.info = record.context.info;
            if self.context.announces_vmid() {
                self.context.vmid = record.context.vmid;
            }
            if self.context.announces_cid() {
                self.context.cid = record.context.cid;
            }
        }
        self.suspect = record.kind != Kind::Async && lenient && (self.suspect || is_error);
    }
}
